import { z } from "zod";
import type { Context } from "../../domain/core/context.js";
import { type ErrorCode, type Issue, refuse } from "../../domain/core/errors.js";
import { parse } from "../../domain/core/fields.js";
import { oneOfKind, RESOURCES, type ResourceKind, typeNameOf } from "../../domain/core/ids.js";
import { snakeCase, withCapital } from "../../domain/core/names.js";
import { type FilteredPageRequest, sequenceOf } from "../../domain/lists/sequences.js";
import { getOne, listReader } from "../../domain/reads/read.js";
import type { Resources } from "../../domain/reads/tables.js";
import { type Shown, uri } from "./answers.js";
import { type Lock, lockOf, tagOf, tagOfPage, type Versioned } from "./entity-tags.js";
import { filterOf, namesOf } from "./filters.js";
import { LIST_QUERY, listRequest, nextQuery } from "./lists.js";
import { type Body, mended, type Tolerance } from "./tolerances.js";
import type { Spelling } from "./wire.js";

/** An authenticated request, as the functions of the contract get it. */
export interface RestRequest {
  readonly context: Context;
  /** The named parts of the path. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The body in the domain's spelling; `{}` when there is none. */
  readonly body: Readonly<Record<string, unknown>>;
  /** The absolute URL of a path of this API. */
  link(path: string): string;
}

/** One endpoint of the contract: the function that answers `method path`, its status, and what there is to know of it. */
export interface Endpoint {
  readonly method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  readonly path: string;
  readonly status: 200 | 201 | 204;
  /** Query parameters that it knows; others are refused. */
  readonly query?: readonly string[];
  /** Null for one that only refuses, of which the OpenAPI document has nothing. */
  readonly operation: Operation | null;
  /** What it takes as its body, where it takes one. */
  readonly takes?: Taken;
  /** The schema of its answer; null for one without a body, and a media type for one that is not JSON. */
  readonly answer: z.ZodType | MediaType | null;
  /** What `If-Match` is held against, where it changes a resource that has a version. */
  readonly lock?: Lock;
  handle(request: RestRequest): Promise<Answer | Response>;
}

export interface Answer {
  /** To be sent as JSON; undefined for an answer without a body. */
  readonly body?: unknown;
  /** The entity tag of what the body shows, where that has a version. */
  readonly tag?: string;
}

export const NO_BODY: Answer = {};

/** The answer that shows a resource, or a part of it, as `body`. */
export function shows(row: Versioned, body: unknown): Answer {
  return { body, tag: tagOf(row) };
}

type MediaType = `${string}/${string}`;

/** What the OpenAPI document says of an endpoint. */
export interface Operation {
  /** The name of the function in a generated client. */
  readonly id: string;
  /** The kind of the resource that it is about; null when it is about all or none. */
  readonly kind: ResourceKind | null;
  /** A sentence. */
  readonly summary: string;
  /** More than the summary, where there is more to say. */
  readonly description?: string;
  /** The refusals to expect, besides those that every request can get. */
  readonly refusals: readonly ErrorCode[];
}

/** What an endpoint takes as its body. */
export interface Taken {
  /** The name of the schema. */
  readonly name: string;
  /** The name when another rule has `name` already. */
  readonly fullName?: string;
  readonly rule: z.ZodType;
  readonly tolerates?: readonly Tolerance[] | undefined;
  /** The names that its fields have on the wire, where these are other words. */
  readonly spelling?: Spelling;
  /** Whether a module may stand in `{"module": …}`. */
  readonly isModule?: boolean;
  /** An example, in the domain's spelling; ids of other resources are `exampleId(…)`. */
  readonly example: Body;
}

export type Link = RestRequest["link"];

