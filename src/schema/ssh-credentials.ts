import { MAX_LIST_ITEMS, MAX_OWNER_BYTES } from "../domain/core/fields.js";
import { ACL_RULE_MAX_BYTES } from "../domain/formats/acl-rules.js";
import { sshCredentialList } from "../domain/lists/filters/ssh-credentials.js";
import { RSA_MAX_BITS, RSA_MIN_BITS } from "../domain/ssh/key-formats.js";
import {
  createSshCredential,
  deleteSshCredential,
  type SshCredential,
  sshCredentialInputs,
  updateSshCredential,
} from "../domain/ssh-credentials.js";
import { builder, Node } from "./builder/builder.js";
import type { InputFields } from "./builder/inputs.js";
import { collection } from "./collection.js";

const SshCredentialKeyType = builder.enumType("SshCredentialKeyType", {
  description: "A kind of SSH key with which somebody logs in.",
  values: {
    ED25519: { value: "ed25519", description: "Ed25519." },
    RSA: { value: "rsa", description: "RSA." },
    ECDSA: { value: "ecdsa", description: "ECDSA on a NIST curve." },
    ED25519_SK: { value: "ed25519_sk", description: "Ed25519 in a hardware security key." },
    ECDSA_SK: {
      value: "ecdsa_sk",
      description: "ECDSA on the NIST curve P-256 in a hardware security key.",
    },
  } as const,
});

const SshCredentialType = builder.objectRef<SshCredential>("SshCredential").implement({
  description: "An SSH key with which somebody opens tunnels, and what they may bind.",
  interfaces: [Node],
  fields: (t) => ({
    publicKey: t.exposeString("publicKey", {
      description: "The public key in OpenSSH's authorized_keys format, as given.",
    }),
    keyType: t.expose("keyType", {
      type: SshCredentialKeyType,
      description: "The kind of `publicKey`.",
    }),
    acl: t.stringList({
      description:
        "The rules of what the holder may bind, such as `bind:*.example.com`, in the order given; empty means everything.",
      resolve: ({ acl }) => [...acl],
    }),
    ownerId: t.exposeString("ownerId", {
      description: "The owner of the credential, as given; empty when not set.",
    }),
  }),
});

const aclInput = (t: InputFields) => ({
  acl: t.stringList({
    description: `The rules of what the holder may bind, such as \`bind:example.com\`, \`bind:*.example.com\` or \`bind:1.tcp.example.com:20000\`: at most ${MAX_LIST_ITEMS}, of 1 to ${ACL_RULE_MAX_BYTES} bytes each without control characters. Their order is kept, and their meaning is not checked. The default, an empty list, means everything.`,
  }),
});

collection({
  kind: "sshCredential",
  plural: "sshCredentials",
  type: SshCredentialType,
  list: sshCredentialList,
  filter: (t) => ({
    ownerId: t.string({
      description: `Only those with exactly this owner: at most ${MAX_OWNER_BYTES} bytes, case-sensitive.`,
    }),
    keyType: t.field({
      type: SshCredentialKeyType,
      description: "Only those with a key of this kind.",
    }),
    aclRule: t.string({
      description: `Only those whose \`acl\` has exactly this rule, such as \`bind:*.example.com\`: 1 to ${ACL_RULE_MAX_BYTES} bytes, case-sensitive.`,
    }),
  }),
  create: {
    rule: sshCredentialInputs.create,
    inputNote: "The key and the owner cannot be changed later.",
    fields: (t) => ({
      publicKey: t.string({
        required: true,
        description: `The public key: one line \`type base64 [comment]\` of at most 16 KiB. Ed25519, ECDSA on a NIST curve, RSA of ${RSA_MIN_BITS} to ${RSA_MAX_BITS} bits, or Ed25519 or ECDSA of a hardware security key.`,
      }),
      ...aclInput(t),
      ownerId: t.string({
        description: `The owner of the credential, any text; at most ${MAX_OWNER_BYTES} bytes of UTF-8, empty by default.`,
      }),
    }),
    run: createSshCredential,
  },
  update: {
    rule: sshCredentialInputs.update,
    inputNote: "The key and the owner cannot be changed.",
    fields: aclInput,
    run: updateSshCredential,
  },
  remove: { run: deleteSshCredential },
});
