import { Prisma } from "../../../database/index.js";
import { domainOrWildcard } from "../../formats/networks.js";
import { NOT_AFTER } from "../orders.js";
import type { Condition } from "../sequences.js";
import { isFoundIn, listOf, member } from "./filter.js";
import { unused } from "./use.js";
import { expiringBefore } from "./validity.js";

export const tlsCertificateList = listOf({
  kinds: ["tlsCertificate"],
  orders: [NOT_AFTER],
  members: {
    /** Certificates that are valid for the name: it is among theirs, or the wildcard that covers it. */
    dnsName: member(domainOrWildcard, (name) => hasDnsName(coveringNames(name))),
    expiringBefore,
    unused: unused("tlsCertificate"),
  },
});

/** Certificates with one of `names`, whatever its case. Of more than 253 characters is none. */
export function hasDnsName(names: readonly string[]): Condition {
  return isFoundIn(
    "tls_certificates",
    Prisma.sql`dns_name_keys(found.dns_names) && dns_name_keys(${names}::text[])`,
  );
}

/** A wildcard stands for the first label alone (RFC 6125, section 6.4.3). */
function coveringNames(name: string): string[] {
  const dot = name.indexOf(".");
  return dot < 0 ? [name] : [name, `*${name.slice(dot)}`];
}
