import { Alert, Button, Code, Group, List, Text } from "@mantine/core";
import { Download, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { Section } from "../components/section.js";
import { ValiditySection } from "../details/validity-extras.js";
import type {
  SshHostCertificatePartsFragment,
  SshKeyType,
  SshUserCertificatePartsFragment,
} from "../generated/operations.js";
import { Commands } from "./commands.js";

/** What ssh-keygen calls the file of a key. */
const KEY_FILES: Readonly<Record<SshKeyType, string>> = {
  ED25519: "ed25519",
  ECDSA: "ecdsa",
  RSA: "rsa",
};

interface UserCertificateExtrasProps {
  readonly item: SshUserCertificatePartsFragment;
}

/** An SSH user certificate as a file, and how somebody logs in with it. */
export function UserCertificateExtras({ item }: UserCertificateExtrasProps) {
  const key = `id_${KEY_FILES[item.keyType]}`;
  const user = item.principals[0] ?? "user";
  return (
    <>
      <Warnings texts={item.warnings} />
      <ValiditySection from={item.validAfter} until={item.validUntil} />
      <CertificateSection certificate={item.certificate} file={`${key}-cert.pub`}>
        <Commands
          text={`mv ~/Downloads/${key}-cert.pub ~/.ssh/\nssh-keygen -L -f ~/.ssh/${key}-cert.pub\nssh -i ~/.ssh/${key} ${user}@host.example.com`}
          label="Copy the commands for the certificate"
        >
          Put it beside the private key, here <Code>~/.ssh/{key}</Code>: ssh takes both together.
          Whoever logs in needs that key and a server that trusts the authority.
        </Commands>
      </CertificateSection>
    </>
  );
}

interface HostCertificateExtrasProps {
  readonly item: SshHostCertificatePartsFragment;
}

/** An SSH host certificate as a file, and how a host shows it. */
export function HostCertificateExtras({ item }: HostCertificateExtrasProps) {
  const file = `ssh_host_${KEY_FILES[item.keyType]}_key-cert.pub`;
  return (
    <>
      <Warnings texts={item.warnings} />
      <ValiditySection from={item.validAfter} until={item.validUntil} />
      <CertificateSection certificate={item.certificate} file={file}>
        <Commands text={`HostCertificate /etc/ssh/${file}`} label="Copy the line for sshd_config">
          Put it into <Code>/etc/ssh</Code> of the host, beside the key that it is for, and name it
          in <Code>sshd_config</Code>, which sshd reads when it is reloaded:
        </Commands>
      </CertificateSection>
    </>
  );
}

function Warnings({ texts }: { readonly texts: readonly string[] }) {
  if (texts.length === 0) return null;
  return (
    <Alert color="yellow" icon={<TriangleAlert aria-hidden />} title="Before you use it">
      <List size="sm" listStyleType={texts.length === 1 ? "none" : "disc"}>
        {texts.map((text) => (
          <List.Item key={text}>{text}</List.Item>
        ))}
      </List>
    </Alert>
  );
}

interface CertificateSectionProps {
  readonly certificate: string;
  /** The name of the file. */
  readonly file: string;
  readonly children: ReactNode;
}

function CertificateSection({ certificate, file, children }: CertificateSectionProps) {
  const text = `${certificate}\n`;
  return (
    <Section
      title="Certificate"
      actions={
        <Group>
          <Button
            component="a"
            href={`data:application/octet-stream,${encodeURIComponent(text)}`}
            download={file}
            leftSection={<Download size={16} aria-hidden />}
          >
            Download {file}
          </Button>
        </Group>
      }
    >
      <Commands text={text} label="Copy the certificate">
        <Text size="sm">This is the file {file}. It is no secret.</Text>
      </Commands>
      {children}
    </Section>
  );
}
