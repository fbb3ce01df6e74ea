import { once } from "node:events";
import { rm } from "node:fs/promises";
import path from "node:path";
import { Client } from "pg";
import { FAULTS_KEY } from "../faults.js";
import { runServer, urlOf } from "../processes.js";
import { type Change, changePolicies, type Histories } from "./changes.js";
import { type Moment, readTrace, tracing } from "./strace.js";

export interface Recording {
  readonly moments: readonly Moment[];
  readonly histories: Histories;
  /** At which of the moments the server began to send the answer with an operation id. */
  readonly answers: ReadonlyMap<string, number>;
}

const CLIENTS = 8;

/**
 * Traces the server on `dataDir` from its start to its stop, while clients make `policies` each in every round. In each
 * round the database moves to the next file of its write-ahead log, and makes a checkpoint. `trace` is a file
 * that is used meanwhile.
 */
export async function record(
  dataDir: string,
  trace: string,
  { rounds, policies }: { rounds: number; policies: number },
): Promise<Recording> {
  const server = runServer({ DATA_DIR: dataDir, API_KEY: FAULTS_KEY }, tracing(trace));
  const closed = once(server.child, "close");
  const histories = new Map<string, readonly Change[]>();
  try {
    const url = await urlOf(server);
    for (let round = 0; round < rounds; round++) {
      const [changed] = await Promise.all([
        changePolicies(url, CLIENTS, policies),
        checkpoint(path.join(dataDir, "run")),
      ]);
      for (const [id, changes] of changed) histories.set(id, changes);
    }
  } finally {
    server.child.kill("SIGTERM");
    // That of the tracer, which holds the same output.
    await closed;
  }
  const moments = [...readTrace(trace)];
  await rm(trace);
  const answers = answersIn(moments);
  for (const { operationId } of [...histories.values()].flat()) {
    if (!answers.has(operationId)) throw new Error(`The trace lacks the answer ${operationId}.`);
  }
  return { moments, histories, answers };
}

async function checkpoint(socketFolder: string): Promise<void> {
  const client = new Client({ host: socketFolder, user: "postgres", database: "postgres" });
  await client.connect();
  await client.query("SELECT pg_switch_wal()");
  await client.query("CHECKPOINT");
  await client.end();
}

const ANSWER = /^HTTP\/1\.1 \d+ .*?\r\nOperation-Id: (\S+)\r\n/s;

function answersIn(moments: readonly Moment[]): Map<string, number> {
  const answers = new Map<string, number>();
  moments.forEach(({ phase, call }, index) => {
    if (phase !== "begins" || !call.descriptors[0]?.startsWith("socket:")) return;
    const [, operationId] = ANSWER.exec(Buffer.concat(call.strings).toString("latin1")) ?? [];
    if (operationId !== undefined) answers.set(operationId, index);
  });
  return answers;
}
