import type { KeyObject } from "node:crypto";
import { z } from "zod";
import { created } from "./changes/log.js";
import { inTransaction, requireWrite } from "./changes/transactions.js";
import type { Context } from "./core/context.js";
import { invalidRequest } from "./core/errors.js";
import { ALWAYS, texts } from "./core/fields.js";
import { privateKeyPem, readPrivateKey } from "./formats/private-keys.js";
import {
  type CertificateChain,
  certificateChainPem,
  failedProofOf,
  misfitOf,
  readCertificateChain,
} from "./formats/server-certificates.js";
import type { Resources } from "./reads/tables.js";
import { changeResource, deleteResource } from "./single-row-resources.js";
import { refuseWhileInUse } from "./storage/reference-checks.js";
import { changedTexts, createdTexts, ID_ALONE, newRow } from "./storage/rows.js";

/**
 * A certificate with which TLS is terminated, its chain and its private key, which is sealed and never shown. Only its
 * description and metadata can change.
 */
export type TlsCertificate = Resources["tlsCertificate"];

const pair = z.object({ certificatePem: certificateChainPem, privateKeyPem });

export const tlsCertificateInputs = {
  create: z.strictObject({ ...texts, ...pair.shape }).superRefine((input, ctx) => {
    const given = pair.safeParse(input);
    const { misfit } = given.success ? readPair(given.data) : { misfit: null };
    if (misfit) ctx.addIssue({ code: "custom", message: misfit, path: ["privateKeyPem"] });
  }, ALWAYS),
  update: z.strictObject(texts),
};

/** Throws INVALID_REQUEST when the key is not that of the first certificate, as a signature proves. */
export async function createTlsCertificate(
  context: Context,
  input: z.output<typeof tlsCertificateInputs.create>,
): Promise<TlsCertificate> {
  requireWrite(context);
  const { chain, key, misfit } = readPair(input);
  const problem = misfit ?? (await failedProofOf(chain, key));
  if (problem) throw invalidRequest([{ path: ["privateKeyPem"], message: problem }]);
  const row = newRow("tlsCertificate");
  const pkcs8 = key.export({ type: "pkcs8", format: "pem" }).toString();
  const sealedPrivateKey = context.keyring.seal(pkcs8, sealPurpose(row.id));
  const { certificatePem } = input;
  const { subjectAlternativeNames, ...facts } = chain.facts;
  const stored = { ...row, ...createdTexts(input), certificatePem, ...facts };
  return inTransaction(context, async (context) => {
    const { dnsNames, ips } = subjectAlternativeNames;
    const data = { ...stored, dnsNames: [...dnsNames], ips: [...ips], sealedPrivateKey };
    await context.db.tlsCertificate.create({ data, select: ID_ALONE });
    return created(context, "tlsCertificate", {
      ...stored,
      subjectAlternativeNames,
      issuedAt: null,
    });
  });
}

/** Absent leaves a field as it is, null clears it. Throws NOT_FOUND. */
export function updateTlsCertificate(
  context: Context,
  id: string,
  input: z.output<typeof tlsCertificateInputs.update>,
): Promise<TlsCertificate> {
  return changeResource(context, "tlsCertificate", id, changedTexts(input), ({ db }, data) =>
    db.tlsCertificate.update({ where: { id }, data, select: ID_ALONE }),
  );
}

/** Deletes its private key with it. Throws NOT_FOUND, and IN_USE while a reserved domain has it. */
export function deleteTlsCertificate(context: Context, id: string): Promise<void> {
  return deleteResource(context, "tlsCertificate", id, async (context) => {
    await refuseWhileInUse(context, "tlsCertificate", id);
    await context.db.tlsCertificate.delete({ where: { id } });
  });
}

interface Pair {
  readonly chain: CertificateChain;
  readonly key: KeyObject;
  /** Why the key is not that of the first certificate; null when it seems to be. */
  readonly misfit: string | null;
}

/** Throws INVALID_REQUEST for what the rule refuses. */
function readPair({ certificatePem, privateKeyPem }: z.output<typeof pair>): Pair {
  const [chain, reading] = [readCertificateChain(certificatePem), readPrivateKey(privateKeyPem)];
  if ("problem" in chain) {
    throw invalidRequest([{ path: ["certificatePem"], message: chain.problem }]);
  }
  if ("problem" in reading) {
    throw invalidRequest([{ path: ["privateKeyPem"], message: reading.problem }]);
  }
  return { chain, key: reading.key, misfit: misfitOf(chain, reading.key) };
}

/** Binds the sealed key to its certificate. */
function sealPurpose(id: string): string {
  return `${id}.privateKey`;
}
