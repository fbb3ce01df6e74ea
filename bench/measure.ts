import type { ChildProcess } from "node:child_process";
import { difference, ordered } from "./answers.js";
import type { Contender } from "./line-up.js";
import type { Job, Load, LoadRequest } from "./load.js";
import type { Options } from "./options.js";
import { ask, cpuOf } from "./processes.js";
import type { Row } from "./rows.js";

const CHECKED = 10;

export interface Measurement {
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Microseconds of CPU for one request: of the server, and of PostgreSQL where that can be told. */
  readonly cpu: number;
  readonly databaseCpu: number | null;
  /** Bytes of resident memory at the end. */
  readonly memory: number;
}

/** What each contender, by its name, did in each round. */
export type Measured = ReadonlyMap<string, readonly Measurement[]>;

/**
 * Measures all contenders that can answer the row in turn, `rounds` times, each round in the opposite order of the
 * one before.
 */
export async function measureRow(
  row: Row,
  all: readonly Contender[],
  load: ChildProcess,
  options: Options,
): Promise<Measured> {
  const contenders = all.filter((contender) => canAnswer(contender, row));
  const measured = new Map<string, Measurement[]>(contenders.map(({ name }) => [name, []]));
  for (const contender of contenders) await measure(row, contender, load, options);
  for (let round = 0; round < options.rounds; round++) {
    for (const contender of round % 2 === 0 ? contenders : [...contenders].reverse()) {
      measured.get(contender.name)?.push(await measure(row, contender, load, options));
    }
  }
  return measured;
}

async function measure(
  row: Row,
  contender: Contender,
  load: ChildProcess,
  { connections, seconds }: Options,
): Promise<Measurement> {
  const { name, server, storage, headers } = contender;
  const requests = requestsOf(contender, row);
  const job: Job = { url: server.url, headers, requests, connections, seconds };
  const databaseBefore = cpuOf(await storage.processIds());
  const before = await server.usage();
  const result = await ask<Load>(load, job);
  const after = await server.usage();
  const databaseAfter = cpuOf(await storage.processIds());
  if (result.failures > 0 || result.requests === 0) {
    throw new Error(`${name} failed ${result.failures} times at "${row.name}".`);
  }
  const { requests: answered, perSecond, p50, p99 } = result;
  const cpu = (after.cpu - before.cpu) / answered;
  const databaseCpu = databaseAfter && used(databaseAfter, databaseBefore) / answered;
  return { perSecond, p50, p99, cpu, databaseCpu, memory: after.memory };
}

function used(after: ReadonlyMap<number, number>, before: ReadonlyMap<number, number> | null) {
  return [...after].reduce((sum, [id, cpu]) => sum + cpu - (before?.get(id) ?? 0), 0);
}

/**
 * Throws unless all contenders that can answer the row answer a sample of its requests alike: the very same bytes, or
 * the same data from those whose answers are translated.
 */
export async function checkSameAnswers(row: Row, all: readonly Contender[]): Promise<void> {
  const contenders = all.filter((contender) => canAnswer(contender, row));
  for (let index = 0; index < CHECKED; index++) {
    const [expected = "", ...answers] = await Promise.all(
      contenders.map((contender) => answer(row, contender, index)),
    );
    for (const [n, text] of answers.entries()) {
      const { name = "", translate } = contenders[n + 1] ?? {};
      const [a, b] = translate
        ? [ordered(JSON.parse(expected)), ordered(translate(text))]
        : [expected, text];
      if (a !== b)
        throw new Error(`"${row.name}": ${name} answers otherwise:\n${difference(a, b)}`);
    }
  }
}

function canAnswer({ requests, edgeIds }: Contender, row: Row): boolean {
  return requests(row, edgeIds) !== null;
}

function requestsOf({ name, requests, edgeIds }: Contender, row: Row): readonly LoadRequest[] {
  const asked = requests(row, edgeIds) ?? [];
  if (asked.length === 0) throw new Error(`"${row.name}" has no requests for ${name}.`);
  return asked;
}

/** The body of a contender's answer. */
async function answer(row: Row, contender: Contender, index: number): Promise<string> {
  const { name, server, headers } = contender;
  const requests = requestsOf(contender, row);
  const request = requests[(index * 7) % requests.length];
  if (!request) throw new Error(`"${row.name}" has no requests.`);
  const { method, path, body } = request;
  const init = { method, headers, ...(body !== undefined && { body }) };
  const response = await fetch(server.url + path, init);
  // The others have no limits, and so no cost to show.
  const text = (await response.text()).trimEnd().replace(/,"extensions":\{"cost":\{[^{}]*\}\}/, "");
  if (response.status !== (row.creates ? 201 : 200) || text.includes('"errors":')) {
    throw new Error(`${name} answers ${response.status} to "${row.name}": ${text.slice(0, 500)}`);
  }
  return row.creates
    ? text.replace(/_\w{27}\b/g, "_").replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, "")
    : text;
}
