import { Text } from "@mantine/core";
import { useState } from "react";
import { LiveBackendTree } from "../backends/backend-tree.js";
import { ReferenceLink } from "../components/reference-link.js";
import { Section } from "../components/section.js";
import type {
  HttpsEdgePartsFragment,
  HttpsEdgeRoutePartsFragment,
  TcpEdgePartsFragment,
  TlsEdgePartsFragment,
} from "../generated/operations.js";
import { RouteQuestion } from "./route-question.js";
import { RoutesSection } from "./route-table.js";

/** The routes of an HTTPS edge, and which of them serves a URL. */
export function HttpsEdgeExtras({ item: edge }: { readonly item: HttpsEdgePartsFragment }) {
  const [url, setUrl] = useState("");
  return (
    <>
      <RoutesSection edgeId={edge.id} />
      <Section title="Which route serves this URL?">
        <RouteQuestion
          url={url}
          suggested={urlOf(edge.hostports[0])}
          onAsk={setUrl}
          edgeId={edge.id}
        />
      </Section>
    </>
  );
}

/** Where a route sends its requests, and the way back to the others of its edge. */
export function RouteExtras({ item: route }: { readonly item: HttpsEdgeRoutePartsFragment }) {
  return (
    <>
      <Text>
        See this route among the others of <ReferenceLink to={route.edge} />.
      </Text>
      <BackendSection module={route.backend} />
    </>
  );
}

interface ForwardingEdgeExtrasProps {
  readonly item: TlsEdgePartsFragment | TcpEdgePartsFragment;
}

/** Where an edge that has no routes forwards its connections. */
export function ForwardingEdgeExtras({ item: edge }: ForwardingEdgeExtrasProps) {
  return <BackendSection module={edge.backend} />;
}

function BackendSection({ module }: { readonly module: HttpsEdgeRoutePartsFragment["backend"] }) {
  return (
    <Section title="Backend">
      {module?.enabled === false && <Text>The module is off, so nothing is sent to it.</Text>}
      {module?.backend ? (
        <LiveBackendTree id={module.backend.id} />
      ) : (
        <Text>It has no backend, so nothing is served.</Text>
      )}
    </Section>
  );
}

/** A URL at a hostport, such as `https://www.example.com/` for `*.example.com:443`. */
function urlOf(hostport = ""): string {
  return hostport === "" ? "" : `https://${hostport.replace(/^\*/, "www").replace(/:443$/, "")}/`;
}
