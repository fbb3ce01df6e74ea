import { createHash } from "node:crypto";
import { lockVersion } from "../../domain/changes/versions.js";
import type { Context } from "../../domain/core/context.js";
import type { ResourceKind } from "../../domain/core/ids.js";

// The entity tags of what is shown. A tag is made of versions, which are read with what they are of.

/** A resource whose version tells whether what is shown of it is still the same. */
export interface Versioned {
  readonly id: string;
  readonly version: number;
  /** Those that it is shown with. */
  readonly routes?: readonly Versioned[];
}

/** The tag of a resource: its version, and a digest of those that it is shown with. */
export function tagOf({ version, routes = [] }: Versioned): string {
  return routes.length === 0 ? String(version) : `${version}-${digestOf(routes)}`;
}

/** The tag of a page of a list; `hasMore` says whether it names a next page. */
export function tagOfPage(items: readonly Versioned[], hasMore: boolean): string {
  return digestOf(items, hasMore ? "more" : "end");
}

function digestOf(rows: readonly Versioned[], last = ""): string {
  const hash = createHash("sha256");
  for (const row of rows) hash.update(`${row.id} ${tagOf(row)}\n`);
  return hash.update(last).digest("base64url").slice(0, DIGEST_LENGTH);
}

/** Of 64 characters each: too many values for two states of a list ever to share one by chance. */
const DIGEST_LENGTH = 22;

/** Locks a resource until the transaction ends, and returns its versions; null when it does not exist. */
export type Lock = (context: Context, id: string) => Promise<Versioned | null>;

/** The lock of a resource that is shown by itself. */
export function lockOf(kind: ResourceKind): Lock {
  return async (context, id) => {
    const version = await lockVersion(context, kind, id);
    return version === null ? null : { id, version };
  };
}
