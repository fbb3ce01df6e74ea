import { describe, expect, it } from "vitest";
import {
  type Entry,
  faultsOf,
  type Row,
  type Stored,
  settled,
  type Write,
} from "./harness/kills/history.js";

// The check of what is stored after servers were killed: it finds what it is for.

const route = (version: number, header: string) => ({ version, header });
const edge = (...routes: ReturnType<typeof route>[]) => ({ version: 1, routes });

/** An edge that came with two routes, of which one was changed; one that was deleted; two certificates, of which one is gone. */
const WRITES: readonly Write[] = [
  {
    name: "edge",
    state: edge(route(1, "a"), route(1, "b")),
    entries: ["httpsEdge created 1", "httpsEdgeRoute created 1", "httpsEdgeRoute created 1"],
    outcome: "op_1",
  },
  {
    name: "edge",
    state: edge(route(2, "c"), route(1, "b")),
    entries: ["httpsEdgeRoute updated 2"],
    outcome: "op_2",
  },
  { name: "gone", state: edge(), entries: ["httpsEdge created 1"], outcome: "op_3" },
  { name: "gone", state: null, entries: ["httpsEdge deleted 1"], outcome: "op_4" },
  { name: "signed", state: 1, entries: ["sshUserCertificate created 1"], outcome: "op_5" },
  { name: "revoked", state: 1, entries: ["sshUserCertificate created 1"], outcome: "op_6" },
  { name: "revoked", state: null, entries: ["sshUserCertificate deleted 1"], outcome: "op_7" },
];

const entry = (operation: number, of: string, action: string, version: number): Entry => {
  const [kind = "", id = ""] = of.split(" ");
  return { operationId: `op_${operation}`, kind, resourceId: id, action, version };
};

const ROWS: readonly Row[] = [
  { kind: "httpsEdge", id: "e1", version: 1 },
  { kind: "httpsEdgeRoute", id: "r1", version: 2 },
  { kind: "httpsEdgeRoute", id: "r2", version: 1 },
  { kind: "sshUserCertificate", id: "c1", version: 1 },
];

const LOG: readonly Entry[] = [
  entry(1, "httpsEdge e1", "created", 1),
  entry(1, "httpsEdgeRoute r1", "created", 1),
  entry(1, "httpsEdgeRoute r2", "created", 1),
  entry(2, "httpsEdgeRoute r1", "updated", 2),
  entry(3, "httpsEdge e2", "created", 1),
  entry(4, "httpsEdge e2", "deleted", 1),
  entry(5, "sshUserCertificate c1", "created", 1),
  entry(6, "sshUserCertificate c2", "created", 1),
  entry(7, "sshUserCertificate c2", "deleted", 1),
];

const STORED: Stored = {
  things: new Map<string, unknown>([
    ["edge", edge(route(2, "c"), route(1, "b"))],
    ["signed", 1],
  ]),
  rows: ROWS,
  log: LOG,
  signed: [{ id: "c1", serial: 11n }],
  serials: [
    { id: "c1", serial: 11n, isRevoked: false },
    { id: "c2", serial: 12n, isRevoked: true },
  ],
};

const withEdge = (state: unknown): Stored => ({
  ...STORED,
  things: new Map([...STORED.things, ["edge", state]]),
});
const without = (position: number): Stored => ({ ...STORED, log: LOG.toSpliced(position, 1) });
const withEntry = (position: number, added: Entry): Stored => ({
  ...STORED,
  log: LOG.toSpliced(position, 0, added),
});

