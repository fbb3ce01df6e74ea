import { z } from "zod";
import type { Prisma } from "../../database/index.js";
import type { Context } from "../core/context.js";
import { parse } from "../core/fields.js";
import { RESOURCE_KINDS, type ResourceKind } from "../core/ids.js";
import {
  MODULE_OWNERS,
  type ModuleName,
  type ModuleOwner,
  moduleNamesOf,
} from "../modules/index.js";
import { readCounts } from "../storage/counts.js";

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

/**
 * Reads the counts of all kinds, including kinds without resources. The time does not depend on the number of
 * resources.
 */
export async function readOverview(context: Context): Promise<Overview> {
  const counts = await readCounts(context);
  return {
    resources: RESOURCE_KINDS.map((kind) => ({ kind, count: counts.of(kind) })),
    modules: MODULE_OWNERS.flatMap((owner) =>
      moduleNamesOf(owner).map((module) => ({
        owner,
        module,
        ...counts.modules(owner, module),
      })),
    ),
  };
}

/** The maximum of a count, so that counting never takes longer. */
export const MOST_COUNTED = 10_000;
export const DEFAULT_EXPIRY_WITHIN = "P30D";

/** A count; the real number is higher than `count` when `isMore` is true. */
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
  readonly sshHostCertificates: Expiry;
  readonly sshUserCertificates: Expiry;
  readonly certificateAuthorities: Expiry;
  readonly tlsCertificates: Expiry;
}

const SECONDS = { weeks: 604_800, days: 86_400, hours: 3600, minutes: 60, seconds: 1 };
const DURATION =
  /^P(?!$)(?:(?<weeks>\d{1,9})W)?(?:(?<days>\d{1,9})D)?(?:T(?!$)(?:(?<hours>\d{1,9})H)?(?:(?<minutes>\d{1,9})M)?(?:(?<seconds>\d{1,9})S)?)?$/;
export const MOST_DAYS = 36_500;

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

/** The rule of the arguments of `countExpiring`. */
export const expiryArguments = z.object({ within: duration });

/**
 * Certificates that expire within a duration from now, and expired ones. An SSH certificate is no longer valid at its
 * `validUntil`, another one after its `notAfter`. Throws INVALID_REQUEST when `within` is not a duration.
 */
export async function countExpiring(
  { db }: Context,
  within: string = DEFAULT_EXPIRY_WITHIN,
  now = new Date(),
): Promise<Expiries> {
  const { within: seconds } = parse(expiryArguments, { within });
  const until = new Date(now.getTime() + seconds * 1000);
  // One past the bound tells that there are more.
  const take = MOST_COUNTED + 1;
  const host = (validUntil: Prisma.DateTimeFilter) =>
    db.sshHostCertificate.count({ where: { validUntil }, take });
  const user = (validUntil: Prisma.DateTimeFilter) =>
    db.sshUserCertificate.count({ where: { validUntil }, take });
  const ca = (notAfter: Prisma.DateTimeFilter) =>
    db.certificateAuthority.count({ where: { notAfter }, take });
  const tls = (notAfter: Prisma.DateTimeFilter) =>
    db.tlsCertificate.count({ where: { notAfter }, take });
  const [
    hostExpiring,
    hostExpired,
    userExpiring,
    userExpired,
    caExpiring,
    caExpired,
    tlsExpiring,
    tlsExpired,
  ] = await Promise.all([
    host({ gt: now, lte: until }),
    host({ lte: now }),
    user({ gt: now, lte: until }),
    user({ lte: now }),
    ca({ gte: now, lt: until }),
    ca({ lt: now }),
    tls({ gte: now, lt: until }),
    tls({ lt: now }),
  ]);
  return {
    sshHostCertificates: { expiring: bounded(hostExpiring), expired: bounded(hostExpired) },
    sshUserCertificates: { expiring: bounded(userExpiring), expired: bounded(userExpired) },
    certificateAuthorities: { expiring: bounded(caExpiring), expired: bounded(caExpired) },
    tlsCertificates: { expiring: bounded(tlsExpiring), expired: bounded(tlsExpired) },
  };
}

function bounded(count: number): BoundedCount {
  return { count: Math.min(count, MOST_COUNTED), isMore: count > MOST_COUNTED };
}
