import { z } from "zod";
import { created } from "./changes/log.js";
import { inTransaction } from "./changes/transactions.js";
import type { Context } from "./core/context.js";
import { list, ownerId, texts } from "./core/fields.js";
import { aclRule } from "./formats/acl-rules.js";
import type { Resources } from "./reads/tables.js";
import { changeResource, deleteResource } from "./single-row-resources.js";
import { publicKeyReadBy } from "./ssh/inputs.js";
import { parseLoginKey } from "./ssh/public-keys.js";
import { changedTexts, createdTexts, ID_ALONE, newRow } from "./storage/rows.js";

/** A public key with which somebody opens tunnels over SSH, and what they may bind. */
export type SshCredential = Resources["sshCredential"];

const acl = list(aclRule).nullish();

export const sshCredentialInputs = {
  create: z.strictObject({
    ...texts,
    publicKey: publicKeyReadBy(parseLoginKey),
    acl,
    ownerId: ownerId.nullish(),
  }),
  update: z.strictObject({ ...texts, acl }),
};

/** Stores a credential (wire facts, SSHCredentials). The key is kept as given, with its comment; no rules by default. */
export function createSshCredential(
  context: Context,
  input: z.output<typeof sshCredentialInputs.create>,
): Promise<SshCredential> {
  return inTransaction(context, async (context) => {
    const { publicKey, acl, ownerId } = input;
    const credential = {
      ...newRow("sshCredential"),
      ...createdTexts(input),
      publicKey,
      keyType: parseLoginKey(publicKey).keyType,
      acl: acl ?? [],
      ownerId: ownerId ?? "",
    };
    await context.db.sshCredential.create({ data: credential, select: ID_ALONE });
    return created(context, "sshCredential", credential);
  });
}

/** Absent leaves a field as it is, null clears it; a list that is given replaces the old one. Throws NOT_FOUND. */
export function updateSshCredential(
  context: Context,
  id: string,
  input: z.output<typeof sshCredentialInputs.update>,
): Promise<SshCredential> {
  const wanted = { ...changedTexts(input), acl: input.acl === null ? [] : input.acl };
  return changeResource(context, "sshCredential", id, wanted, ({ db }, data) =>
    db.sshCredential.update({ where: { id }, data, select: ID_ALONE }),
  );
}

/** Throws NOT_FOUND. */
export function deleteSshCredential(context: Context, id: string): Promise<void> {
  return deleteResource(context, "sshCredential", id, ({ db }) =>
    db.sshCredential.delete({ where: { id } }),
  );
}
