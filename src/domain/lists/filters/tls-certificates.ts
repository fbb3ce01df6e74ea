import { Prisma } from "../../../database/index.js";
import { domainOrWildcard } from "../../formats/networks.js";
import { NOT_AFTER } from "../orders.js";
import { isFoundIn, listOf, member } from "./filter.js";
import { unused } from "./use.js";
import { expiringBefore } from "./validity.js";

export const tlsCertificateList = listOf({
  kinds: ["tlsCertificate"],
  orders: [NOT_AFTER],
  members: {
    /** Certificates that are valid for the name: it is among theirs, or the wildcard that covers it. */
    dnsName: member(domainOrWildcard, (name) =>
      isFoundIn(
        "tls_certificates",
        Prisma.sql`dns_name_keys(found.dns_names) && dns_name_keys(${coveringNames(name)}::text[])`,
      ),
    ),
    expiringBefore,
    unused: unused("tlsCertificate"),
  },
});

/** A wildcard stands for the first label alone (RFC 6125, section 6.4.3). */
function coveringNames(name: string): string[] {
  const dot = name.indexOf(".");
  return dot < 0 ? [name] : [name, `*${name.slice(dot)}`];
}
