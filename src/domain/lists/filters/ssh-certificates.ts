import { Prisma } from "../../../database/index.js";
import { sshKeyType } from "../../core/enumerations.js";
import { reference, requiredText, timestamp } from "../../core/fields.js";
import { PRINCIPAL_MAX_BYTES } from "../../ssh/rules.js";
import { VALID_UNTIL } from "../orders.js";
import { equals, includes, listOf, member, now } from "./filter.js";

/** The list of SSH certificates of one kind. */
export function certificateList<Kind extends "sshHostCertificate" | "sshUserCertificate">(
  kind: Kind,
  table: "ssh_host_certificates" | "ssh_user_certificates",
) {
  return listOf({
    kinds: [kind],
    orders: [VALID_UNTIL],
    members: {
      sshCertificateAuthorityId: equals(
        "ssh_certificate_authority_id",
        reference("sshCertificateAuthority"),
      ),
      principal: includes(table, "principals", requiredText(PRINCIPAL_MAX_BYTES)),
      keyType: equals("key_type", sshKeyType),
      validAt: member(
        timestamp,
        (
          time,
        ) => Prisma.sql`tstzrange(item.valid_after, greatest(item.valid_after, item.valid_until))
          @> ${time}::timestamptz`,
      ),
      /** Without those that have expired: their first second after the validity is not in the future. */
      expiringBefore: member(
        timestamp,
        (time) => Prisma.sql`item.valid_until > ${now} AND item.valid_until < ${time}`,
      ),
    },
  });
}
