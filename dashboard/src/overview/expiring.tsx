import { Anchor, Table } from "@mantine/core";
import { Link } from "react-router";
import { useNow } from "../components/now.js";
import type { OverviewQuery } from "../generated/operations.js";
import { kindOf } from "../resources/kinds.js";
import { capitalized } from "../words.js";
import { Part } from "./part.js";

type Certificates = NonNullable<OverviewQuery["overview"]>["expiringCertificates"];

const CERTIFICATES = {
  certificateAuthorities: "CertificateAuthority",
  tlsCertificates: "TlsCertificate",
  sshUserCertificates: "SshUserCertificate",
  sshHostCertificates: "SshHostCertificate",
} as const;
const MONTH_MS = 30 * 24 * 60 * 60 * 1000;

/** How many certificates expire, with links to which these are. */
export function Expiring({ certificates }: { readonly certificates: Certificates }) {
  const now = useNow();
  const at = (ms: number) => new Date(now + ms).toISOString();
  return (
    <Part title="Certificates">
      <Table fz="sm">
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">Kind</Table.Th>
            <Table.Th scope="col">Expire in 30 days</Table.Th>
            <Table.Th scope="col">Expired</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {Object.entries(CERTIFICATES).map(([name, typename]) => {
            const { expiring, expired } = certificates[name as keyof typeof CERTIFICATES];
            const { path, plural } = kindOf(typename);
            return (
              <Table.Tr key={name}>
                <Table.Th scope="row" fw={500}>
                  {capitalized(plural)}
                </Table.Th>
                <Table.Td>
                  <Anchor component={Link} inherit to={`/${path}?expiringBefore=${at(MONTH_MS)}`}>
                    {boundedCount(expiring)}
                  </Anchor>
                </Table.Td>
                <Table.Td>
                  <Anchor component={Link} inherit to={`/${path}?expiringBefore=${at(0)}`}>
                    {boundedCount(expired)}
                  </Anchor>
                </Table.Td>
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </Table>
    </Part>
  );
}

function boundedCount({
  count,
  atLeast,
}: {
  readonly count: number;
  readonly atLeast: boolean;
}): string {
  return atLeast ? `more than ${count.toLocaleString("en")}` : count.toLocaleString("en");
}
