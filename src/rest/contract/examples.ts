import { RESOURCES, type ResourceKind } from "../../domain/core/ids.js";

// The values that stand in the examples of the OpenAPI document.

export const EXAMPLE_TIME = "2026-03-01T09:30:00Z";

const KSUID = "3AFnHp9kQ2VtXw7LzRbYcM5sJdE";

/** The id of a resource of `kind`, the same in all examples. */
export function exampleId(kind: ResourceKind): string {
  return `${RESOURCES[kind].prefix}_${KSUID}`;
}

/** A key that certificates are made for. */
export const EXAMPLE_PUBLIC_KEY =
  "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILM+rvN+ot98qgEN796jTiQfZfG1KaT0PtFDJ/XFSqti user@host";

/** Of a certificate authority. */
export const EXAMPLE_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBsDCCAVWgAwIBAgIQJbQ4UQUMDH42r5EUYEaMQjAKBggqhkjOPQQDAjA6MRIw
EAYDVQQKEwlGamVsbG1hcmsxJDAiBgNVBAMTG0ZqZWxsbWFyayB3YXJlaG91c2Ug
ZGV2aWNlczAgFw0yNTAxMDEwMDAwMDBaGA8yMTI1MDEwMTAwMDAwMFowOjESMBAG
A1UEChMJRmplbGxtYXJrMSQwIgYDVQQDExtGamVsbG1hcmsgd2FyZWhvdXNlIGRl
dmljZXMwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQECWsWtPJOIGYschwTbrpx
tTBcO1DdtTaU0Jm+vQjXt+Zhvw4Flkq8ge70cYN4/nM7pNCl+Tv5aZMJ/8tOFR64
ozswOTASBgNVHRMBAf8ECDAGAQH/AgEAMA4GA1UdDwEB/wQEAwIBBjATBgNVHSUE
DDAKBggrBgEFBQcDAjAKBggqhkjOPQQDAgNJADBGAiEA6B8Aex4a3saem1eg128S
NqbR6xIRkiAMb0VhyzXL6DkCIQC6bm42K269kc2nXpKGSzDgANDHInZtY+9qIR2H
pmdXlw==
-----END CERTIFICATE-----
`;
