import type { z } from "zod";
import type { Context } from "../../domain/core/context.js";
import { type Issue, refuse } from "../../domain/core/errors.js";
import { parse } from "../../domain/core/fields.js";
import type { ResourceKind } from "../../domain/core/ids.js";
import type { PageRequest } from "../../domain/lists/pages.js";
import { sequenceOf } from "../../domain/lists/sequences.js";
import { getOne, listReader } from "../../domain/reads/read.js";
import type { Resources } from "../../domain/reads/tables.js";
import { listRequest } from "./lists.js";
import { mended, type Tolerance } from "./tolerances.js";

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

/** One endpoint of the contract: the function that answers `method path`, and its status. */
export interface Endpoint {
  readonly method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  readonly path: string;
  readonly status: 200 | 201 | 204;
  /** Query parameters that it knows; others are refused. */
  readonly query?: readonly string[];
  handle(request: RestRequest): Promise<unknown>;
}

export type Link = RestRequest["link"];

/** What the five endpoints of a resource with a path of its own need (specification, section 4). */
interface Collection<Kind extends ResourceKind, Item, Create, Update> {
  readonly kind: Kind;
  readonly path: string;
  /** The member of a list's envelope that holds the items. */
  readonly listKey: string;
  readonly inputs: { readonly create: z.ZodType<Create>; readonly update: z.ZodType<Update> };
  /** What bodies of unmodified clients have that is no input, in the order in which it is mended. */
  readonly tolerates?: {
    readonly create?: readonly Tolerance[];
    readonly update?: readonly Tolerance[];
  };
  create(context: Context, input: Create): Promise<Item>;
  update(context: Context, id: string, input: Update): Promise<Item>;
  remove(context: Context, id: string): Promise<void>;
  /** An item as JSON. */
  view(item: Item, link: Link): object;
}

/** What reads the items of a collection. */
interface Reader<Item> {
  get(context: Context, id: string): Promise<Item>;
  list(context: Context, page: PageRequest): Promise<Item[]>;
}

/** The endpoints of a resource that is shown as it is read. */
export function collection<Kind extends ResourceKind, Create, Update extends object>(
  resource: Collection<Kind, Resources[NoInfer<Kind>], Create, Update>,
): Endpoint[] {
  const { kind } = resource;
  return collectionReadBy(
    { get: (context, id) => getOne(context, kind, id), list: listReader(sequenceOf(kind)) },
    resource,
  );
}

/** The endpoints of a resource that is shown with more, such as its parts. */
export function collectionReadBy<Item extends { id: string }, Create, Update extends object>(
  { get, list }: Reader<Item>,
  resource: Collection<ResourceKind, Item, Create, Update>,
): Endpoint[] {
  const { path, inputs, tolerates = {} } = resource;
  return [
    {
      method: "POST",
      path,
      status: 201,
      async handle({ context, body, link }) {
        const input = parse(inputs.create, mended(body, tolerates.create));
        return resource.view(await resource.create(context, input), link);
      },
    },
    {
      method: "GET",
      path: `${path}/:id`,
      status: 200,
      async handle(request) {
        return resource.view(await get(request.context, idOf(request)), request.link);
      },
    },
    listEndpoint({ ...resource, list }),
    {
      method: "PATCH",
      path: `${path}/:id`,
      status: 200,
      async handle(request) {
        const body = mended(bodyWithoutPathIds(request), tolerates.update);
        const input = withoutNulls(parse(inputs.update, body));
        const updated = await resource.update(request.context, idOf(request), input);
        return resource.view(updated, request.link);
      },
    },
    {
      method: "DELETE",
      path: `${path}/:id`,
      status: 204,
      handle: (request) => resource.remove(request.context, idOf(request)),
    },
  ];
}

/** GET of a list in the usual envelope. */
export function listEndpoint<Item extends { id: string }>(
  resource: Pick<
    Collection<ResourceKind, Item, unknown, unknown>,
    "kind" | "path" | "listKey" | "view"
  > & {
    list(context: Context, page: PageRequest, params: RestRequest["params"]): Promise<Item[]>;
  },
): Endpoint {
  return {
    method: "GET",
    path: resource.path,
    status: 200,
    query: ["limit", "before_id"],
    handle: async (request) => {
      const page = listRequest(request.query, resource.kind);
      // One row more than asked for tells whether there is a next page.
      const oneMore = { ...page, limit: page.limit + 1 };
      const found = await resource.list(request.context, oneMore, request.params);
      const items = found.slice(0, page.limit);
      const uri = request.link(fillPath(resource.path, request.params));
      const last = items.at(-1);
      const hasMore = found.length > page.limit && last !== undefined;
      return {
        [resource.listKey]: items.map((item) => resource.view(item, request.link)),
        uri,
        next_page_uri: hasMore ? `${uri}?limit=${page.limit}&before_id=${last.id}` : null,
      };
    },
  };
}

/** Another resource as a view names it. */
export function ref(link: Link, path: string, id: string) {
  return { id, uri: link(`${path}/${id}`) };
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

function fillPath(path: string, params: Readonly<Record<string, string>>): string {
  return path.replace(/:(\w+)/g, (_, name: string) => params[name] ?? "");
}