describe("what is stored as it was acknowledged", () => {
  it("has no faults", () => {
    expect(faultsOf(WRITES, STORED)).toEqual([]);
    expect(settled(WRITES, STORED)).toEqual(WRITES);
  });

  const late: Write = {
    name: "edge",
    state: edge(route(2, "c"), route(2, "d")),
    entries: ["httpsEdgeRoute updated 2"],
    outcome: null,
  };
  const isDone: Stored = {
    ...withEdge(late.state),
    rows: ROWS.map((row) => (row.id === "r2" ? { ...row, version: 2 } : row)),
    log: [...LOG, entry(8, "httpsEdgeRoute r2", "updated", 2)],
  };

  it("has none where the last write, which nobody acknowledged, was done or not", () => {
    const writes = [...WRITES, late];
    expect(faultsOf(writes, STORED)).toEqual([]);
    expect(settled(writes, STORED)).toEqual(WRITES);
    expect(faultsOf(writes, isDone)).toEqual([]);
    const found = settled(writes, isDone);
    expect(found).toEqual([...WRITES, { ...late, outcome: "found" }]);
    expect(faultsOf(found, isDone)).toEqual([]);
  });

  it("has one where a write that was found is gone later, or is in the log alone, or in the rows alone", () => {
    const found = settled([...WRITES, late], isDone);
    expect(faultsOf(found, STORED)).toHaveLength(2);
    expect(faultsOf([...WRITES, late], { ...isDone, things: STORED.things })).toHaveLength(1);
    expect(faultsOf([...WRITES, late], { ...isDone, log: LOG })).toHaveLength(2);
  });
});

const half = edge(route(1, "b"));
const FAULTY: readonly (readonly [string, Stored, string])[] = [
  ["a lost write", withEdge(edge(route(1, "a"), route(1, "b"))), "edge is"],
  ["a lost creation", { ...STORED, things: new Map([["signed", 1]]) }, "edge is null"],
  ["a half-written edge", withEdge(half), "edge is"],
  ["a write that was done twice", withEdge(edge(route(3, "c"), route(1, "b"))), "edge is"],
  [
    "a deletion that was taken back",
    { ...STORED, things: new Map([...STORED.things, ["gone", edge()]]) },
    "gone is",
  ],
  [
    "what nobody made",
    { ...STORED, things: new Map([...STORED.things, ["other", 1]]) },
    "other is there",
  ],
  ["a doubled entry", withEntry(1, LOG[0] as Entry), "the log says of e1"],
  [
    "a doubled entry of another operation",
    withEntry(9, entry(9, "httpsEdgeRoute r2", "updated", 1)),
    "the log says of r2",
  ],
  ["a missing entry of a change", without(3), "the log says of r1"],
  ["a missing entry of a creation", without(2), "r2 is there, and the log says nothing"],
  ["a missing entry of a deletion", without(5), "the log says of e2"],
  [
    "entries in another order than the versions",
    { ...STORED, log: [LOG[3], ...LOG.slice(0, 3), ...LOG.slice(4)] as Entry[] },
    "the log says of r1",
  ],
  [
    "a row of another version than the log",
    { ...STORED, rows: ROWS.map((row) => ({ ...row, version: 2 })) },
    "the log says of e1",
  ],
  [
    "an operation that nobody asked for",
    withEntry(9, entry(9, "ipPolicy p1", "created", 1)),
    "the log has what nobody did",
  ],
  [
    "a certificate without its serial",
    { ...STORED, serials: STORED.serials.slice(1) },
    "no serial",
  ],
  [
    "a serial of no certificate",
    { ...STORED, serials: [...STORED.serials, { id: "c3", serial: 13n, isRevoked: false }] },
    "c3 has a serial",
  ],
  [
    "a serial that two certificates have",
    { ...STORED, serials: STORED.serials.map((each) => ({ ...each, serial: 11n })) },
    "twice",
  ],
  [
    "another serial than that of the certificate",
    { ...STORED, signed: [{ id: "c1", serial: 99n }] },
    "another serial than 99",
  ],
  [
    "a serial that is not revoked with its certificate",
    { ...STORED, serials: STORED.serials.map((each) => ({ ...each, isRevoked: false })) },
    "c2 is revoked: false",
  ],
];

describe("a fault is told:", () => {
  it.each(FAULTY)("%s", (_, stored, text) => {
    expect(faultsOf(WRITES, stored).join("\n")).toContain(text);
  });
});
