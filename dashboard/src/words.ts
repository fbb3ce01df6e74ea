// Names of the schema as people write them.

const SPELLINGS: Readonly<Record<string, string>> = Object.fromEntries(
  [
    [
      "ACL",
      "API",
      "CA",
      "CIDR",
      "DNS",
      "ECDSA",
      "HTTP",
      "HTTPS",
      "ID",
      "IDs",
      "IP",
      "IdP",
      "OAuth",
      "OIDC",
    ],
    ["PEM", "RSA", "SAML", "SSH", "TCP", "TLS", "URL", "WebSocket", "GitHub", "GitLab", "LinkedIn"],
    ["Ed25519", "DNS", "SK", "ID", "IPs"],
    // Regions.
    ["AP", "AU", "EU", "IN", "JP", "SA", "US"],
  ]
    .flat()
    .map((word) => [word.toLowerCase(), word]),
);
const REPLACED: Readonly<Record<string, string>> = {
  addr: "address",
  addrs: "addresses",
  authn: "authentication",
  letsencrypt: "Let's Encrypt",
  min: "minimum",
  num: "number of",
};

/** `errorThresholdPercentage` and `EXACT_PATH` as words: "Error threshold percentage", "Exact path". */
export function words(name: string): string {
  const parts = name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .split("_")
    .map((part) => part.toLowerCase())
    .map((part) => SPELLINGS[part] ?? REPLACED[part] ?? part.replace(/^tls(\d)/, "TLS $1"));
  return capitalized(parts.join(" ").replace(/^TLS (\d) (\d)$/, "TLS $1.$2"));
}

export function capitalized(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** The first of the texts that says something; "" when none does. */
export function firstText(...texts: readonly (string | null | undefined)[]): string {
  return texts.find((text) => text?.trim()) ?? "";
}

/** "1 route", "2 routes". */
export function counted(count: number, singular: string, plural = `${singular}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? singular : plural}`;
}
