// @ts-check
/** @typedef {import("./client.mjs").Client} Client */
/** @typedef {import("./client.mjs").Fields} Fields */
import { KeyObject, webcrypto } from "node:crypto";
import {
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from "../../dist/domain/formats/x509.js";

const DAY_MS = 86_400_000;
const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

/**
 * With which browsers are served: one for all sites, and one that expires soon.
 * @param {Client} api
 */
export async function ensureTlsCertificates(api) {
  const ensure = async (
    /** @type {string} */ name,
    /** @type {string} */ description,
    /** @type {string[]} */ dnsNames,
    /** @type {number} */ days,
  ) =>
    api.ensure("/tls_certificates", "TLS_CERTIFICATE", name, {
      description,
      ...(await newPair(dnsNames, days)),
    });
  const sites = ["*.fjellmark.example", "fjellmark.example"];
  const wildcard = await ensure("wildcard", "All sites", sites, 365);
  await ensure("campaign", "Campaign of the autumn", ["autumn.fjellmark.example"], 20);
  return { wildcard: wildcard.id };
}

/**
 * The domains of the sites: two with the certificate for all of them, and one whose certificates are managed.
 * @param {Client} api
 * @param {{ wildcard: string }} certificates
 */
export async function ensureReservedDomains(api, { wildcard }) {
  const configuration = await api.ensure(
    "/endpoint_configurations",
    "ENDPOINT_CONFIGURATION",
    "sites",
    { description: "Browser traffic", type: "https", compression: {} },
  );
  const ensure = (/** @type {string} */ name, /** @type {Fields} */ domain) =>
    api.ensure("/reserved_domains", "RESERVED_DOMAIN", name, domain);
  await ensure("site", {
    description: "The company",
    domain: "fjellmark.example",
    certificate_id: wildcard,
    https_endpoint_configuration_id: configuration.id,
    error_redirect_url: "https://status.fjellmark.example/",
  });
  await ensure("sites", {
    description: "All other sites",
    domain: "*.fjellmark.example",
    certificate_id: wildcard,
    https_endpoint_configuration_id: configuration.id,
  });
  await ensure("legacy", {
    description: "The former name of the company",
    domain: "fjellmark-sport.example",
    region: "eu",
    certificate_management_policy: { private_key_type: "ecdsa" },
  });
}

/**
 * A fresh certificate, which nobody but itself has signed, and its key.
 * @param {string[]} dnsNames
 * @param {number} days
 */
async function newPair(dnsNames, days) {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: `CN=${dnsNames[0]}, O=Fjellmark, C=NO`,
    notBefore: new Date(Date.now() - DAY_MS),
    notAfter: new Date(Date.now() + days * DAY_MS),
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [new SubjectAlternativeNameExtension(dnsNames.map(dnsName))],
  });
  const key = KeyObject.from(keys.privateKey).export({ type: "pkcs8", format: "pem" });
  return { certificate_pem: certificate.toString("pem"), private_key_pem: String(key) };
}

/** @param {string} value */
function dnsName(value) {
  return { type: /** @type {const} */ ("dns"), value };
}
