import { DomainError } from "../core/errors.js";
import { kindOfId, newIdWithTime, RESOURCES, type ResourceKind } from "../core/ids.js";
import { isSameJson } from "../formats/json.js";

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

/** What Prisma returns of a write: the id alone, since the service knows what it wrote. */
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
