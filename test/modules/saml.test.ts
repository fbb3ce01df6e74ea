import { createPrivateKey, createSign, X509Certificate } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { SAML_NAMEID_FORMATS, type StoredSaml, saml } from "../../src/domain/modules/saml.js";
import { place, problems, withMadeKeys } from "./support.js";

const { rule } = saml;

const NAMESPACE = "urn:oasis:names:tc:SAML:2.0:metadata";
const service = (location = "https://idp.example/sso") =>
  `<m:SingleSignOnService Binding="urn:x" Location="${location}"/>`;
const role = (inner: string) => `<m:IDPSSODescriptor>${inner}</m:IDPSSODescriptor>`;
const metadata = (inner = role(service()), attributes = 'entityID="https://idp.example"') =>
  `<?xml version="1.0"?>\n<m:EntityDescriptor xmlns:m="${NAMESPACE}" ${attributes}>${inner}</m:EntityDescriptor>`;

const problemOf = (idpMetadata: unknown) => problems(rule, { idpMetadata }).idpMetadata;

describe("SAML", () => {
  const settings = rule.parse({ idpMetadata: metadata(), authorizedGroups: ["é"] });
  let first: StoredSaml;
  /** The document of a route that had none, once its pair is made. */
  const storeNew = (ownerId: string) =>
    withMadeKeys((signingPairs) => {
      const { stored } = saml.store(settings, place("write", ownerId, signingPairs), null);
      return stored;
    });

  beforeAll(async () => {
    first = await storeNew("edghtsrt_1");
  });

  it("completes what is given, and tells what the identity provider needs to know", () => {
    const shown = saml.read(saml.parse(JSON.parse(JSON.stringify(first))), place());
    expect(shown).toEqual({
      enabled: true,
      optionsPassthrough: false,
      cookiePrefix: "ngrok.",
      inactivityTimeout: 0,
      maximumDuration: 0,
      idpMetadata: metadata(),
      forceAuthn: false,
      allowIdpInitiated: true,
      authorizedGroups: ["é"],
      nameidFormat: "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent",
      entityId: "https://idp.edge.test/saml/edghtsrt_1",
      assertionConsumerServiceUrl: "https://idp.edge.test/saml/edghtsrt_1/acs",
      singleLogoutUrl: "https://idp.edge.test/saml/edghtsrt_1/slo",
      requestSigningCertificatePem: first.requestSigningCertificatePem,
      metadataUrl: "https://idp.edge.test/saml/edghtsrt_1",
    });
    expect(rule.parse(settings)).toEqual(settings);
  });

  it("makes an RSA key pair with a certificate for 35 years, and never shows the key", () => {
    const certificate = new X509Certificate(first.requestSigningCertificatePem);
    expect(certificate.publicKey.asymmetricKeyDetails?.modulusLength).toBe(2048);
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(certificate.subject).toBe("CN=https://idp.edge.test/saml/edghtsrt_1");
    const years = new Date(certificate.validTo).getUTCFullYear() - new Date().getUTCFullYear();
    expect(years).toBe(35);

    expect(JSON.stringify(first)).not.toContain("PRIVATE KEY");
    expect(JSON.stringify(saml.read(first, place()))).not.toContain(first.requestSigningKey);
    const key = place().context.keyring.open(
      first.requestSigningKey,
      "edghtsrt_1.saml.requestSigningKey",
    );
    const signature = createSign("sha256").update("x").sign(createPrivateKey(key));
    expect(certificate.publicKey.asymmetricKeyType).toBe("rsa");
    expect(certificate.checkPrivateKey(createPrivateKey(key))).toBe(true);
    expect(signature).toHaveLength(256);
  });

  it("keeps the key pair while the settings are replaced", async () => {
    const { stored } = saml.store({ ...settings, forceAuthn: true }, place(), first);
    expect(stored).toEqual({ ...first, forceAuthn: true });
    const other = await storeNew("edghtsrt_2");
    expect(other.requestSigningCertificatePem).not.toBe(first.requestSigningCertificatePem);
  });

  it("reads a stored document without looking at the XML again", () => {
    expect(saml.parse({ ...first, idpMetadata: "not XML" }).idpMetadata).toBe("not XML");
    expect(() => saml.parse({ ...first, requestSigningKey: undefined })).toThrow();
  });

  it("takes four name identifier formats", () => {
    for (const nameidFormat of [...SAML_NAMEID_FORMATS, "", null]) {
      expect(problems(rule, { idpMetadata: metadata(), nameidFormat })).toEqual({});
    }
    for (const nameidFormat of ["persistent", "urn:oasis:names:tc:SAML:2.0:nameid-format:entity"]) {
      expect(problems(rule, { idpMetadata: metadata(), nameidFormat })).toEqual({
        nameidFormat: expect.stringContaining("must be one of"),
      });
    }
  });

  it("takes metadata with other elements, prefixes and comments", () => {
    const good = [
      `<EntityDescriptor xmlns="${NAMESPACE}" entityID="a"><IDPSSODescriptor><SingleSignOnService Location="http://a/b"/></IDPSSODescriptor></EntityDescriptor>`,
      metadata(`<!-- x --><a xmlns="urn:other"><b/></a>${role(service("x:") + service())}`),
      `\uFEFF${metadata()}`,
      metadata(role(service("https://a.example/?a=1&amp;b=2"))),
    ];
    for (const xml of good) expect(problemOf(xml)).toBeUndefined();
  });

  it.each([
    ["no XML", "{}", /well-formed/],
    ["XML that is not closed", metadata().slice(0, -3), /well-formed.*line 2, column \d+/],
    ["an unknown prefix", metadata("<x:a/>"), /well-formed/],
    ["an unknown entity", metadata("&x;"), /well-formed/],
    ["a document type", `<!DOCTYPE a [<!ENTITY x "y">]>${metadata().slice(22)}`, /document type/],
    ["another root", `<a xmlns="${NAMESPACE}" entityID="a"/>`, /EntityDescriptor/],
    ["another namespace", metadata().replace(NAMESPACE, "urn:other"), /EntityDescriptor/],
    ["many entities", `<m:EntitiesDescriptor xmlns:m="${NAMESPACE}"/>`, /EntityDescriptor/],
    ["no entity id", metadata(undefined, ""), /entityID/],
    ["a blank entity id", metadata(undefined, 'entityID=" "'), /entityID/],
    ["a service provider only", metadata("<m:SPSSODescriptor/>"), /IDPSSODescriptor/],
    ["a role in another place", metadata(`<m:a>${role(service())}</m:a>`), /IDPSSODescriptor/],
    ["no service", metadata(role("")), /SingleSignOnService/],
    ["a service outside its role", metadata(role("") + service()), /SingleSignOnService/],
    ["a service that is no URL", metadata(role(service("/sso"))), /SingleSignOnService/],
    ["a service with a script", metadata(role(service("javascript:a"))), /SingleSignOnService/],
    ["too many levels", metadata("<a>".repeat(60) + "</a>".repeat(60)), /50 levels/],
    ["too many bytes", metadata(`${role(service())}<!--${"é".repeat(33_000)}-->`), /65536 bytes/],
    ["nothing", "", /must not be empty/],
    ["null", null, /must be a string/],
  ])("refuses %s", (_, xml, message) => {
    expect(problemOf(xml)).toMatch(message);
  });

  it("reports metadata beside other problems", () => {
    const given = { idpMetadata: "<", authorizedGroups: [""], cookiePrefix: "-", entityId: "x" };
    expect(Object.keys(problems(rule, given)).sort()).toEqual([
      "authorizedGroups.0",
      "cookiePrefix",
      "entityId",
      "idpMetadata",
    ]);
  });

  it("refuses the worst of 64 KiB", () => {
    const attributes = Array.from({ length: 8000 }, (_, index) => `a${index}=""`).join(" ");
    const prefixes = Array.from({ length: 2000 }, (_, index) => `xmlns:a${index}="urn:a${index}"`);
    expect(problemOf(metadata(`<a ${attributes}`.slice(0, 65_000)))).toBeDefined();
    expect(
      problemOf(metadata(`<a ${prefixes.join(" ")}>${"<a1000:b/>".repeat(500)}</a>`)),
    ).toBeDefined();
    expect(problemOf(metadata("<a>".repeat(21_000)))).toBeDefined();
    expect(problemOf("<!DOCTYPE a [".padEnd(65_000, "<!ENTITY a 'b'>"))).toBeDefined();
  });
});
