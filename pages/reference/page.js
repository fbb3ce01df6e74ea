// @ts-check
// Shows the OpenAPI document of this server with Swagger UI.

const dark = matchMedia("(prefers-color-scheme: dark)");
const followColorScheme = () =>
  document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", followColorScheme);
followColorScheme();

const SwaggerUIBundle = Reflect.get(globalThis, "SwaggerUIBundle");
SwaggerUIBundle({
  dom_id: "#reference",
  // Absolute, since the URLs in the document are relative to it: with a proxy, both are below its path.
  url: new URL("openapi.json", document.baseURI).href,
  deepLinking: true,
  filter: true,
  docExpansion: "none",
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  // The key is in the memory of the tab alone, and is sent but to this server.
  persistAuthorization: false,
  validatorUrl: null,
});
