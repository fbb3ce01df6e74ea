import { Badge, Group, List, Text } from "@mantine/core";
import { useLiveQuery } from "../api/live.js";
import { ReferenceLink } from "../components/reference-link.js";
import {
  BackendTreeDocument,
  type BackendTreePartsFragment,
  type WeightedChildPartsFragment,
} from "../generated/operations.js";
import { kindOf } from "../resources/kinds.js";
import type { Reference } from "../resources/references.js";

/** In pixels, with which links below each other are far enough apart to be hit. */
const SPACING = 6;

type Failover = Extract<BackendTreePartsFragment, { __typename: "FailoverBackend" }>;
type Tree =
  | BackendTreePartsFragment
  | Failover["backends"][number]
  | NonNullable<WeightedChildPartsFragment["backend"]>;

interface Child {
  /** Null when another request has just deleted it. */
  readonly backend: Tree | null;
  /** What it gets of the requests, from 0 to 1; null where backends are tried in order. */
  readonly share: number | null;
}

/** A backend with its children, down to the servers: in the order in which they are tried, or with their shares. */
export function BackendTree({ backend }: { readonly backend: Tree }) {
  return (
    <Text size="sm" component="div">
      <BackendName backend={backend} />
      <Children of={backend} />
    </Text>
  );
}

/** The children of a failover or weighted backend, by its id, kept up to date. */
export function BackendChildrenOf({ id }: { readonly id: string }) {
  const backend = useTree(id);
  if (!backend) return null;
  if (childrenOf(backend).length === 0)
    return <Text>It has no backends, so nothing is served.</Text>;
  return <Children of={backend} />;
}

/** The same as `BackendTree` by the id of the backend, kept up to date. */
export function LiveBackendTree({ id }: { readonly id: string }) {
  const backend = useTree(id);
  return backend && <BackendTree backend={backend} />;
}

function useTree(id: string): BackendTreePartsFragment | null {
  const { data } = useLiveQuery({ query: BackendTreeDocument, variables: { id } });
  const node = data?.node;
  return node && "version" in node ? node : null;
}

function BackendName({ backend }: { readonly backend: Reference }) {
  return (
    <Group gap={6} component="span" display="inline-flex">
      <ReferenceLink to={backend} />
      <Badge variant="default" size="sm" tt="none" fw={500}>
        {kindOf(backend.__typename).singular.replace(/ backend$/, "")}
      </Badge>
    </Group>
  );
}

function Children({ of: parent }: { readonly of: Tree }) {
  const children = childrenOf(parent);
  if (children.length === 0) return null;
  const isOrdered = children.every(({ share }) => share === null);
  return (
    <List
      type={isOrdered ? "ordered" : "unordered"}
      size="sm"
      spacing={SPACING}
      mt={SPACING}
      withPadding
      aria-label={isOrdered ? "Tried in this order" : "Spread over"}
    >
      {children.map(({ backend, share }, index) => (
        <List.Item key={backend?.id ?? `gone ${index}`}>
          {share !== null && (
            <Text span fw={600} size="sm">
              {percent(share)}{" "}
            </Text>
          )}
          {backend ? <BackendName backend={backend} /> : "a backend that was just deleted"}
          {backend && <Children of={backend} />}
        </List.Item>
      ))}
    </List>
  );
}

function childrenOf(backend: Tree): Child[] {
  if (!("backends" in backend)) return [];
  if (backend.__typename === "FailoverBackend") {
    return backend.backends.map((child) => ({ backend: child, share: null }));
  }
  const total = backend.backends.reduce((sum, { weight }) => sum + weight, 0);
  return backend.backends.map(({ backend: child, weight }) => ({
    backend: child,
    share: total === 0 ? 0 : weight / total,
  }));
}

function percent(share: number): string {
  return share.toLocaleString("en", { style: "percent", maximumFractionDigits: 1 });
}
