import { listOf } from "./filter.js";

export const sshCertificateAuthorityList = listOf({
  table: "ssh_certificate_authorities",
  kinds: ["sshCertificateAuthority"],
});
