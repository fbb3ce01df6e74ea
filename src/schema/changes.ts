import { z } from "zod";
import type { Change, ChangeFilter, Entry } from "../domain/changes/entries.js";
import { type Followed, followChanges, type Start } from "../domain/changes/following.js";
import { completeUntil, type LogView, viewLog } from "../domain/changes/horizon.js";
import { countChanges, endOf, listChanges } from "../domain/changes/listing.js";
import { list, parse } from "../domain/core/fields.js";
import { kindOfId, type ResourceKind } from "../domain/core/ids.js";
import { MAX_IDS } from "../domain/lists/pages.js";
import { ApiKeyType } from "./api-keys.js";
import { checkedBy } from "./builder/argument-checks.js";
import { builder, type GraphqlContext, Node, type Types } from "./builder/builder.js";
import { ChangeActionType, changedFields, ResourceType } from "./builder/change-types.js";
import { type Connection, connectionOf, pageOf } from "./builder/connections.js";
import { newestFirstPage, pageArguments } from "./builder/pages.js";
import { loadNode, loadResource } from "./reads/reads.js";

/** Points of a change: it has what differs, before and after. */
const CHANGE_COST = 75;

const ChangeType = builder.objectRef<Change>("Change").implement({
  extensions: { cost: CHANGE_COST },
  description: "One entry of the change log: a change, its time and its author.",
  fields: (t) => ({
    id: t.exposeID("id", {
      description:
        "The position in the log. Give it as `after` to continue a subscription without a gap.",
    }),
    action: t.expose("action", { type: ChangeActionType, description: "The kind of change." }),
    ...changedFields(t),
    resourceId: t.exposeID("resourceId", { description: "The id of the resource." }),
    version: t.exposeInt("version", {
      description:
        "The version of the resource after the change. For a deleted resource, it is the last version.",
    }),
    at: t.expose("at", { type: "DateTime", description: "The time of the change." }),
    actorId: t.exposeID("actorId", {
      nullable: true,
      description:
        "The id of the API key that made the change; null for the key from the server's configuration.",
    }),
    actor: t.field({
      type: ApiKeyType,
      nullable: true,
      description: "The API key that made the change; also null when the key was deleted later.",
      resolve: ({ actorId }, _, context, info) =>
        actorId === null ? null : loadResource(context, info, "apiKey", actorId),
    }),
    operationId: t.exposeString("operationId", {
      description:
        "The id of the request. It is also in the `Operation-Id` header of the response and in the server's log.",
    }),
    resource: t.field({
      type: Node,
      nullable: true,
      description: "The current state of the resource; null when it was deleted.",
      resolve: ({ resourceId }, _, context, info) => loadNode(context, info, resourceId),
    }),
  }),
});

const HELD_UP = "a database transaction that wrote to the log stays open and delays the log";

const ChangeConnection = connectionOf<Change, Connection<Change> & { readonly view: LogView }>(
  ChangeType,
  "Change",
  "changes",
  "oldest first",
);

builder.objectFields(ChangeConnection, (t) => ({
  isComplete: t.boolean({
    description: `Whether the log is complete up to the time of the request. False when ${HELD_UP} for more than two seconds: the newest changes are then missing, and appear later, after the last one of this list.`,
    resolve: ({ view }) => view.isComplete,
  }),
  position: t.id({
    description:
      "Where the log ended when this list was read, whatever is selected from it and also when it is empty. Read it before the resources, and give it to a subscription as `Last-Event-ID` or `after`: then no change is missed.",
    resolve: ({ view }, _, context) => endOf(context, view),
  }),
  completeUntil: t.field({
    type: "DateTime",
    description:
      "The log has every change that was committed before this time. When the log is complete, this is the time of the request.",
    resolve: ({ view }, _, context) => completeUntil(context, view),
  }),
}));

const filterRule = z
  .object({
    types: z.array(z.custom<ResourceKind>()).nullish(),
    ids: list(
      z.string().refine((id) => kindOfId(id) !== null, "is not an id of a resource"),
      MAX_IDS,
    ).nullish(),
    actorIds: list(
      z
        .string()
        .refine((id) => kindOfId(id) === "apiKey", "is not an id of an API key")
        .nullable(),
      MAX_IDS,
    ).nullish(),
  })
  .transform(({ types, ids, actorIds }): ChangeFilter => ({ kinds: types, ids, actorIds }));

function filterOf(args: object): ChangeFilter {
  return parse(filterRule, args);
}

const listRule = filterRule.and(newestFirstPage);

/** The same for a list, of which the arguments of the page are checked too: all problems are reported at once. */
function filterOfList(args: object): ChangeFilter {
  return parse(listRule, args);
}

type Arguments = Pick<PothosSchemaTypes.QueryFieldBuilder<Types, object>, "arg">;

function filterArguments(t: Arguments) {
  return {
    types: t.arg({
      type: [ResourceType],
      description:
        "Only changes of resources of these kinds, such as `[HTTPS_EDGE]`. When absent or empty, changes of all kinds.",
    }),
    ids: t.arg.idList({
      description: `Only changes of the resources with these ids, at most ${MAX_IDS}, including deleted resources. When absent or empty, changes of all resources.`,
    }),
    actorIds: t.arg({
      type: t.arg.listRef("ID", { required: false }),
      description: `Only changes that these API keys made, at most ${MAX_IDS}, including deleted keys. Null among them stands for the key from the server's configuration. When absent or empty, changes by all keys.`,
    }),
  };
}

builder.queryField("changes", (t) =>
  t.field({
    type: ChangeConnection,
    nullable: true,
    description:
      "The change log, oldest first. It is also the audit log. The operator configures how long entries are kept; default 90 days. Use `last` to get the newest entries.",
    args: { ...pageArguments(t), ...filterArguments(t) },
    extensions: checkedBy(filterOfList),
    resolve: async (_, args, context) => {
      const filter = filterOfList(args);
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

/** The event for a subscriber: a change (one object for all that get it together), or the reason why there is none. */
type Event = Entry | { readonly refusal: unknown };

builder.subscriptionField("changes", (t) =>
  t.field({
    type: ChangeType,
    description: `Sends every change after it is committed, from any process and over either transport. Changes of one resource arrive in order. When ${HELD_UP} for five seconds, one event is an error with the code UNAVAILABLE. The delayed changes follow when the transaction ends, also for clients that reconnect with the id of that event.`,
    args: {
      ...filterArguments(t),
      after: t.arg.string({
        description:
          "The id of the last change seen; the subscription continues after it, without a gap. The header Last-Event-ID has the same effect, and comes before it: a client that reconnects by itself repeats its arguments. Omit both to start now. Fails with the code GONE when the log no longer has that change.",
      }),
    },
    extensions: checkedBy(filterOf),
    subscribe: async (_, args, context) => {
      const filter = filterOf(args);
      const start = startOf(context.events.lastId, args.after);
      return events(context, await followChanges(context, filter, start, context.events.gone));
    },
    resolve: (event) => {
      if ("change" in event) return event.change;
      throw event.refusal;
    },
  }),
);

/** A client that connects again by itself repeats its arguments, and says in the header how far it has come. */
function startOf(lastId: string | null, after: string | null | undefined): Start | null {
  if (lastId) return { cursor: lastId, name: "Last-Event-ID" };
  return after ? { cursor: after, name: "after" } : null;
}

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
