import type { OutputRef } from "@pothos/core";
import type { GraphQLResolveInfo } from "graphql";
import type { AppliedChange } from "../domain/changes/outcomes.js";
import type { Resource } from "../domain/storage/rows.js";
import { builder, type GraphqlContext } from "./builder/builder.js";
import { ChangeActionType, changedFields } from "./builder/change-types.js";
import type { MutationResult } from "./builder/mutations.js";
import { loadNode } from "./reads/reads.js";

// What every mutation returns: the resource as it is, and what changed.

const AppliedChangeType = builder.objectRef<AppliedChange>("AppliedChange").implement({
  description:
    "A resource that a mutation created, changed or deleted; for a dry run, that it would create, change or delete.",
  fields: (t) => ({
    action: t.expose("action", { type: ChangeActionType, description: "The kind of change." }),
    ...changedFields(t),
    resourceId: t.exposeID("resourceId", {
      nullable: true,
      description: "The id of the resource; null when a dry run would create it.",
    }),
    version: t.exposeInt("version", {
      description:
        "The version of the resource after the change. For a deleted resource, it is the last version.",
    }),
    label: t.exposeString("label", {
      description:
        "A label for people: the match type and match of a route, the action and network of a rule, otherwise the description, or the first hostport or address when there is none.",
    }),
  }),
});

/** The type `<name>Result`, whose field `field` has the resource. */
export function mutationResult(
  name: string,
  what: string,
  field: string,
  type: OutputRef<Resource>,
) {
  return builder.objectRef<MutationResult>(`${name}Result`).implement({
    description: `The result of a mutation of ${what}.`,
    fields: (t) => ({
      [field]: t.field({
        type,
        nullable: true,
        description:
          "The resource after the mutation. Null when it was deleted. After a dry run, the resource as it is stored; null when there is none yet.",
        resolve: (result, _, context, info) => presentResource(result, context, info),
      }),
      changes: t.field({
        type: [AppliedChangeType],
        description:
          "Everything that the mutation created, changed and deleted, in order; empty when nothing differed. For a dry run, everything that the mutation would change.",
        resolve: ({ changes }) => [...changes],
      }),
    }),
  });
}

function presentResource(
  { resource, id }: MutationResult,
  context: GraphqlContext,
  info: GraphQLResolveInfo,
): Resource | null | Promise<Resource | null> {
  return resource ?? (id === null ? null : loadNode(context, info, id));
}
