import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";
import { useQuery } from "urql";
import { BackendListDocument, ReferencesDocument } from "../generated/operations.js";
import { RESOURCE_OPERATIONS } from "../generated/resource-operations.js";
import { nameOf, type Reference } from "../resources/references.js";
import type { ListData } from "../resources/resource.js";

const TYPING_MS = 200;
/** More than that are found by typing. */
const MOST_SHOWN = 50;
/** The longest text that a filter searches. */
const MOST_SEARCHED = 100;

const { IpPolicy, CertificateAuthority, EndpointConfiguration, TlsCertificate } =
  RESOURCE_OPERATIONS;
const { SshCertificateAuthority, HttpsEdge } = RESOURCE_OPERATIONS;

/** The lists from which fields with ids choose. */
const LISTS = {
  backend: BackendListDocument,
  ipPolicyId: IpPolicy.list,
  ipPolicyIds: IpPolicy.list,
  certificateAuthorityIds: CertificateAuthority.list,
  endpointConfigurationId: EndpointConfiguration.list,
  httpEndpointConfigurationId: EndpointConfiguration.list,
  httpsEndpointConfigurationId: EndpointConfiguration.list,
  certificateId: TlsCertificate.list,
  sshCertificateAuthorityId: SshCertificateAuthority.list,
  edgeId: HttpsEdge.list,
};

export type Choosing = keyof typeof LISTS;

export function isChoosing(name: string): name is Choosing {
  return name in LISTS;
}

export interface Choice {
  readonly value: string;
  readonly label: string;
}

/** What can be chosen, and the names of what is. `isOffered` leaves out kinds that do not fit. */
export function useChoices(
  from: Choosing,
  chosen: readonly string[],
  isOffered: (resource: Reference) => boolean = () => true,
) {
  const [search, setSearch] = useState("");
  const [searched] = useDebouncedValue(search, TYPING_MS);
  const [known] = useQuery({
    query: ReferencesDocument,
    variables: { ids: [...chosen] },
    pause: chosen.length === 0,
  });
  const names = new Map(
    known.data?.nodes?.flatMap((node) => (node ? [[node.id, nameOf(node)]] : [])),
  );
  // The name of what is chosen stands in the field: it is not what somebody looks for.
  const isTyped = searched !== "" && ![...names.values()].includes(searched);
  const [found] = useQuery<ListData<Reference>>({
    query: LISTS[from],
    variables: {
      first: MOST_SHOWN,
      filter: isTyped ? { search: searched.slice(0, MOST_SEARCHED) } : {},
    },
    requestPolicy: "cache-and-network",
  });
  const offered = (found.data?.page?.nodes ?? []).filter(isOffered);
  const choices = new Map<string, Choice>();
  for (const id of chosen) choices.set(id, { value: id, label: names.get(id) ?? id });
  for (const each of offered) choices.set(each.id, { value: each.id, label: nameOf(each) });
  return { choices: [...choices.values()], search, setSearch };
}
