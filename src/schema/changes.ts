import { z } from "zod";
import type { Difference } from "../domain/changes/differences.js";
import type { Change, ChangeFilter, Entry } from "../domain/changes/entries.js";
import { type Followed, followChanges } from "../domain/changes/following.js";
import { completeUntil, type LogView, viewLog } from "../domain/changes/horizon.js";
import { countChanges, listChanges } from "../domain/changes/listing.js";
import { list, parse } from "../domain/core/fields.js";
import { kindOfId, RESOURCES, type ResourceKind } from "../domain/core/ids.js";
import { snakeCase } from "../domain/core/names.js";
import { MAX_IDS } from "../domain/lists/pages.js";
import { ApiKeyType } from "./api-keys.js";
import { builder, type GraphqlContext, Node, type Types } from "./builder/builder.js";
import { type Connection, connectionOf, pageOf } from "./builder/connections.js";
import { pageArguments } from "./builder/pages.js";
import { loadNode, loadResource } from "./reads/reads.js";

const RESOURCE_KINDS = Object.keys(RESOURCES) as ResourceKind[];

export const ResourceType = builder.enumType("ResourceType", {
  description: "The kinds of resources.",
  values: Object.fromEntries(
    RESOURCE_KINDS.map((kind) => {
      const { name, prefix } = RESOURCES[kind];
      const value = { value: kind, description: `Of kind ${name}: ids start with \`${prefix}_\`.` };
      return [snakeCase(kind).toUpperCase(), value];
    }),
  ),
});

export const ChangeActionType = builder.enumType("ChangeAction", {
  description: "What happened to a resource.",
  values: {
    CREATED: { value: "created", description: "It was created." },
    UPDATED: { value: "updated", description: "At least one of its fields changed." },
    DELETED: { value: "deleted", description: "It was deleted." },
  } as const,
});

export const DifferenceType = builder.objectRef<Difference>("Difference").implement({
  description: "One field in which two states of a resource differ.",
  fields: (t) => ({
    path: t.stringList({
      description: "Leads to the field, such as `oauth`, `provider`, `github`, `clientId`.",
      resolve: ({ path }) => [...path],
    }),
    before: t.expose("before", {
      type: "JSON",
      nullable: true,
      description:
        "The value before; null where it was not set, `[secret]` in place of a secret. Enum values are in lower case, as over REST.",
    }),
    after: t.expose("after", {
      type: "JSON",
      nullable: true,
      description:
        "The value after; null where it is not set, `[secret]` in place of a secret. Enum values are in lower case, as over REST.",
    }),
  }),
});

/** Points of a change: it has what differs, before and after. */
const CHANGE_COST = 75;

const ChangeType = builder.objectRef<Change>("Change").implement({
  extensions: { cost: CHANGE_COST },
  description: "One entry of the change log: what changed, when, and by whom.",
  fields: (t) => ({
    id: t.exposeID("id", {
      description:
        "Its place in the log. The cursor for `after`, over which a subscription goes on without a gap.",
    }),
    action: t.expose("action", { type: ChangeActionType, description: "What happened." }),
    type: t.field({
      type: ResourceType,
      description: "The kind of the resource.",
      resolve: ({ kind }) => kind,
    }),
    resourceId: t.exposeID("resourceId", { description: "The id of the resource." }),
    version: t.exposeInt("version", {
      description: "The resource's version after the change; the last one of a deleted resource.",
    }),
    at: t.expose("at", { type: "DateTime", description: "When it was changed." }),
    actorId: t.exposeID("actorId", {
      nullable: true,
      description: "The id of the API key that changed it; null for the key of the configuration.",
    }),
    actor: t.field({
      type: ApiKeyType,
      nullable: true,
      description: "The API key that changed it; also null when that was deleted since.",
      resolve: ({ actorId }, _, context, info) =>
        actorId === null ? null : loadResource(context, info, "apiKey", actorId),
    }),
    operationId: t.exposeString("operationId", {
      description:
        "The id of the request, which stands in the `Operation-Id` header of its answer and in the server's log.",
    }),
    differences: t.field({
      type: [DifferenceType],
      description:
        "Every field that changed, down to single values. Secrets are never shown. Of a route that was deleted with its edge, a module shows only whether it was enabled.",
      resolve: ({ differences }) => [...differences],
    }),
    node: t.field({
      type: Node,
      nullable: true,
      description: "The resource as it is now; null when it is gone.",
      resolve: ({ resourceId }, _, context, info) => loadNode(context, info, resourceId),
    }),
  }),
});

