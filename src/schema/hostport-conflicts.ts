import {
  countHostportConflicts,
  type HostportConflict,
  listHostportConflicts,
  MOST_EDGES_OF_CONFLICT,
} from "../domain/questions/hostport-conflicts.js";
import { checkedBy } from "./builder/argument-checks.js";
import { builder, Node } from "./builder/builder.js";
import { connectionOf, pageOf } from "./builder/connections.js";
import { pageArguments, pageRequestOf } from "./builder/pages.js";
import { loadNodes } from "./reads/reads.js";

const HostportConflictType = builder.objectRef<HostportConflict>("HostportConflict").implement({
  description: "A hostport that more than one edge has.",
  fields: (t) => ({
    hostport: t.exposeString("hostport", {
      description:
        "The hostport as `host:port` in lower case, with an IPv6 address in its shortest form.",
    }),
    edges: t.field({
      type: [Node],
      description: `The HTTPS edges that have it, then the TLS edges, then the TCP edges, each kind oldest first, at most ${MOST_EDGES_OF_CONFLICT} in all. The oldest HTTPS edge serves HTTPS there.`,
      extensions: { holds: MOST_EDGES_OF_CONFLICT },
      resolve: ({ edgeIds }, _, context, info) => loadNodes(context, info, edgeIds),
    }),
    edgeCount: t.exposeInt("edgeCount", { description: "The number of edges that have it." }),
  }),
});

const HostportConflictConnection = connectionOf(
  HostportConflictType,
  "HostportConflict",
  "hostports that more than one edge has",
  "in alphabetical order",
);

builder.queryField("hostportConflicts", (t) =>
  t.field({
    type: HostportConflictConnection,
    nullable: true,
    description:
      "Every hostport that more than one edge has, HTTPS, TLS or TCP, ignoring case, in alphabetical order. A wildcard conflicts only with the same wildcard, because a more specific hostport takes precedence.",
    args: pageArguments(t),
    extensions: checkedBy(pageRequestOf),
    resolve: (_, args, context) =>
      pageOf(
        args,
        (page) => listHostportConflicts(context, page),
        () => countHostportConflicts(context),
      ),
  }),
);
