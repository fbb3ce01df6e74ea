import { Anchor, Group, SimpleGrid, Stack, Text } from "@mantine/core";
import { Link } from "react-router";
import type { OverviewQuery } from "../generated/operations.js";
import { type Kind, kindOf } from "../resources/kinds.js";
import { capitalized } from "../words.js";
import { Part } from "./part.js";

type Counts = NonNullable<OverviewQuery["overview"]>["resources"];

const GROUPS: readonly { readonly title: string; readonly typenames: readonly string[] }[] = [
  { title: "Edges", typenames: ["HttpsEdge", "HttpsEdgeRoute", "TlsEdge", "TcpEdge"] },
  {
    title: "Backends",
    typenames: [
      "StaticBackend",
      "HttpResponseBackend",
      "TunnelGroupBackend",
      "FailoverBackend",
      "WeightedBackend",
    ],
  },
  {
    title: "Addresses",
    typenames: [
      "ReservedAddr",
      "ReservedDomain",
      "TlsCertificate",
      "EndpointConfiguration",
      "AgentIngress",
    ],
  },
  {
    title: "Access",
    typenames: ["IpPolicy", "IpPolicyRule", "IpRestriction", "CertificateAuthority", "ApiKey"],
  },
  {
    title: "SSH",
    typenames: [
      "SshCertificateAuthority",
      "SshUserCertificate",
      "SshHostCertificate",
      "SshCredential",
    ],
  },
];

/** How many resources there are of each kind; each number leads to their list. */
export function ResourceCounts({ counts }: { readonly counts: Counts }) {
  const numbers = new Map(counts.map(({ type, count }) => [type, count]));
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, md: 3, xl: 5 }}>
      {GROUPS.map(({ title, typenames }) => (
        <Part key={title} title={title}>
          <Stack gap={4}>
            {typenames.map(kindOf).map((kind) => (
              <Count key={kind.type} kind={kind} count={numbers.get(kind.type) ?? 0} />
            ))}
          </Stack>
        </Part>
      ))}
    </SimpleGrid>
  );
}

function Count({ kind, count }: { readonly kind: Kind; readonly count: number }) {
  const { path, plural } = kind;
  return (
    <Group justify="space-between" wrap="nowrap">
      <Anchor component={Link} to={`/${path}`} size="sm">
        {capitalized(plural)}
      </Anchor>
      <Text fw={600} ff="monospace">
        {count.toLocaleString("en")}
      </Text>
    </Group>
  );
}
