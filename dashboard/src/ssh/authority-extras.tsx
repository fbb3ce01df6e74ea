import { Anchor, Button, Code, Loader, SimpleGrid, Text } from "@mantine/core";
import { Plus } from "lucide-react";
import { Link } from "react-router";
import { useLiveQuery } from "../api/live.js";
import { placeOf } from "../api/places.js";
import { problemOf } from "../api/problems.js";
import { ProblemAlert } from "../components/problem-alert.js";
import { Section } from "../components/section.js";
import {
  CertificatesOfSshAuthorityDocument,
  type SshCertificateAuthorityPartsFragment,
} from "../generated/operations.js";
import { ResourceTable } from "../lists/resource-table.js";
import type { Resource, Row } from "../resources/resource.js";
import { sshHostCertificates, sshUserCertificates } from "../resources/ssh.js";
import { useSession } from "../session/session.js";
import { capitalized } from "../words.js";
import { Commands } from "./commands.js";

/** The others are in the list of all. */
const NEWEST = 5;

interface AuthorityExtrasProps {
  readonly item: SshCertificateAuthorityPartsFragment;
}

/** What servers and clients need to trust an SSH certificate authority, and what it signed. */
export function AuthorityExtras({ item: { id, publicKey } }: AuthorityExtrasProps) {
  const { data, error } = useLiveQuery({
    query: CertificatesOfSshAuthorityDocument,
    variables: { id, first: NEWEST },
  });
  const authority = data?.sshCertificateAuthority;
  return (
    <>
      {error && <ProblemAlert problem={problemOf(error)} title="The certificates were refused" />}
      {!authority && !error && <Loader aria-label="Reading" />}
      {authority && (
        <>
          <Signed resource={sshUserCertificates} authorityId={id} {...authority.userCertificates} />
          <Signed resource={sshHostCertificates} authorityId={id} {...authority.hostCertificates} />
        </>
      )}
      <Trust publicKey={publicKey} />
      <Revocation authorityId={id} />
    </>
  );
}

interface SignedProps<Item extends Row> {
  readonly resource: Resource<Item>;
  readonly authorityId: string;
  readonly totalCount: number;
  readonly nodes: readonly Item[];
}

function Signed<Item extends Row>({ resource, authorityId, totalCount, nodes }: SignedProps<Item>) {
  const { canWrite } = useSession();
  const { path, singular, plural } = resource.kind;
  const of = `sshCertificateAuthorityId=${authorityId}`;
  const short = singular.replace(/^SSH /, "");
  return (
    <Section
      title={capitalized(plural.replace(/^SSH /, ""))}
      actions={
        canWrite && (
          <Button
            component={Link}
            to={`/${path}/new?${of}`}
            variant="default"
            leftSection={<Plus size={16} aria-hidden />}
          >
            Issue a {short}
          </Button>
        )
      }
    >
      {nodes.length === 0 ? (
        <Text size="sm">It has signed none.</Text>
      ) : (
        <ResourceTable
          resource={{ columns: resource.columns.filter(({ header }) => header !== "Authority") }}
          rows={nodes}
        />
      )}
      {totalCount > nodes.length && (
        <Anchor component={Link} to={`/${path}?${of}`}>
          All {totalCount.toLocaleString("en")} {plural} of this authority
        </Anchor>
      )}
    </Section>
  );
}

function Trust({ publicKey }: { readonly publicKey: string }) {
  return (
    <Section title="Have it trusted">
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Commands text={`${publicKey}\n`} label="Copy the public key of the authority">
          <strong>On servers, to let users in:</strong> put this public key into{" "}
          <Code>/etc/ssh/edgeplane_ca.pub</Code>, …
        </Commands>
        <Commands
          text="TrustedUserCAKeys /etc/ssh/edgeplane_ca.pub"
          label="Copy the line for sshd_config"
        >
          … and name that file in <Code>/etc/ssh/sshd_config</Code>, which sshd reads when it is
          reloaded.
        </Commands>
      </SimpleGrid>
      <Commands
        text={`@cert-authority *.example.com ${publicKey}`}
        label="Copy the line for known_hosts"
      >
        <strong>On clients, to know hosts:</strong> add this line to <Code>~/.ssh/known_hosts</Code>
        , or to <Code>/etc/ssh/ssh_known_hosts</Code> for all users, with the names of your hosts.
      </Commands>
    </Section>
  );
}

function Revocation({ authorityId }: { readonly authorityId: string }) {
  const url = placeOf(`ssh_certificate_authorities/${authorityId}/revocation_list`);
  return (
    <Section title="Have deleted certificates refused">
      <Text size="sm">
        OpenSSH trusts a certificate until it expires, also when it is deleted here. This authority
        serves the list of those that are deleted and not expired; fetch it regularly.
      </Text>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Commands
          text={`curl -sf ${url} \\\n  -H "Authorization: Bearer $API_KEY" -H "Service-Version: 2" \\\n  -o /etc/ssh/edgeplane_revoked.new &&\n  mv /etc/ssh/edgeplane_revoked.new /etc/ssh/edgeplane_revoked`}
          label="Copy the command that fetches the revocation list"
        >
          This fetches it, with a key that may read:
        </Commands>
        <Commands
          text="RevokedKeys /etc/ssh/edgeplane_revoked"
          label="Copy the line for sshd_config that names the revocation list"
        >
          Servers read it by this line of <Code>sshd_config</Code>; clients by{" "}
          <Code>RevokedHostKeys</Code> of <Code>ssh_config</Code>:
        </Commands>
      </SimpleGrid>
    </Section>
  );
}