const HELD_UP = "a database transaction that has written to the log, and does not end, holds it up";

const ChangeConnection = connectionOf<Change, Connection<Change> & { readonly view: LogView }>(
  ChangeType,
  "Change",
  "changes",
  "oldest first",
);

builder.objectFields(ChangeConnection, (t) => ({
  isComplete: t.boolean({
    description: `Whether the log is there up to the time of the request. False when ${HELD_UP} for more than two seconds: the newest changes are then left out, and appear later, after the last of this list.`,
    resolve: ({ view }) => view.isComplete,
  }),
  completeUntil: t.field({
    type: "DateTime",
    description:
      "Every change that was committed before this time is in the log as it is shown here: the time of the request when it is complete.",
    resolve: ({ view }, _, context) => completeUntil(context, view),
  }),
}));

const filterRule = z.object({
  types: z.array(z.custom<ResourceKind>()).nullish(),
  ids: list(
    z.string().refine((id) => kindOfId(id) !== null, "is not an id of a resource"),
    MAX_IDS,
  ).nullish(),
});

function filterOf(args: z.input<typeof filterRule>): ChangeFilter {
  const { types, ids } = parse(filterRule, args);
  return { kinds: types, ids };
}

type Arguments = Pick<PothosSchemaTypes.QueryFieldBuilder<Types, object>, "arg">;

function filterArguments(t: Arguments) {
  return {
    types: t.arg({
      type: [ResourceType],
      description:
        "Only changes of resources of these kinds, such as `[HTTPS_EDGE]`; of all kinds when absent or empty.",
    }),
    ids: t.arg.idList({
      description: `Only changes of these resources, at most ${MAX_IDS}, also deleted ones; of all when absent or empty.`,
    }),
  };
}

builder.queryField("changes", (t) =>
  t.field({
    type: ChangeConnection,
    description:
      "The change log, oldest first; it is the audit log too. How far it reaches back is for the operator to say, 90 days by default. The newest are had with `last`.",
    args: { ...pageArguments(t), ...filterArguments(t) },
    resolve: async (_, args, context) => {
      const filter = filterOf(args);
      const view = await viewLog(context);
      const page = await pageOf(
        args,
        (page) => listChanges(context, view, page, filter),
        () => countChanges(context, view, filter),
      );
      return { ...page, view };
    },
  }),
);

/** What a subscriber gets: a change, the same object for all who get it together, or why there is none. */
type Event = Entry | { readonly refusal: unknown };

builder.subscriptionField("changes", (t) =>
  t.field({
    type: ChangeType,
    description: `Every change once it is committed, whichever process and transport made it, the changes of one resource in their order. When ${HELD_UP} for five seconds, one event is an error with the code UNAVAILABLE; what was held back follows when that is over, also for who connects again with the id of that event.`,
    args: {
      ...filterArguments(t),
      after: t.arg.string({
        description:
          "The id of the last change seen, or the header Last-Event-ID: goes on after it, without a gap. From now on when absent. Refused with the code GONE when the log no longer reaches back to it.",
      }),
    },
    subscribe: async (_, args, context) => {
      const filter = filterOf(args);
      const after = args.after ?? context.events.lastId;
      return events(context, await followChanges(context, filter, after, context.events.gone));
    },
    resolve: (event) => {
      if ("change" in event) return event.change;
      throw event.refusal;
    },
  }),
);

async function* events(
  context: GraphqlContext,
  changes: AsyncGenerator<Followed, void>,
): AsyncGenerator<Event, void> {
  for await (const followed of changes) {
    try {
      await context.authenticateAgain();
    } catch (refusal) {
      yield { refusal };
      return;
    }
    if ("heldUp" in followed) {
      context.events.lastId ??= followed.after;
      yield { refusal: followed.heldUp };
      continue;
    }
    context.events.lastId = followed.change.id;
    yield followed;
  }
}
