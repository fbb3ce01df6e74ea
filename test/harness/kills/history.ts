import { isDeepStrictEqual } from "node:util";

// What writers asked for and were told, compared with what is stored. Pure functions.

/** One request to change a thing, which has a name of the writer's own, since it may have got no id. */
export interface Write {
  readonly name: string;
  /** The whole thing once the write is done; null when the write deletes it. */
  readonly state: unknown;
  /** What it adds to the log, in any order: `httpsEdge created 1`. */
  readonly entries: readonly string[];
  /**
   * The operation id of the answer that acknowledged it; "found" when no answer came and it turned out to be done; null
   * while nobody knows.
   */
  readonly outcome: string | null;
}

export interface Row {
  readonly kind: string;
  readonly id: string;
  readonly version: number;
}

/** An entry of the change log. */
export interface Entry {
  readonly operationId: string;
  readonly kind: string;
  readonly resourceId: string;
  readonly action: string;
  readonly version: number;
}

/** A serial, by the id of its certificate. */
interface Serial {
  readonly id: string;
  readonly serial: bigint;
}

export interface Stored {
  /** Everything that writers may have made, by the names that they gave. */
  readonly things: ReadonlyMap<string, unknown>;
  /** All rows of all resources. */
  readonly rows: readonly Row[];
  /** The whole log in its order. */
  readonly log: readonly Entry[];
  /** The serials that stand in the stored certificates. */
  readonly signed: readonly Serial[];
  /** The serials that are kept, also for certificates that were deleted. */
  readonly serials: readonly (Serial & { readonly isRevoked: boolean })[];
}

/** What is wrong with what is stored, given all writes, those of one thing in their order. */
export function faultsOf(writes: readonly Write[], stored: Stored): string[] {
  return [
    ...thingFaults(writes, stored),
    ...historyFaults(stored),
    ...operationFaults(settled(writes, stored), stored),
    ...serialFaults(stored),
  ];
}

/** The writes that were done: those that nobody knew of are found in what is stored, or left out. */
export function settled(writes: readonly Write[], { things }: Stored): Write[] {
  return writes.flatMap((write) => {
    if (write.outcome !== null) return [write];
    const isDone = isDeepStrictEqual(things.get(write.name) ?? null, write.state);
    return isDone ? [{ ...write, outcome: "found" }] : [];
  });
}

/** Each thing is as its last acknowledged write left it, or as a later one would, of which nobody knows. */
function thingFaults(writes: readonly Write[], { things }: Stored): string[] {
  const byName = grouped(writes, ({ name }) => name);
  const unknown = [...things.keys()].filter((name) => !byName.has(name));
  const wrong = [...byName].flatMap(([name, writes]) => {
    const last = writes.findLastIndex(({ outcome }) => outcome !== null);
    const possible = [
      writes[last]?.state ?? null,
      ...writes.slice(last + 1).map(({ state }) => state),
    ];
    const found = things.get(name) ?? null;
    if (possible.some((state) => isDeepStrictEqual(state, found))) return [];
    return [`${name} is ${shown(found)} and not ${possible.map(shown).join(" or ")}`];
  });
  return [...unknown.map((name) => `${name} is there, and nobody made it`), ...wrong];
}

const shown = (value: unknown) => JSON.stringify(value);

/** The log says of each resource that it was created, changed version by version, and deleted unless it is there. */
function historyFaults({ rows, log }: Stored): string[] {
  const histories = grouped(log, ({ resourceId }) => resourceId);
  const stored = new Map(rows.map((row) => [row.id, row]));
  const wrong = [...histories].flatMap(([id, entries]) => {
    const told = entries.map(({ kind, action, version }) => `${kind} ${action} ${version}`);
    const expected = expectedHistory(entries, stored.get(id) ?? null);
    if (isDeepStrictEqual(told, expected)) return [];
    return [`the log says of ${id}: ${told.join(", ")}; and not: ${expected.join(", ")}`];
  });
  const silent = rows.filter(({ id }) => !histories.has(id));
  return [...wrong, ...silent.map(({ id }) => `${id} is there, and the log says nothing of it`)];
}

/** Of a resource that is gone, the log alone knows how many versions there were. */
function expectedHistory(entries: readonly Entry[], row: Row | null): string[] {
  const kind = row?.kind ?? entries[0]?.kind;
  const last = row?.version ?? Math.max(...entries.map(({ version }) => version));
  const versions = Array.from({ length: last }, (_, index) => index + 1);
  return [
    ...versions.map((version) => `${kind} ${version === 1 ? "created" : "updated"} ${version}`),
    ...(row ? [] : [`${kind} deleted ${last}`]),
  ];
}

/** Each write that was done has its entries in the log, all under one operation id, and there are no others. */
function operationFaults(done: readonly Write[], { log }: Stored): string[] {
  const operations = grouped(log, ({ operationId }) => operationId);
  const told = (id: string) =>
    inOneText(
      (operations.get(id) ?? []).map(({ kind, action, version }) => `${kind} ${action} ${version}`),
    );
  const acknowledged = done.filter(({ outcome }) => outcome !== "found");
  const wrong = acknowledged.flatMap(({ name, entries, outcome }) => {
    const expected = inOneText(entries);
    const found = told(outcome ?? "");
    return found === expected
      ? []
      : [`the log says of ${outcome}, which changed ${name}: ${found}; and not: ${expected}`];
  });

  const known = new Set(acknowledged.map(({ outcome }) => outcome));
  const others = [...operations.keys()].filter((id) => !known.has(id)).map(told);
  const found = done.filter(({ outcome }) => outcome === "found");
  const missing = found.map(({ entries }) => inOneText(entries));
  for (const text of [...others]) {
    if (!missing.includes(text)) continue;
    missing.splice(missing.indexOf(text), 1);
    others.splice(others.indexOf(text), 1);
  }
  return [
    ...wrong,
    ...others.map((text) => `the log has what nobody did: ${text}`),
    ...missing.map((text) => `the log lacks what was done: ${text}`),
  ];
}

const inOneText = (entries: readonly string[]) => entries.toSorted().join(", ");

/** Each certificate has its serial, which no other has; one that is gone has its serial revoked. */
function serialFaults({ rows, log, signed, serials }: Stored): string[] {
  const certificates = rows.filter(({ kind }) => kind === CERTIFICATE).map(({ id }) => id);
  const made = log.filter(({ kind, action }) => kind === CERTIFICATE && action === "created");
  const there = new Set(certificates);
  const kept = new Map(serials.map((each) => [each.id, each]));
  const faults = made.flatMap(({ resourceId: id }) => {
    const { isRevoked } = kept.get(id) ?? {};
    if (isRevoked === undefined) return [`${id} has no serial`];
    return isRevoked === !there.has(id) ? [] : [`${id} is revoked: ${isRevoked}`];
  });
  const known = new Set(made.map(({ resourceId }) => resourceId));
  const strange = serials.filter(({ id }) => !known.has(id));
  const differing = signed.filter(({ id, serial }) => kept.get(id)?.serial !== serial);
  const doubled = serials.length - new Set(serials.map(({ serial }) => serial)).size;
  return [
    ...faults,
    ...strange.map(({ id }) => `${id} has a serial, and was never made`),
    ...differing.map(({ id, serial }) => `${id} has another serial than ${serial}`),
    ...(doubled > 0 ? [`${doubled} serials are there twice`] : []),
    ...(signed.length === certificates.length ? [] : ["a certificate was not read"]),
  ];
}

const CERTIFICATE = "sshUserCertificate";

function grouped<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}
