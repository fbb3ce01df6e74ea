import { REFERENCES } from "../../storage/graph.js";
import { certificateList } from "./ssh-certificates.js";

export const sshUserCertificateList = certificateList(
  "sshUserCertificate",
  "ssh_user_certificates",
);

export const userCertificatesOfSshAuthorityList = {
  sequence: sshUserCertificateList,
  reference: REFERENCES.authorityOfUserCertificate,
};
