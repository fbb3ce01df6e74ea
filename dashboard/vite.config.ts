import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** Where `npm run dev` finds a server: what is not of the dashboard goes to it. */
const { EDGEPLANE_URL = "http://127.0.0.1:8080" } = process.env;

export default defineConfig({
  // Files find each other by where they are, so the server may be below the path of a proxy.
  base: "./",
  publicDir: false,
  plugins: [react()],
  build: {
    outDir: "../dist/dashboard-page",
    emptyOutDir: true,
    target: "es2023",
    // No file of the page stands inside of another as a `data:` URL.
    assetsInlineLimit: 0,
    license: { fileName: "licenses.md" },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 2000,
  },
  server: { proxy: { "/graphql": EDGEPLANE_URL } },
});
