import {
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  getNamedType,
  isObjectType,
} from "graphql";
import { DomainError } from "../../domain/core/errors.js";
import { kindOfId, RESOURCES, type ResourceKind } from "../../domain/core/ids.js";
import type { HttpsEdge } from "../../domain/https-edges.js";
import type { List, Nested, Sequence } from "../../domain/lists/sequences.js";
import {
  askPage,
  askPages,
  askRow,
  askRows,
  type PageQuestion,
  type PagesQuestion,
  type RowsQuestion,
} from "../../domain/reads/ask.js";
import { NOTHING } from "../../domain/reads/shape.js";
import { type ResourceIn, type Resources, resource } from "../../domain/reads/tables.js";
import { kindsIn, REFERENCES, type Table } from "../../domain/storage/graph.js";
import { findOne } from "../../domain/storage/rows.js";
import type { GraphqlContext } from "../builder/builder.js";
import type { Connection } from "../builder/connections.js";
import { type ListArguments, requestOf } from "../builder/list-requests.js";
import { loadFrom } from "../builder/loaders.js";
import type { AskedPage } from "./asked-pages.js";
import { brought } from "./brought.js";
import { operationOf, planCache } from "./plans.js";
import { selectPage, selectRows } from "./selections.js";

// How resolvers read. One of a root field reads all that is selected below it, in one statement; those below find it
// where it was put. What was not brought along, such as what the result of a mutation refers to, is read for all
// objects of the request at once, again with all that is selected below.

const plannedRows = planCache<RowsQuestion>();
const plannedPage = planCache<PageQuestion>();

/** One resource, for a root field. Throws NOT_FOUND. */
export function readResource<Kind extends ResourceKind>(
  context: GraphqlContext,
  info: GraphQLResolveInfo,
  kind: Kind,
  id: string,
): Promise<Resources[Kind]> {
  return findOne(kind, id, () => findResource(context, info, kind, id));
}

/** The same, and null when there is none. */
export async function findResource<Kind extends ResourceKind>(
  context: GraphqlContext,
  info: GraphQLResolveInfo,
  kind: Kind,
  id: string,
): Promise<Resources[Kind] | null> {
  const { table } = RESOURCES[kind];
  const { question, pages } = plannedRows(context.meter, info, kind, (operation) => {
    const { read, ...plan } = selectRows(operation, table, [kind], info.fieldNodes);
    return { ...plan, question: { kind: "rows", table, by: "id", isOne: true, shape: read } };
  });
  const row = await askRow(context, question, id, pages);
  return row && resource<Kind>(row);
}

/** A page of a list, for a root field. Throws INVALID_REQUEST for all arguments that are not as they should be. */
export async function readPage<Kind extends ResourceKind>(
  context: GraphqlContext,
  info: GraphQLResolveInfo,
  list: List<Kind>,
  args: ListArguments,
): Promise<Connection<Resources[Kind]>> {
  const request = requestOf(list, args);
  const { question, pages } = plannedPage(context.meter, info, list.kinds.join(), (operation) => {
    const type = connectionType(info);
    const { read, ...plan } = selectPage(operation, type, list, request, info.fieldNodes);
    return { ...plan, question: { kind: "page", sequence: list, page: read } };
  });
  return connection<Kind>(await askPage(context, question, request, pages));
}

/** A resource by its id, read together with all others that the same field asks for; null when there is none. */
export async function loadResource<Kind extends ResourceKind>(
  context: GraphqlContext,
  info: GraphQLResolveInfo,
  kind: Kind,
  id: string,
): Promise<Resources[Kind] | null> {
  const { table } = RESOURCES[kind];
  const row = await loadFrom(context, info.fieldNodes, table, (ids) => rowsById(ids), id);
  return row ? resource<Kind>(row) : null;

  async function rowsById(ids: readonly string[]) {
    context.meter?.read("none");
    const operation = operationOf(info);
    const { read, pages } = selectRows(operation, table, kindsIn(table), info.fieldNodes);
    const question: RowsQuestion = { kind: "rows", table, by: "id", isOne: false, shape: read };
    const rows = await askRows(context, question, ids, givenWith(pages, info));
    return new Map(rows.map((row) => [String(row.id), row]));
  }
}

