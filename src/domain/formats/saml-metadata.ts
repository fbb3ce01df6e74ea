import { type SaxesAttributeNS, SaxesParser, type SaxesTagNS } from "saxes";

const NAMESPACE = "urn:oasis:names:tc:SAML:2.0:metadata";
/** Real metadata has about ten levels. */
const MAX_DEPTH = 50;
const MAX_ENTITY_ID_LENGTH = 1024;

/** What keeps `xml` from being SAML metadata, as it continues the sentence "`idpMetadata` ...". */
class MetadataProblem extends Error {}

/**
 * The reason why `xml` is not the metadata of an identity provider, or null. It must be well-formed XML without a
 * document type, with an EntityDescriptor as its root that has an `entityID` and an IDPSSODescriptor with at least one
 * SingleSignOnService that has a URL as its `Location` (SAML 2.0 Metadata, sections 2.3.2 and 2.4.3). Signatures are
 * not checked.
 */
export function samlMetadataProblem(xml: string): string | null {
  try {
    readMetadata(xml);
    return null;
  } catch (error) {
    if (error instanceof MetadataProblem) return error.message;
    throw error;
  }
}

function readMetadata(xml: string): void {
  const parser = new SaxesParser({ xmlns: true });
  const path: SaxesTagNS[] = [];
  let hasIdentityProvider = false;
  let hasService = false;
  parser.on("error", () => {
    throw new MetadataProblem(
      `must be well-formed XML; the error is at line ${parser.line}, column ${parser.column}`,
    );
  });
  parser.on("doctype", () => {
    throw new MetadataProblem("must not have a document type declaration");
  });
  parser.on("opentag", (tag) => {
    path.push(tag);
    if (path.length > MAX_DEPTH) {
      throw new MetadataProblem(`must have at most ${MAX_DEPTH} levels of elements`);
    }
    if (path.length === 1) checkRoot(tag);
    hasIdentityProvider ||= path.length === 2 && isMetadata(tag, "IDPSSODescriptor");
    hasService ||= isService(path);
  });
  parser.on("closetag", () => path.pop());
  parser.write(xml).close();
  if (!hasIdentityProvider) throw new MetadataProblem("must have an IDPSSODescriptor");
  if (!hasService) {
    throw new MetadataProblem(
      "must have a SingleSignOnService with an http or https URL as its Location",
    );
  }
}

function checkRoot(root: SaxesTagNS): void {
  if (!isMetadata(root, "EntityDescriptor")) {
    throw new MetadataProblem(
      `must have an EntityDescriptor of the namespace ${NAMESPACE} as its root`,
    );
  }
  const entityId = attribute(root, "entityID");
  if (entityId.trim() === "" || entityId.length > MAX_ENTITY_ID_LENGTH) {
    throw new MetadataProblem(
      `must have an EntityDescriptor with an entityID of 1 to ${MAX_ENTITY_ID_LENGTH} characters`,
    );
  }
}

function isService([, role, service, ...deeper]: readonly SaxesTagNS[]): boolean {
  if (!role || !service || deeper.length > 0) return false;
  if (!isMetadata(role, "IDPSSODescriptor") || !isMetadata(service, "SingleSignOnService")) {
    return false;
  }
  const location = attribute(service, "Location").trim();
  return /^https?:\/\//i.test(location) && URL.canParse(location);
}

function isMetadata(tag: SaxesTagNS, name: string): boolean {
  return tag.uri === NAMESPACE && tag.local === name;
}

function attribute(tag: SaxesTagNS, name: string): string {
  const found: SaxesAttributeNS | undefined = Object.hasOwn(tag.attributes, name)
    ? tag.attributes[name]
    : undefined;
  return found?.value ?? "";
}
