import { REFERENCES } from "../../storage/graph.js";
import { certificateList } from "./ssh-certificates.js";

export const sshHostCertificateList = certificateList(
  "sshHostCertificate",
  "ssh_host_certificates",
);

export const hostCertificatesOfSshAuthorityList = {
  sequence: sshHostCertificateList,
  reference: REFERENCES.authorityOfHostCertificate,
};
