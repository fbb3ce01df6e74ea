import type { Context } from "../core/context.js";
import { RESOURCES, type ResourceKind } from "../core/ids.js";
import { NEWEST_FIRST, OLDEST_FIRST } from "../lists/orders.js";
import {
  type FilteredPageRequest,
  type ListRequest,
  type Nested,
  type Sequence,
  sequenceOf,
} from "../lists/sequences.js";
import { REFERENCES, type Reference } from "../storage/graph.js";
import { findOne } from "../storage/rows.js";
import {
  askOriginals,
  askPage,
  askPages,
  askRow,
  askRows,
  type PageQuestion,
  type PagesQuestion,
  type RowsQuestion,
} from "./ask.js";
import type { ReadPage } from "./decode.js";
import { type GivenPage, outline, type PageShape, placeOf, type Shape, whole } from "./shape.js";
import { type Resources, resource } from "./tables.js";

// Whole resources: what services and REST read.

/** A resource with all its members; null when there is none. */
export async function readOne<Kind extends ResourceKind>(
  context: Context,
  kind: Kind,
  id: string,
): Promise<Resources[Kind] | null> {
  const row = await askRow(context, BY_ID[kind], id);
  return row && resource<Kind>(row);
}

/** A resource with all its members. Throws NOT_FOUND. */
export function getOne<Kind extends ResourceKind>(
  context: Context,
  kind: Kind,
  id: string,
): Promise<Resources[Kind]> {
  return findOne(kind, id, () => readOne(context, kind, id));
}

/** A resource that is to be changed. */
export interface Original<Value> {
  readonly value: Value;
  /** Its members as they are stored, such as documents with sealed secrets. */
  readonly stored: Readonly<Record<string, unknown>>;
}

/** A resource that is to be changed; null when there is none. */
export async function readOriginal<Kind extends ResourceKind>(
  context: Context,
  kind: Kind,
  id: string,
): Promise<Original<Resources[Kind]> | null> {
  const [found] = await askOriginals(context, BY_ID[kind], [id]);
  return found ? { value: resource<Kind>(found.value), stored: found.stored } : null;
}

/** A resource that is to be changed. Throws NOT_FOUND. */
export function getOriginal<Kind extends ResourceKind>(
  context: Context,
  kind: Kind,
  id: string,
): Promise<Original<Resources[Kind]>> {
  return findOne(kind, id, () => readOriginal(context, kind, id));
}

/** Those that are part of another resource. */
type PartKind = "httpsEdgeRoute" | "ipPolicyRule";

/** All parts of a resource, which are to be changed; oldest first. */
export async function originalParts<Kind extends PartKind>(
  context: Context,
  kind: Kind,
  ownerId: string,
): Promise<Original<Resources[Kind]>[]> {
  const found = await askOriginals(context, PARTS[kind], [ownerId]);
  return found.map(({ value, stored }) => ({ value: resource<Kind>(value), stored }));
}

/**
 * All parts of a resource, oldest first, as the log and the counts tell of them when they go with it: of modules that
 * are documents, which can be megabytes, only whether they are enabled. Their settings stand in the log where they
 * were made.
 */
export async function partsInOutline<Kind extends PartKind>(
  context: Context,
  kind: Kind,
  ownerId: string,
): Promise<Resources[Kind][]> {
  const rows = await askRows(context, PARTS_IN_OUTLINE[kind], [ownerId]);
  return rows.map((row) => resource<Kind>(row));
}

const BY_ID = Object.fromEntries(
  Object.entries(RESOURCES).map(([kind, { table }]) => [
    kind,
    { kind: "rows", table, by: "id", isOne: true, shape: whole(table) },
  ]),
) as Readonly<Record<ResourceKind, RowsQuestion>>;

const PARTS: Readonly<Record<PartKind, RowsQuestion>> = {
  httpsEdgeRoute: partsOf(REFERENCES.edgeOfRoute, whole("https_edge_routes")),
  ipPolicyRule: partsOf(REFERENCES.policyOfRule, whole("ip_policy_rules")),
};

const PARTS_IN_OUTLINE: Readonly<Record<PartKind, RowsQuestion>> = {
  httpsEdgeRoute: partsOf(REFERENCES.edgeOfRoute, outline("https_edge_routes")),
  ipPolicyRule: partsOf(REFERENCES.policyOfRule, outline("ip_policy_rules")),
};

function partsOf({ from, column }: Reference, shape: Shape): RowsQuestion {
  return { kind: "rows", table: from, by: column, isOne: true, shape };
}

