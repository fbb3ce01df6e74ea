import {
  countHostportConflicts,
  type HostportConflict,
  listHostportConflicts,
  MOST_EDGES_OF_CONFLICT,
} from "../domain/questions/hostport-conflicts.js";
import { builder, Node } from "./builder/builder.js";
import { connectionOf, pageOf } from "./builder/connections.js";
import { pageArguments } from "./builder/pages.js";
import { loadNodes } from "./reads/reads.js";

const HostportConflictType = builder.objectRef<HostportConflict>("HostportConflict").implement({
  description: "A hostport that more than one edge claims.",
  fields: (t) => ({
    hostport: t.exposeString("hostport", {
      description: "`host:port` in lower case, an IPv6 address in its shortest form.",
    }),
    edges: t.field({
      type: [Node],
      description: `The HTTPS edges that claim it, then the TLS edges, each kind oldest first, at most ${MOST_EDGES_OF_CONFLICT} in all. The oldest HTTPS edge serves HTTPS there.`,
      resolve: ({ edgeIds }, _, context, info) => loadNodes(context, info, edgeIds),
    }),
    edgeCount: t.exposeInt("edgeCount", { description: "How many edges claim it." }),
  }),
});

const HostportConflictConnection = connectionOf(
  HostportConflictType,
  "HostportConflict",
  "hostports that more than one edge claims",
  "in alphabetical order",
);

builder.queryField("hostportConflicts", (t) =>
  t.field({
    type: HostportConflictConnection,
    description:
      "Every hostport that more than one HTTPS or TLS edge claims, letter case aside, in alphabetical order. A wildcard is in conflict with the same wildcard only, since a hostport that is more specific comes before it.",
    args: pageArguments(t),
    resolve: (_, args, context) =>
      pageOf(
        args,
        (page) => listHostportConflicts(context, page),
        () => countHostportConflicts(context),
      ),
  }),
);
