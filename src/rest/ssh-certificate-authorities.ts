import { z } from "zod";
import { sshKeyType } from "../domain/core/enumerations.js";
import {
  createSshCertificateAuthority,
  deleteSshCertificateAuthority,
  getRevocationList,
  sshCertificateAuthorityInputs,
  updateSshCertificateAuthority,
} from "../domain/ssh-certificate-authorities.js";
import { row } from "./contract/answers.js";
import { collection, type Endpoint, idOf, timestamp } from "./contract/contract.js";

const path = "/ssh_certificate_authorities";

export const sshCertificateAuthorities: readonly Endpoint[] = [
  ...collection({
    kind: "sshCertificateAuthority",
    path,
    listKey: "ssh_certificate_authorities",
    answer: z.strictObject({
      ...row("sshCertificateAuthority"),
      public_key: z.string(),
      key_type: sshKeyType,
    }),
    example: { description: "Servers", privateKeyType: "ed25519" },
    inputs: sshCertificateAuthorityInputs,
    create: createSshCertificateAuthority,
    update: updateSshCertificateAuthority,
    remove: deleteSshCertificateAuthority,
    view: (authority, link) => ({
      id: authority.id,
      uri: link(`${path}/${authority.id}`),
      created_at: timestamp(authority.createdAt),
      description: authority.description,
      metadata: authority.metadata,
      public_key: authority.publicKey,
      key_type: authority.keyType,
    }),
  }),
  {
    method: "GET",
    path: `${path}/:id/revocation_list`,
    status: 200,
    operation: {
      id: "getSshCertificateAuthorityRevocationList",
      kind: "sshCertificateAuthority",
      summary:
        "Returns the key revocation list of an SSH certificate authority, as OpenSSH reads it: its deleted certificates that are still valid.",
      refusals: ["NOT_FOUND"],
    },
    answer: "application/octet-stream",
    handle: async (request) => {
      const list = await getRevocationList(request.context, idOf(request));
      const headers = { "Content-Type": "application/octet-stream" };
      return new Response(new Uint8Array(list), { headers });
    },
  },
];
