import { z } from "zod";
import {
  createSshCredential,
  deleteSshCredential,
  sshCredentialInputs,
  updateSshCredential,
} from "../domain/ssh-credentials.js";
import { row } from "./contract/answers.js";
import { collection, timestamp } from "./contract/contract.js";
import { EXAMPLE_PUBLIC_KEY } from "./contract/examples.js";
import { ignored } from "./contract/tolerances.js";

export const sshCredentials = collection({
  kind: "sshCredential",
  path: "/ssh_credentials",
  listKey: "ssh_credentials",
  answer: z.strictObject({
    ...row("sshCredential"),
    public_key: z.string(),
    acl: z.array(z.string()),
    owner_id: z.string(),
  }),
  example: { publicKey: EXAMPLE_PUBLIC_KEY, acl: ["bind:*.example.com"] },
  inputs: sshCredentialInputs,
  tolerates: { create: [ignored("ownerEmail")], update: [ignored("ownerEmail")] },
  create: createSshCredential,
  update: updateSshCredential,
  remove: deleteSshCredential,
  view: (credential, link) => ({
    id: credential.id,
    uri: link(`/ssh_credentials/${credential.id}`),
    created_at: timestamp(credential.createdAt),
    description: credential.description,
    metadata: credential.metadata,
    public_key: credential.publicKey,
    acl: credential.acl,
    owner_id: credential.ownerId,
  }),
});
