import type { ChildProcess } from "node:child_process";
import type { Contender } from "./contenders.js";
import type { Job, Load } from "./load.js";
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

/** Measures all contenders in turn, `rounds` times, each round in the opposite order of the one before. */
export async function measureRow(
  row: Row,
  contenders: readonly Contender[],
  load: ChildProcess,
  options: Options,
): Promise<Map<Contender, Measurement[]>> {
  const measured = new Map<Contender, Measurement[]>(contenders.map((each) => [each, []]));
  for (const contender of contenders) await measure(row, contender, load, options);
  for (let round = 0; round < options.rounds; round++) {
    for (const contender of round % 2 === 0 ? contenders : [...contenders].reverse()) {
      measured.get(contender)?.push(await measure(row, contender, load, options));
    }
  }
  return measured;
}

async function measure(
  row: Row,
  { name, server, storage, edgeIds, headers }: Contender,
  load: ChildProcess,
  { connections, seconds }: Options,
): Promise<Measurement> {
  const job: Job = {
    url: server.url,
    headers,
    requests: row.requests(edgeIds),
    connections,
    seconds,
  };
  const databaseBefore = cpuOf(await storage.processIds());
  const before = await server.usage();
  const result = await ask<Load>(load, job);
  const after = await server.usage();
  const databaseAfter = cpuOf(await storage.processIds());
  if (result.failures > 0 || result.requests === 0) {
    throw new Error(`${name} failed ${result.failures} times at "${row.name}".`);
  }
  const { requests, perSecond, p50, p99 } = result;
  const cpu = (after.cpu - before.cpu) / requests;
  const databaseCpu = databaseAfter && used(databaseAfter, databaseBefore) / requests;
  return { perSecond, p50, p99, cpu, databaseCpu, memory: after.memory };
}

function used(after: ReadonlyMap<number, number>, before: ReadonlyMap<number, number> | null) {
  return [...after].reduce((sum, [id, cpu]) => sum + cpu - (before?.get(id) ?? 0), 0);
}

/** Throws unless all contenders answer a sample of the row's requests with the same status and bytes. */
export async function checkSameAnswers(row: Row, contenders: readonly Contender[]): Promise<void> {
  for (let index = 0; index < CHECKED; index++) {
    const answers = await Promise.all(contenders.map((contender) => answer(row, contender, index)));
    const different = answers.find((text) => text !== answers[0]);
    if (different === undefined) continue;
    const [a = "", b = ""] = [answers[0], different];
    let at = 0;
    while (a[at] === b[at]) at++;
    const from = Math.max(0, at - 60);
    throw new Error(
      `"${row.name}": the answers differ:\n  ${a.slice(from, at + 100)}\n  ${b.slice(from, at + 100)}`,
    );
  }
}

async function answer(
  row: Row,
  { name, server, edgeIds, headers }: Contender,
  index: number,
): Promise<string> {
  const requests = row.requests(edgeIds);
  const request = requests[(index * 7) % requests.length];
  if (!request) throw new Error(`"${row.name}" has no requests.`);
  const { method, path, body } = request;
  const init = { method, headers, ...(body !== undefined && { body }) };
  const response = await fetch(server.url + path, init);
  // The floor has no limits, and so no cost to show.
  const text = (await response.text()).replace(/,"extensions":\{"cost":\{[^{}]*\}\}/, "");
  if (!response.ok || text.includes('"errors":')) {
    throw new Error(`${name} answers ${response.status} to "${row.name}": ${text.slice(0, 500)}`);
  }
  const shown = row.creates
    ? text.replace(/_\w{27}\b/g, "_").replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, "")
    : text;
  return `${response.status} ${shown}`;
}
