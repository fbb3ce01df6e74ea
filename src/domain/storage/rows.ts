import { Prisma } from "../../database/index.js";
import type { Context } from "../core/context.js";
import { DomainError } from "../core/errors.js";
import { kindOfId, newIdWithTime, RESOURCES, type ResourceKind } from "../core/ids.js";
import { isSameJson } from "../formats/json.js";
import { identifier, REFERENCES } from "./graph.js";

/** The members that every resource has. */
export interface Resource {
  readonly id: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** Starts at 1 and grows by one with each change. */
  readonly version: number;
  readonly description: string;
  readonly metadata: string;
}

/** The columns that a new row of `kind` begins with. The time is that of the id, so lists can search by either. */
export function newRow(kind: ResourceKind) {
  const { id, time } = newIdWithTime(kind);
  return { id, createdAt: time, updatedAt: time, version: 1 };
}

/** The columns that every change of a locked row sets. */
export function touched({ version }: Resource) {
  return { updatedAt: new Date(), version: version + 1 };
}

/** The row that a write stored. */
export const ID_ALONE = { id: true } as const;

/** The value to store for a text of an input: absent keeps the value, null clears it. */
export function cleared(value: string | null | undefined): string | undefined {
  return value === null ? "" : value;
}

interface GivenTexts {
  readonly description?: string | null | undefined;
  readonly metadata?: string | null | undefined;
}

/** The description and metadata of a create's input. */
export function createdTexts(input: GivenTexts) {
  return { description: input.description ?? "", metadata: input.metadata ?? "" };
}

/** The description and metadata of an update's input. */
export function changedTexts(input: GivenTexts) {
  return { description: cleared(input.description), metadata: cleared(input.metadata) };
}

/** The members of `wanted` that are given and differ from `current`; null when there are none. */
export function changedMembers<Current extends object, Wanted extends Partial<Current>>(
  current: Current,
  wanted: { [Key in keyof Wanted]: Wanted[Key] | undefined },
): Partial<Wanted> | null {
  const changed = Object.entries(wanted).filter(
    ([key, value]) => value !== undefined && !isSameJson(value, current[key as keyof Current]),
  );
  return changed.length > 0 ? (Object.fromEntries(changed) as Partial<Wanted>) : null;
}

/** Returns the result of `read`, or throws NOT_FOUND. It does not read when `id` is not an id of `kind`. */
export async function findOne<Found>(
  kind: ResourceKind,
  id: string,
  read: () => Promise<Found | null>,
): Promise<Found> {
  const isOfKind = kindOfId(id) === kind;
  const found = isOfKind ? await read() : null;
  if (found !== null) return found;
  const { name, prefix } = RESOURCES[kind];
  const hint = isOfKind ? "" : ` Ids of this kind start with ${prefix}_.`;
  throw new DomainError("NOT_FOUND", `There is no ${name} "${id.slice(0, 100)}".${hint}`);
}

// Who locks several rows takes what they belong to first, then them in the order of their ids: so nobody waits in
// a circle. What one statement reads may be older than the locks it takes, hence the rows are read by the next one.

/** Locks the row until the transaction ends, so that later reads in the transaction stay valid. */
export async function lockRow({ db }: Context, kind: ResourceKind, id: string): Promise<void> {
  const table = Prisma.raw(`"${RESOURCES[kind].table}"`);
  await db.$queryRaw`SELECT 1 FROM ${table} WHERE "id" = ${id} FOR UPDATE`;
}

/** Takes a shared lock: nobody can change or delete the row until the transaction ends. */
export async function keepRow({ db }: Context, kind: ResourceKind, id: string): Promise<void> {
  const table = Prisma.raw(`"${RESOURCES[kind].table}"`);
  await db.$queryRaw`SELECT 1 FROM ${table} WHERE "id" = ${id} FOR KEY SHARE`;
}

/**
 * Locks all rows of `kind` that are part of a locked row until the transaction ends. None of them can be changed,
 * deleted or added before.
 */
export async function lockRowsOf(
  { db }: Context,
  kind: "httpsEdgeRoute" | "ipPolicyRule",
  ownerId: string,
): Promise<void> {
  const { from, column } = OWNERS[kind];
  await db.$queryRaw`
    SELECT count(*) FROM (
      SELECT 1 FROM ${identifier(from)} WHERE ${identifier(column)} = ${ownerId} ORDER BY "id" FOR UPDATE
    ) AS held`;
}

const OWNERS = {
  httpsEdgeRoute: REFERENCES.edgeOfRoute,
  ipPolicyRule: REFERENCES.policyOfRule,
};
