import { z } from "zod";
import { Prisma } from "../database/index.js";
import type { Context } from "./context.js";
import { parse } from "./fields.js";
import { RESOURCES, type ResourceKind } from "./ids.js";
import { MODULES_BY_OWNER, type ModuleName, type ModuleOwner, readTallies } from "./tallies.js";

/** How many resources there are, and how many modules of each kind they have. */
export interface Overview {
  readonly resources: readonly { readonly kind: ResourceKind; readonly count: number }[];
  readonly modules: readonly ModuleCount[];
}

export interface ModuleCount {
  readonly owner: ModuleOwner;
  readonly module: ModuleName;
  readonly enabled: number;
  readonly disabled: number;
}

/** All kinds, also those of which there is none. In the same time whatever their number. */
export async function readOverview(context: Context): Promise<Overview> {
  const counts = await readTallies(context);
  const kinds = Object.keys(RESOURCES) as ResourceKind[];
  const owners = Object.keys(MODULES_BY_OWNER) as ModuleOwner[];
  return {
    resources: kinds.map((kind) => ({ kind, count: counts.of(kind) })),
    modules: owners.flatMap((owner) =>
      MODULES_BY_OWNER[owner].map((module) => ({
        owner,
        module,
        ...counts.modules(owner, module),
      })),
    ),
  };
}

/** Counted so far and no further, so that counting takes the same time however many there are. */
export const MOST_COUNTED = 10_000;
export const DEFAULT_EXPIRY_WITHIN = "P30D";

/** How many there are: `count`, or that and more. */
export interface BoundedCount {
  readonly count: number;
  readonly isMore: boolean;
}

/** Certificates that expire in time, and those that have already. */
export interface Expiry {
  readonly expiring: BoundedCount;
  readonly expired: BoundedCount;
}

export interface Expiries {
  readonly sshUserCertificates: Expiry;
  readonly certificateAuthorities: Expiry;
}

const SECONDS = { weeks: 604_800, days: 86_400, hours: 3600, minutes: 60, seconds: 1 };
const DURATION =
  /^P(?!$)(?:(?<weeks>\d{1,9})W)?(?:(?<days>\d{1,9})D)?(?:T(?!$)(?:(?<hours>\d{1,9})H)?(?:(?<minutes>\d{1,9})M)?(?:(?<seconds>\d{1,9})S)?)?$/;
const MOST_DAYS = 36_500;

/** A duration of ISO 8601 in weeks, days, hours, minutes and seconds, of at most 36500 days, in seconds. */
const duration = z.string().transform((text, ctx): number => {
  const parts = DURATION.exec(text)?.groups;
  if (!parts) {
    ctx.addIssue(
      "must be a duration of ISO 8601 such as P30D or PT12H, in weeks, days, hours, minutes and seconds",
    );
    return z.NEVER;
  }
  const seconds = Object.entries(SECONDS).reduce(
    (sum, [unit, length]) => sum + Number(parts[unit] ?? 0) * length,
    0,
  );
  if (seconds > MOST_DAYS * SECONDS.days) ctx.addIssue(`must be at most ${MOST_DAYS} days`);
  return seconds;
});

const expiryRule = z.object({ within: duration });

/**
 * Certificates that expire within a duration from now, and expired ones. An SSH certificate is no longer valid at
 * its `validUntil`, a certificate authority after its `notAfter`. Throws INVALID_REQUEST for what is no duration.
 */
export async function countExpiring(
  { db }: Context,
  within: string = DEFAULT_EXPIRY_WITHIN,
  now = new Date(),
): Promise<Expiries> {
  const { within: seconds } = parse(expiryRule, { within });
  const until = new Date(now.getTime() + seconds * 1000);
  const ssh = { table: "ssh_user_certificates", column: "valid_until", isOver: "<=" } as const;
  const ca = { table: "certificate_authorities", column: "not_after", isOver: "<" } as const;
  const [counts] = await db.$queryRaw<Record<"a" | "b" | "c" | "d", number>[]>`
    SELECT ${counted(ssh, now, until)} AS a, ${counted(ssh, null, now)} AS b,
      ${counted(ca, now, until)} AS c, ${counted(ca, null, now)} AS d`;
  if (!counts) throw new Error("There is always one row.");
  return {
    sshUserCertificates: { expiring: bounded(counts.a), expired: bounded(counts.b) },
    certificateAuthorities: { expiring: bounded(counts.c), expired: bounded(counts.d) },
  };
}

interface Expiring {
  readonly table: string;
  readonly column: string;
  /** How the end of validity compares with a time at which it is over. */
  readonly isOver: "<" | "<=";
}

/** How many are over at `until` that were not yet at `since`; no more than one past the bound are looked at. */
function counted({ table, column, isOver }: Expiring, since: Date | null, until: Date): Prisma.Sql {
  const end = Prisma.raw(`"${column}"`);
  const over = Prisma.raw(isOver);
  return Prisma.sql`(SELECT count(*)::integer FROM (
    SELECT FROM ${Prisma.raw(`"${table}"`)}
    WHERE ${end} ${over} ${until} ${since ? Prisma.sql`AND NOT ${end} ${over} ${since}` : Prisma.empty}
    LIMIT ${MOST_COUNTED + 1}) AS found)`;
}

function bounded(count: number): BoundedCount {
  return { count: Math.min(count, MOST_COUNTED), isMore: count > MOST_COUNTED };
}
