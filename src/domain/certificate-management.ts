import { Prisma } from "../database/index.js";
import type { CertificateManagementPolicy } from "./formats/certificate-management.js";

/** The column of a resource with a domain that has its policy; none for a policy that does not change. */
export function certificateManagementColumn(
  policy: CertificateManagementPolicy | null | undefined,
) {
  return policy === undefined ? {} : { certificateManagementPolicy: policy ?? Prisma.DbNull };
}
