import { sshCredentialKeyType } from "../../core/enumerations.js";
import { ownerId } from "../../core/fields.js";
import { aclRule } from "../../formats/acl-rules.js";
import { equals, includes, listOf } from "./filter.js";

export const sshCredentialList = listOf({
  kinds: ["sshCredential"],
  members: {
    ownerId: equals("owner_id", ownerId),
    keyType: equals("key_type", sshCredentialKeyType),
    aclRule: includes("ssh_credentials", "acl", aclRule),
  },
});
