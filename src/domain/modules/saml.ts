import { z } from "zod";
import { list, requiredText, withDefault } from "../core/fields.js";
import { samlMetadataProblem } from "../formats/saml-metadata.js";
import { enabled } from "./enabled.js";
import { type DocumentModule, type Place, type StoringPlace, sealSecret } from "./module.js";
import { sessionFields, storedSessionFields } from "./session.js";
import { signingPairFor } from "./signing-pairs.js";

export const MAX_IDP_METADATA_BYTES = 65_536;
export const MAX_GROUP_BYTES = 255;
const SIGNING_KEY = "saml.requestSigningKey";

export const SAML_NAMEID_FORMATS = [
  "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent",
  "urn:oasis:names:tc:SAML:2.0:nameid-format:transient",
  "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress",
  "urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified",
] as const;

const rule = z.strictObject({
  enabled,
  ...sessionFields,
  idpMetadata: requiredText(MAX_IDP_METADATA_BYTES).superRefine((xml, ctx) => {
    if (Buffer.byteLength(xml) > MAX_IDP_METADATA_BYTES || xml === "") return;
    const problem = samlMetadataProblem(xml);
    if (problem) ctx.addIssue(problem);
  }),
  forceAuthn: withDefault(z.boolean(), false),
  allowIdpInitiated: withDefault(z.boolean(), true),
  authorizedGroups: withDefault(list(requiredText(MAX_GROUP_BYTES)), []),
  nameidFormat: withDefault(z.enum(SAML_NAMEID_FORMATS), SAML_NAMEID_FORMATS[0]),
});

export type SamlSettings = z.output<typeof rule>;

const document = z.object({
  enabled: z.boolean(),
  ...storedSessionFields,
  idpMetadata: z.string(),
  forceAuthn: z.boolean(),
  allowIdpInitiated: z.boolean(),
  authorizedGroups: z.array(z.string()),
  nameidFormat: z.enum(SAML_NAMEID_FORMATS),
  requestSigningCertificatePem: z.string(),
  /** PKCS #8 in PEM, sealed. Never shown. */
  requestSigningKey: z.string(),
});

export type StoredSaml = z.output<typeof document>;

/** The view of a route: the settings, and the values of the route that the identity provider needs. */
export interface Saml extends SamlSettings {
  readonly entityId: string;
  readonly assertionConsumerServiceUrl: string;
  readonly singleLogoutUrl: string;
  readonly requestSigningCertificatePem: string;
  readonly metadataUrl: string;
}

/**
 * Allows only users who log in with a SAML identity provider (specification, EndpointSAML). `idpMetadata` is required,
 * at most 64 KiB of XML; group names have at most 255 bytes; durations are seconds. The key pair that signs requests is
 * RSA with 2048 bits, made when the module is first set on a route and kept while it is replaced; its private half is
 * sealed and never shown.
 */
export const saml: DocumentModule<SamlSettings, StoredSaml, Saml> = {
  rule,
  store(settings, place, previous) {
    const pair = previous ? signingPairOf(previous) : newSigningPair(place);
    return {
      stored: { ...settings, ...pair },
      value: shown(settings, pair.requestSigningCertificatePem, place),
    };
  },
  parse: (column) => document.parse(column),
  read: ({ requestSigningCertificatePem, requestSigningKey: _, ...settings }, place) =>
    shown(settings, requestSigningCertificatePem, place),
  sealed: [["requestSigningKey"]],
};

function shown(settings: SamlSettings, requestSigningCertificatePem: string, place: Place): Saml {
  const entityId = entityIdOf(place);
  return {
    ...settings,
    entityId,
    assertionConsumerServiceUrl: `${entityId}/acs`,
    singleLogoutUrl: `${entityId}/slo`,
    requestSigningCertificatePem,
    metadataUrl: entityId,
  };
}

function entityIdOf({ context, ownerId }: Place): string {
  return `https://idp.${context.settings.baseDomain}/saml/${ownerId}`;
}

type SigningPair = Pick<StoredSaml, "requestSigningCertificatePem" | "requestSigningKey">;

function signingPairOf({
  requestSigningCertificatePem,
  requestSigningKey,
}: StoredSaml): SigningPair {
  return { requestSigningCertificatePem, requestSigningKey };
}

/** Empty until the pair is made, and in a dry run. */
function newSigningPair(place: StoringPlace): SigningPair {
  const pair = signingPairFor(place.context.signingPairs, entityIdOf(place));
  return {
    requestSigningCertificatePem: pair?.certificatePem ?? "",
    requestSigningKey: sealSecret(place, SIGNING_KEY, pair?.privateKeyPem ?? ""),
  };
}
