import { Prisma } from "../../database/index.js";
import type { Context } from "../core/context.js";
import { DomainError, type Issue } from "../core/errors.js";
import { USER_MAPS } from "../core/fields.js";
import { kindOfId, RESOURCES, type ResourceKind } from "../core/ids.js";
import { ALL_REFERENCES, firstUsers, identifier, type Table } from "./graph.js";

/** Fields that hold ids of other resources: one id, a list of them, or a map with them as keys. No input has an `id` of its own. */
const REFERENCE_FIELDS: ReadonlySet<string> = new Set([
  "id",
  // An edge that a route would be added to is looked for by itself.
  ...ALL_REFERENCES.map(({ input }) => input).filter((input) => input !== "edgeId"),
]);

interface GivenReference {
  readonly path: readonly (string | number)[];
  readonly id: string;
}

/** An issue for each id in `input` that is of a kind of ours and does not exist. One statement. */
export async function danglingReferences(context: Context, input: unknown): Promise<Issue[]> {
  const references = findReferences(input, []);
  if (references.length === 0) return [];
  const existing = await existingIds(context, [...new Set(references.map(({ id }) => id))]);
  return references
    .filter(({ id }) => !existing.has(id))
    .map(({ path, id }) => ({ path, message: `refers to "${id}", which does not exist` }));
}

/**
 * Adds to the error for `error.input` the issues that only the database can find, so that the caller gets all problems
 * at once.
 */
export async function withDanglingReferences(
  context: Context,
  error: DomainError,
): Promise<readonly Issue[]> {
  if (error.input === undefined) return error.issues;
  const reported = new Set(error.issues.map(({ path }) => path.join(".")));
  const dangling = await danglingReferences(context, error.input);
  return [...error.issues, ...dangling.filter(({ path }) => !reported.has(path.join(".")))];
}

function findReferences(value: unknown, path: readonly (string | number)[]): GivenReference[] {
  if (Array.isArray(value)) {
    return value.flatMap((item: unknown, index) => findReferences(item, [...path, index]));
  }
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const below = [...path, name];
    const own = REFERENCE_FIELDS.has(name)
      ? idsIn(member).map(({ key, id }) => ({
          path: key === undefined ? below : [...below, key],
          id,
        }))
      : [];
    const isUserMap = USER_MAPS.has(name) && !Array.isArray(member);
    return isUserMap ? own : [...own, ...findReferences(member, below)];
  });
}

function idsIn(value: unknown): { key?: string | number; id: string }[] {
  if (typeof value === "string") return kindOfId(value) ? [{ id: value }] : [];
  if (Array.isArray(value)) {
    return value.flatMap((id: unknown, key) =>
      typeof id === "string" && kindOfId(id) ? [{ key, id }] : [],
    );
  }
  if (typeof value !== "object" || value === null) return [];
  return Object.keys(value)
    .filter((id) => kindOfId(id) !== null)
    .map((id) => ({ key: id, id }));
}

async function existingIds({ db }: Context, ids: readonly string[]): Promise<Set<string>> {
  const idsByTable = new Map<Table, string[]>();
  for (const id of ids) {
    const kind = kindOfId(id);
    if (!kind) continue;
    const { table } = RESOURCES[kind];
    const wanted = idsByTable.get(table) ?? [];
    wanted.push(id);
    idsByTable.set(table, wanted);
  }
  const found = [...idsByTable].map(
    ([table, wanted]) =>
      Prisma.sql`SELECT id FROM ${identifier(table)} WHERE id = ANY(${wanted}::text[])`,
  );
  const rows = await db.$queryRaw<{ id: string }[]>`${Prisma.join(found, " UNION ALL ")}`;
  return new Set(rows.map(({ id }) => id));
}

const MOST_USERS_NAMED = 5;

/** Throws IN_USE with up to five users while another resource refers to the resource, by the graph of references. */
export async function refuseWhileInUse(
  { db }: Context,
  kind: ResourceKind,
  id: string,
): Promise<void> {
  const { table } = RESOURCES[kind];
  const found = await db.$queryRaw<
    { id: string }[]
  >`${firstUsers(table, id, MOST_USERS_NAMED + 1)}`;
  const users = found.map(({ id }) => id);
  if (users.length === 0) return;
  const named = users.slice(0, MOST_USERS_NAMED);
  const rest = users.length > named.length ? " and more" : "";
  throw new DomainError(
    "IN_USE",
    `The ${RESOURCES[kind].name} ${id} is still used by ${named.join(", ")}${rest}.`,
    named.map((user, index) => ({ path: ["usedBy", index], message: describeUser(user) })),
  );
}

function describeUser(id: string): string {
  const kind = kindOfId(id);
  return kind ? `${RESOURCES[kind].name} ${id}` : id;
}
