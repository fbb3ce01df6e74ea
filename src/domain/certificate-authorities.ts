import { z } from "zod";
import { created } from "./changes/log.js";
import { inTransaction } from "./changes/transactions.js";
import type { Context } from "./core/context.js";
import { invalidRequest } from "./core/errors.js";
import { texts } from "./core/fields.js";
import {
  certificateAuthorityPem,
  readCertificateAuthorityPem,
} from "./formats/authority-certificates.js";
import type { Resources } from "./reads/tables.js";
import { changeResource, deleteResource } from "./single-row-resources.js";
import { refuseWhileInUse } from "./storage/reference-checks.js";
import { changedTexts, createdTexts, ID_ALONE, newRow } from "./storage/rows.js";

/** An authority whose client certificates mutual TLS accepts. Only its description and metadata can change. */
export type CertificateAuthority = Resources["certificateAuthority"];

export const certificateAuthorityInputs = {
  create: z.strictObject({ ...texts, caPem: certificateAuthorityPem }),
  update: z.strictObject(texts),
};

export function createCertificateAuthority(
  context: Context,
  input: z.output<typeof certificateAuthorityInputs.create>,
): Promise<CertificateAuthority> {
  const { caPem } = input;
  const facts = readCertificateAuthorityPem(caPem);
  if ("problem" in facts) throw invalidRequest([{ path: ["caPem"], message: facts.problem }]);
  return inTransaction(context, async (context) => {
    const authority = {
      ...newRow("certificateAuthority"),
      ...createdTexts(input),
      caPem,
      ...facts,
    };
    await context.db.certificateAuthority.create({ data: authority, select: ID_ALONE });
    return created(context, "certificateAuthority", authority);
  });
}

/** Absent leaves a field as it is, null clears it. Throws NOT_FOUND. */
export function updateCertificateAuthority(
  context: Context,
  id: string,
  input: z.output<typeof certificateAuthorityInputs.update>,
): Promise<CertificateAuthority> {
  return changeResource(context, "certificateAuthority", id, changedTexts(input), ({ db }, data) =>
    db.certificateAuthority.update({ where: { id }, data, select: ID_ALONE }),
  );
}

/** Throws NOT_FOUND, and IN_USE while a mutual TLS module uses it. */
export function deleteCertificateAuthority(context: Context, id: string): Promise<void> {
  return deleteResource(context, "certificateAuthority", id, async (context) => {
    await refuseWhileInUse(context, "certificateAuthority", id);
    await context.db.certificateAuthority.delete({ where: { id } });
  });
}
