import type { ChangeSignal, Database, TransactionClient } from "../../database/index.js";
import type { ResourceKind } from "./ids.js";
import type { Keyring } from "./keyring.js";
import type { ReadBudget } from "./read-budget.js";

/** The caller of a request. `keyId` is null for the bootstrap key of the environment. */
export interface Actor {
  readonly keyId: string | null;
  readonly scope: "read" | "write";
}

interface Settings {
  /** The domain below which reserved addresses and SAML service URLs lie. */
  readonly baseDomain: string;
  /** The longest validity that an SSH certificate may have, in seconds. */
  readonly maxCertificateLifetime: number;
  /** Routes that an HTTPS edge may get; one that has more keeps them. */
  readonly maxRoutesPerEdge: number;
}

export interface MeteredChange {
  readonly kind: ResourceKind;
  readonly action: "created" | "updated" | "deleted";
}

/** How GraphQL reads: by the plan of an operation, which was kept or is made; or without one, what no plan has brought. */
export type ReadPlan = "kept" | "made" | "none";

/** Is told what happens, for the log and for metrics. None of its functions throws. */
export interface Meter {
  /** Sends a statement that several requests wait for: it is part of none of them. */
  sendShared<Result>(send: () => Result): Result;
  /** A request begins to wait for such a statement; the function that it returns ends that. */
  awaitShared(): () => void;
  /** These changes were committed. */
  changed(changes: readonly MeteredChange[]): void;
  /** GraphQL reads something from the database. */
  read(plan: ReadPlan): void;
  /** A statement of a query that may be read from the replica was sent to it, or to the primary. */
  readFrom(server: "replica" | "primary"): void;
}

/** A copy of the database that follows it and takes no changes. */
export interface Replica {
  /** Like `readTexts` of the services, and by that while the copy cannot be used. */
  readTexts(text: string, values: readonly unknown[]): Promise<string[]>;
  /** `readTexts` of the services, counted as not from the copy. */
  readPrimaryTexts(text: string, values: readonly unknown[]): Promise<string[]>;
  /** The copy has all entries of the change log below it; null while queries do not use the copy. */
  horizon(): bigint | null;
  /**
   * The horizon up to which the log may be shown that is complete below `settled`: what somebody is told of now is what
   * the copy has when queries use it.
   */
  shown(settled: bigint): Promise<bigint>;
}

/** The services that all requests of one process share. */
export interface Services {
  readonly db: Database | TransactionClient;
  /** Sends a statement that only reads, outside of any transaction; returns the texts of its one column. */
  readTexts(text: string, values: readonly unknown[]): Promise<string[]>;
  /** Sends a statement that changes something and is a transaction by itself; returns the texts of its one column. */
  executeAlone(text: string, values: readonly unknown[]): Promise<string[]>;
  /** What queries may read from instead; absent where there is none. */
  readonly replica?: Replica;
  /** Signals all followers of the change log, in any process, that it has grown. */
  readonly changeSignal: ChangeSignal;
  readonly keyring: Keyring;
  readonly settings: Settings;
  /** A key with full rights that is not stored; null when there is none. */
  readonly bootstrapKey: string | null;
  /** Ends what a connection of the database is doing, by its process id; null where nothing can run unseen. */
  readonly cancelStatement: ((processId: number) => Promise<void>) | null;
  /** The disk of the database has no room for changes. */
  isDiskFull(): boolean;
  /** Absent where nobody counts, as in commands. */
  readonly meter?: Meter;
}

/** The context that every service function takes as an argument, so that it also works inside a transaction. */
export interface Context extends Services {
  readonly actor: Actor;
  /** The id of the request; it is in the change log and in the request log. */
  readonly operationId: string;
  /** Aborted when nobody waits for the answer any more: no further statement is sent, and no change is kept. */
  readonly signal?: AbortSignal;
  /** What the request may read in all. */
  readonly budget?: ReadBudget;
}