/** The edge of a route, read together with those of all other routes that the same field asks for. */
export async function loadEdgeOfRoute(
  context: GraphqlContext,
  info: GraphQLResolveInfo,
  routeId: string,
): Promise<HttpsEdge | null> {
  const { from, to } = REFERENCES.edgeOfRoute;
  const readEdges = async (ids: readonly string[]) => {
    context.meter?.read("none");
    const operation = operationOf(info);
    const { read, pages } = selectRows(operation, to, kindsIn(to), info.fieldNodes);
    const shape = { ...NOTHING, targets: [{ field: "edgeId", shape: read }] };
    const question: RowsQuestion = { kind: "rows", table: from, by: "id", isOne: false, shape };
    const routes = await askRows(context, question, ids, givenWith(pages, info));
    return new Map(routes.map((route) => [String(route.id), brought<typeof to>(route, "edgeId")]));
  };
  return (await loadFrom(context, info.fieldNodes, from, readEdges, routeId)) ?? null;
}

/** A resource of any kind by its id; null when there is none, or when it is no id of a resource. */
export async function loadNode(context: GraphqlContext, info: GraphQLResolveInfo, id: string) {
  const kind = kindOfId(id);
  return kind && loadResource(context, info, kind, id);
}

/** Resources of any kinds, in the order of `ids`. A resource that has just been deleted is left out. */
export async function loadNodes(
  context: GraphqlContext,
  info: GraphQLResolveInfo,
  ids: readonly string[],
) {
  const found = await Promise.all(ids.map((id) => loadNode(context, info, id)));
  return found.filter((node) => node !== null);
}

/** A page of those who refer to a resource, read together with those of all others that the same field asks for. */
export async function loadPage<Kind extends ResourceKind>(
  context: GraphqlContext,
  info: GraphQLResolveInfo,
  nested: Nested<Sequence<Kind>>,
  args: ListArguments,
  key: string,
  ownerId: string,
): Promise<Connection<Resources[Kind]>> {
  const { sequence } = nested;
  const request = requestOf(sequence, args);
  const readPages = (ids: readonly string[]) => {
    context.meter?.read("none");
    const operation = operationOf(info);
    const type = connectionType(info);
    const { read, pages } = selectPage(operation, type, sequence, request, info.fieldNodes);
    const question: PagesQuestion = { kind: "pages", nested, page: read };
    return askPages(context, question, ids, request, givenWith(pages, info));
  };
  const page = await loadFrom(context, info.fieldNodes, key, readPages, ownerId);
  if (!page) throw new Error("Every owner has a page.");
  return connection<Kind>(page);
}

/** The resource of a reference to a table. Throws NOT_FOUND. */
export async function loadTarget<To extends Table>(
  context: GraphqlContext,
  info: GraphQLResolveInfo,
  id: string,
): Promise<ResourceIn<To>> {
  const found = await loadOf<To>(context, info, id);
  if (found) return found;
  const kind = kindOfId(id);
  const what = kind ? RESOURCES[kind].name : "resource";
  throw new DomainError("NOT_FOUND", `There is no ${what} "${id}".`);
}

/** The resources of references to a table, in order. Resources that have just been deleted are left out. */
export async function loadAll<To extends Table>(
  context: GraphqlContext,
  info: GraphQLResolveInfo,
  ids: readonly string[],
): Promise<ResourceIn<To>[]> {
  const found = await Promise.all(ids.map((id) => loadOf<To>(context, info, id)));
  return found.filter((resource) => resource !== null);
}

/** The resource of a reference to a table. */
export async function loadOf<To extends Table>(
  context: GraphqlContext,
  info: GraphQLResolveInfo,
  id: string,
): Promise<ResourceIn<To> | null> {
  return (await loadNode(context, info, id)) as ResourceIn<To> | null;
}

function givenWith(pages: readonly AskedPage[], { variableValues }: GraphQLResolveInfo) {
  return pages.map((page) => {
    const given = page(variableValues);
    if (!given) throw new Error("A page that does not fit is left out of the plan.");
    return given;
  });
}

function connectionType({ returnType, fieldName }: GraphQLResolveInfo): GraphQLObjectType {
  const type = getNamedType(returnType);
  if (isObjectType(type)) return type;
  throw new Error(`The field ${fieldName} is no connection.`);
}

/** What a statement has brought is as its shape says, which was made for the fields that look for it. */
function connection<Kind extends ResourceKind>(
  page: Connection<unknown>,
): Connection<Resources[Kind]> {
  return page as Connection<Resources[Kind]>;
}