/** What the five endpoints of a resource with a path of its own need (specification, section 4). */
interface Collection<Kind extends ResourceKind, Item, Create, Update, Answer extends z.ZodType> {
  readonly kind: Kind;
  /** The schema of an item. */
  readonly answer: Answer;
  /** A new item, as an example. */
  readonly example: Body;
  readonly path: string;
  /** The member of a list's envelope that holds the items. */
  readonly listKey: string;
  readonly inputs: { readonly create: z.ZodType<Create>; readonly update: z.ZodType<Update> };
  /** The rules for the OpenAPI document, where those of `inputs` take more than it can say. */
  readonly documented?: { readonly create: z.ZodType; readonly update: z.ZodType };
  /** What bodies of unmodified clients have that is no input, in the order in which it is mended. */
  readonly tolerates?: {
    readonly create?: readonly Tolerance[];
    readonly update?: readonly Tolerance[];
  };
  create(context: Context, input: Create): Promise<Item>;
  update(context: Context, id: string, input: Update): Promise<Item>;
  remove(context: Context, id: string): Promise<void>;
  /** An item as JSON. */
  view(item: Item, link: Link): Shown<Answer>;
}

/** What reads the items of a collection. */
interface Reader<Item> {
  get(context: Context, id: string): Promise<Item>;
  list(context: Context, page: FilteredPageRequest): Promise<Item[]>;
  lock: Lock;
}

/** The endpoints of a resource that is shown as it is read. */
export function collection<
  Kind extends ResourceKind,
  Create,
  Update extends object,
  Answer extends z.ZodType,
>(resource: Collection<Kind, Resources[NoInfer<Kind>], Create, Update, Answer>): Endpoint[] {
  const { kind } = resource;
  return collectionReadBy(
    {
      get: (context, id) => getOne(context, kind, id),
      list: listReader(sequenceOf(kind)),
      lock: lockOf(kind),
    },
    resource,
  );
}

/** The endpoints of a resource that is shown with more, such as its parts. */
export function collectionReadBy<
  Item extends Versioned,
  Create,
  Update extends object,
  Answer extends z.ZodType,
>(
  { get, list, lock }: Reader<Item>,
  resource: Collection<ResourceKind, Item, Create, Update, Answer>,
): Endpoint[] {
  const { kind, path, inputs, documented = inputs, answer, example, tolerates = {} } = resource;
  const { name } = RESOURCES[kind];
  const type = typeNameOf(kind);
  return [
    {
      method: "POST",
      path,
      status: 201,
      operation: {
        id: `create${type}`,
        kind,
        summary: `Creates ${oneOfKind(kind)}.`,
        refusals: ["FORBIDDEN", "CONFLICT"],
      },
      takes: {
        name: `Create${type}`,
        rule: documented.create,
        tolerates: tolerates.create,
        example,
      },
      answer,
      async handle({ context, body, link }) {
        const input = parse(inputs.create, mended(body, tolerates.create));
        const item = await resource.create(context, input);
        return shows(item, resource.view(item, link));
      },
    },
    {
      method: "GET",
      path: `${path}/:id`,
      status: 200,
      operation: {
        id: `get${type}`,
        kind,
        summary: `Returns ${oneOfKind(kind)}.`,
        refusals: ["NOT_FOUND"],
      },
      answer,
      async handle(request) {
        const item = await get(request.context, idOf(request));
        return shows(item, resource.view(item, request.link));
      },
    },
    listEndpoint({ ...resource, list }),
    {
      method: "PATCH",
      path: `${path}/:id`,
      status: 200,
      operation: {
        id: `update${type}`,
        kind,
        summary: `Changes ${oneOfKind(kind)}. A field that is absent or null keeps its value.`,
        refusals: ["FORBIDDEN", "NOT_FOUND", "CONFLICT"],
      },
      takes: {
        name: `Update${type}`,
        rule: documented.update,
        tolerates: tolerates.update,
        example: { description: `The ${name} of the shop` },
      },
      answer,
      lock,
      async handle(request) {
        const body = mended(bodyWithoutPathIds(request), tolerates.update);
        const input = withoutNulls(parse(inputs.update, body));
        const updated = await resource.update(request.context, idOf(request), input);
        return shows(updated, resource.view(updated, request.link));
      },
    },
    {
      method: "DELETE",
      path: `${path}/:id`,
      status: 204,
      operation: {
        id: `delete${type}`,
        kind,
        summary: `Deletes ${oneOfKind(kind)}.`,
        refusals: ["FORBIDDEN", "NOT_FOUND", "IN_USE"],
      },
      answer: null,
      lock,
      async handle(request) {
        await resource.remove(request.context, idOf(request));
        return NO_BODY;
      },
    },
  ];
}

