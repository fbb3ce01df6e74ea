import { z } from "zod";
import { list, parse } from "../domain/core/fields.js";
import { kindOfId } from "../domain/core/ids.js";
import { MAX_IDS } from "../domain/lists/pages.js";
import { builder, Node } from "./builder/builder.js";
import { findResource, loadNode } from "./reads/reads.js";

const idsRule = z.object({ ids: list(z.string(), MAX_IDS) });

builder.queryFields((t) => ({
  node: t.field({
    type: Node,
    nullable: true,
    description: "Any resource, by its id alone; null when there is none.",
    args: { id: t.arg.id({ required: true, description: "The id of a resource of any kind." }) },
    resolve: (_, { id }, context, info) => {
      const kind = kindOfId(id);
      return kind && findResource(context, info, kind, id);
    },
  }),
  nodes: t.field({
    type: [Node],
    nullable: { list: false, items: true },
    description: "Any resources, in the order of their ids; null where there is none.",
    args: {
      ids: t.arg.idList({ required: true, description: `At most ${MAX_IDS} ids of any kinds.` }),
    },
    resolve: (_, args, context, info) => {
      const { ids } = parse(idsRule, args);
      return Promise.all(ids.map((id) => loadNode(context, info, id)));
    },
  }),
}));
