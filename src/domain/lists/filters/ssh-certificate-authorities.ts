import { listOf } from "./filter.js";

export const sshCertificateAuthorityList = listOf({
  kinds: ["sshCertificateAuthority"],
});
