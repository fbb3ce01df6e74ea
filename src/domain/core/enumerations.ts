import { z } from "zod";

// The enumerations of the columns, with the values of the specification.

export const matchType = z.enum(["exact_path", "path_prefix"]);
export const ipPolicyRuleAction = z.enum(["allow", "deny"]);
/** What an IP restriction restricts. */
export const ipRestrictionType = z.enum(["api", "agent", "dashboard", "endpoints"]);
export const apiKeyScope = z.enum(["read", "write"]);
export const endpointConfigurationType = z.enum(["http", "https", "tcp"]);
export const sshKeyType = z.enum(["rsa", "ecdsa", "ed25519"]);
/** Also those of hardware security keys. */
export const sshCredentialKeyType = z.enum([...sshKeyType.options, "ecdsa_sk", "ed25519_sk"]);
/** Of the keys of TLS certificates. */
export const privateKeyType = z.enum(["rsa", "ecdsa", "ed25519"]);
/** Of datacenters (specification, section 2.3). */
export const region = z.enum(["au", "eu", "ap", "us", "jp", "in", "sa"]);
export const backendKind = z.enum([
  "failover",
  "http_response",
  "static",
  "tunnel_group",
  "weighted",
]);

export type EndpointConfigurationType = z.output<typeof endpointConfigurationType>;
export type PrivateKeyType = z.output<typeof privateKeyType>;
export type Region = z.output<typeof region>;
export type BackendKind = z.output<typeof backendKind>;
