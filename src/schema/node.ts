import { z } from "zod";
import { list, parse } from "../domain/core/fields.js";
import { kindOfId } from "../domain/core/ids.js";
import { MAX_IDS } from "../domain/lists/pages.js";
import { checkedBy } from "./builder/argument-checks.js";
import { builder, Node } from "./builder/builder.js";
import { findResource, loadNode } from "./reads/reads.js";

const idsRule = z.object({ ids: list(z.string(), MAX_IDS) });

function idsIn(args: object): string[] {
  return parse(idsRule, args).ids;
}

builder.queryFields((t) => ({
  node: t.field({
    type: Node,
    nullable: true,
    description: "One resource of any kind, by its id; null when it does not exist.",
    args: { id: t.arg.id({ required: true, description: "The id of a resource of any kind." }) },
    resolve: (_, { id }, context, info) => {
      const kind = kindOfId(id);
      return kind && findResource(context, info, kind, id);
    },
  }),
  nodes: t.field({
    type: [Node],
    nullable: { list: true, items: true },
    description:
      "Resources of any kinds, in the order of the ids; null for each id that does not exist.",
    args: {
      ids: t.arg.idList({
        required: true,
        description: `At most ${MAX_IDS} ids of resources of any kinds.`,
      }),
    },
    extensions: checkedBy(idsIn),
    resolve: (_, args, context, info) => {
      const ids = idsIn(args);
      return Promise.all(ids.map((id) => loadNode(context, info, id)));
    },
  }),
}));
