import { Code } from "@mantine/core";
import { ReferenceList } from "../components/reference-list.js";
import { RESOURCE_OPERATIONS } from "../generated/resource-operations.js";
import { counted } from "../words.js";
import { defineResource } from "./resource.js";

export const staticBackends = defineResource("StaticBackend", RESOURCE_OPERATIONS.StaticBackend, {
  purpose: "A static backend sends requests to an address.",
  columns: [
    { header: "Address", show: ({ address }) => <Code>{address}</Code> },
    { header: "TLS", show: ({ tls }) => (tls.enabled ? "Yes" : "No") },
  ],
});

export const httpResponseBackends = defineResource(
  "HttpResponseBackend",
  RESOURCE_OPERATIONS.HttpResponseBackend,
  {
    purpose: "An HTTP response backend answers by itself, such as a page for maintenance.",
    columns: [
      { header: "Status", show: ({ statusCode }) => statusCode },
      { header: "Body", show: ({ body }) => counted(body.length, "character") },
    ],
  },
);

export const tunnelGroupBackends = defineResource(
  "TunnelGroupBackend",
  RESOURCE_OPERATIONS.TunnelGroupBackend,
  {
    purpose: "A tunnel group backend sends requests to the tunnels that have its labels.",
    columns: [
      {
        header: "Labels",
        show: ({ labels }) => labels.map(({ name, value }) => `${name}=${value}`).join(", "),
      },
    ],
  },
);

export const failoverBackends = defineResource(
  "FailoverBackend",
  RESOURCE_OPERATIONS.FailoverBackend,
  {
    purpose: "A failover backend tries its backends in order.",
    columns: [
      { header: "Tries in order", show: ({ backends }) => <ReferenceList to={backends} /> },
    ],
  },
);

export const weightedBackends = defineResource(
  "WeightedBackend",
  RESOURCE_OPERATIONS.WeightedBackend,
  {
    purpose: "A weighted backend spreads requests over its backends.",
    columns: [
      {
        header: "Spreads over",
        show: ({ backends }) => (
          <ReferenceList to={backends.flatMap(({ backend }) => backend ?? [])} />
        ),
      },
    ],
  },
);