/**
 * Returns a function that reads a page of a sequence, newest first, with all members of its resources. A larger `shape`
 * can have pages of the resources that refer to a row; the requests for these pages are `nested`.
 */
export function listReader<Kind extends ResourceKind>(
  sequence: Sequence<Kind>,
  shape: Shape = whole(sequence.table),
  nested: readonly GivenPage[] = [],
): (context: Context, page: FilteredPageRequest) => Promise<Resources[Kind][]> {
  const questionFor = byPlace(shape, (page): PageQuestion => ({ kind: "page", sequence, page }));
  return async (context, page) => {
    const request = newestFirst(page);
    const { rows } = await askPage(context, questionFor(request), request, nested);
    return rows.map((row) => resource<Kind>(row));
  };
}

/**
 * Returns a function that reads a page of the resources that refer to a row, newest first, with all of their members.
 */
export function nestedListReader<Kind extends ResourceKind>(
  nested: Nested<Sequence<Kind>>,
): (context: Context, ownerId: string, page: FilteredPageRequest) => Promise<Resources[Kind][]> {
  const shape = whole(nested.sequence.table);
  const questionFor = byPlace(shape, (page): PagesQuestion => ({ kind: "pages", nested, page }));
  return async (context, ownerId, page) => {
    const request = newestFirst(page);
    const pages = await askPages(context, questionFor(request), [ownerId], request);
    return (pages.get(ownerId)?.rows ?? []).map((row) => resource<Kind>(row));
  };
}

/** A resource together with all that is part of it, as `name`. */
type WithParts<
  Kind extends ResourceKind,
  Part extends ResourceKind,
  Name extends string,
> = Resources[Kind] & { readonly [Key in Name]: readonly Resources[Part][] };

/** Returns a function that reads resources with all of their parts, oldest first, in one statement. */
export function withPartsReader<
  Kind extends ResourceKind,
  Part extends PartKind,
  Name extends string,
>(kind: Kind, part: Part, reference: Reference, name: Name) {
  const request: ListRequest = { conditions: [], order: OLDEST_FIRST, limit: ALL };
  const nested = { sequence: sequenceOf(part), reference };
  const parts = { rows: whole(nested.sequence.table), more: false, count: false };
  const sequence = sequenceOf(kind);
  const shape: Shape = {
    ...whole(sequence.table),
    pages: [{ nested, page: { number: 1, ...placeOf(request), ...parts } }],
  };
  const byId: RowsQuestion = {
    kind: "rows",
    table: sequence.table,
    by: "id",
    isOne: true,
    shape,
  };
  const given = [{ key: name, request }];
  const readRows = listReader(sequence, shape, given);
  const withParts = (row: object) => {
    const { [name]: page } = row as { [name: string]: ReadPage<Resources[Part]> };
    return { ...row, [name]: page?.rows ?? [] } as WithParts<Kind, Part, Name>;
  };
  return {
    /** Null when there is none. */
    async readOne(context: Context, id: string): Promise<WithParts<Kind, Part, Name> | null> {
      const row = await askRow(context, byId, id, given);
      return row && withParts(row);
    },
    /** Newest first. */
    async readPage(
      context: Context,
      page: FilteredPageRequest,
    ): Promise<WithParts<Kind, Part, Name>[]> {
      return (await readRows(context, page)).map(withParts);
    },
  };
}

/** More than there can be. */
const ALL = 2 ** 31;

/** The questions for all kinds of places that a page may have in a list, each made once; with conditions each time. */
function byPlace<Asked>(shape: Shape, make: (page: PageShape) => Asked) {
  const questions = new Map<string, Asked>();
  return (request: ListRequest): Asked => {
    const place = placeOf(request);
    const parts = { rows: shape, more: false, count: false };
    if (request.conditions.length > 0) return make({ number: 0, ...place, ...parts });
    const key = [place.limit, place.fromEnd, place.isAfter, place.isBefore].join();
    const known = questions.get(key);
    if (known) return known;
    const question = make({ number: 0, ...place, ...parts });
    questions.set(key, question);
    return question;
  };
}

/** A page in the order of creation, as a request to a list. */
export function newestFirst({
  conditions = [],
  limit,
  after,
  before,
  fromEnd,
}: FilteredPageRequest): ListRequest {
  return {
    conditions,
    order: NEWEST_FIRST,
    limit,
    after: after === undefined ? undefined : { id: after },
    before: before === undefined ? undefined : { id: before },
    fromEnd,
  };
}