/** GET of a list in the usual envelope. */
export function listEndpoint<Item extends Versioned, Answer extends z.ZodType>(
  resource: Pick<
    Collection<ResourceKind, Item, unknown, unknown, Answer>,
    "kind" | "path" | "listKey" | "answer" | "view"
  > & {
    list(
      context: Context,
      page: FilteredPageRequest,
      params: RestRequest["params"],
    ): Promise<Item[]>;
  },
): Endpoint {
  const { kind, listKey, path, answer } = resource;
  const { plural } = RESOURCES[kind];
  const subject = filterOf(kind, answer);
  const names = namesOf(subject.fields).map((name) => `\`${name}\``);
  return {
    method: "GET",
    path,
    status: 200,
    query: LIST_QUERY,
    operation: {
      id: `list${capitalized(plural)}`,
      kind,
      summary: `Lists ${plural}, newest first.`,
      description: `Lists ${plural}, newest first. The fields of \`filter\` are ${names.join(", ")}.`,
      refusals: path.includes(":") ? ["NOT_FOUND"] : [],
    },
    answer: z.strictObject({
      [listKey]: z.array(answer).describe("The items of the page, newest first."),
      uri,
      next_page_uri: uri.nullable(),
    }),
    handle: async (request) => {
      const page = listRequest(request.query, subject);
      // One row more than asked for tells whether there is a next page.
      const oneMore = { ...page, limit: page.limit + 1 };
      const found = await resource.list(request.context, oneMore, request.params);
      const items = found.slice(0, page.limit);
      const self = request.link(fillPath(path, request.params));
      const last = items.at(-1);
      const hasMore = found.length > page.limit && last !== undefined;
      const body = {
        [listKey]: items.map((item) => resource.view(item, request.link)),
        uri: self,
        next_page_uri: hasMore ? `${self}?${nextQuery(request.query, page.limit, last.id)}` : null,
      };
      return { body, tag: tagOfPage(items, hasMore) };
    },
  };
}

/** The words of `text` as one name: "IP policy rules" is `IpPolicyRules`. */
function capitalized(text: string): string {
  return text
    .split(" ")
    .map((word) => withCapital(word.toLowerCase()))
    .join("");
}

/** Another resource as a view names it. */
export function ref(link: Link, path: string, id: string) {
  return { id, uri: link(`${path}/${id}`) };
}

/** The same where there may be none. */
export function refOrNull(link: Link, path: string, id: string | null) {
  return id === null ? null : ref(link, path, id);
}

export function idOf({ params }: RestRequest): string {
  return params.id ?? "";
}

/** A timestamp as the API shows it: RFC 3339 in UTC, whole seconds. */
export function timestamp(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}

/** The body without the ids that typed clients repeat from the path; refuses those that differ from it. */
export function bodyWithoutPathIds({ body, params }: RestRequest): Record<string, unknown> {
  const repeated = [
    { name: "id", value: params.id },
    { name: "edgeId", value: params.edgeId },
  ].filter(({ name, value }) => value !== undefined && name in body);
  const issues: Issue[] = repeated
    .filter(({ name, value }) => body[name] !== value && body[name] !== null && body[name] !== "")
    .map(({ name }) => ({ path: [name], message: "must be the same as in the path, or absent" }));
  refuse(issues);
  const names = repeated.map(({ name }) => name);
  return Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));
}

/**
 * Removes null fields from the body of a PATCH: in REST null keeps a field (Part 0), but in the domain null clears it.
 */
export function withoutNulls<Input extends object>(input: Input): Input {
  const given = Object.entries(input).filter(([, value]) => value !== null);
  return Object.fromEntries(given) as Input;
}

/** The path of an endpoint as a template in the spelling of OpenAPI, such as `/edges/https/{id}`. */
export function templateOf(path: string): string {
  return path.replace(/:(\w+)/g, (_, name: string) => `{${snakeCase(name)}}`);
}

function fillPath(path: string, params: Readonly<Record<string, string>>): string {
  return path.replace(/:(\w+)/g, (_, name: string) => params[name] ?? "");
}
