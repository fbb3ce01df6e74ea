import { readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";

// What goes on at a server process while its database fails.

export const FAULTS_KEY = "bootstrap-key-of-the-operator";

const HEADERS = {
  Authorization: `Bearer ${FAULTS_KEY}`,
  "Service-Version": "2",
  "Content-Type": "application/json",
};

const CREATE = JSON.stringify({
  query: "mutation { createIpPolicy(input: {}) { ipPolicy { id } } }",
});

const created = z.object({ id: z.string() });
const answered = z.object({
  data: z.object({ createIpPolicy: z.object({ ipPolicy: created }).nullable() }).optional(),
  errors: z.array(z.object({ extensions: z.object({ code: z.string() }) })).optional(),
});
const page = z.object({ ip_policies: z.array(created), next_page_uri: z.string().nullable() });

export interface Workload {
  /** How often there was each answer: `200`, `503 ERR_UNAVAILABLE`, or why there was none. */
  readonly answers: Map<string, number>;
  /** Ids of the resources whose creation was acknowledged. */
  readonly acknowledged: string[];
  /** Resolves once every client has had an answer to a request that it sent after the call. */
  nextAnswers(): Promise<void>;
  stop(): Promise<void>;
}

/** 32 clients that read and write over both transports, one request after another. */
export function startWorkload(url: string): Workload {
  const answers = new Map<string, number>();
  const acknowledged: string[] = [];
  const rounds = Array.from({ length: 32 }, () => 0);
  let stopped = false;

  const clients = rounds.map(async (_, index) => {
    while (!stopped) {
      const answer = await KINDS[index % KINDS.length]?.(url, acknowledged).catch(reasonOf);
      answers.set(String(answer), (answers.get(String(answer)) ?? 0) + 1);
      rounds[index] = (rounds[index] ?? 0) + 1;
      if (answer !== "200" && answer !== "201") await sleep(20);
    }
  });

  return {
    answers,
    acknowledged,
    async nextAnswers() {
      // The first answer after the call may be to a request from before it.
      const from = [...rounds];
      while (rounds.some((round, index) => round < (from[index] ?? 0) + 2)) await sleep(10);
    },
    async stop() {
      stopped = true;
      await Promise.all(clients);
    },
  };
}

const KINDS = [readList, createOverRest, readList, createOverGraphql];

async function readList(url: string): Promise<string> {
  const response = await fetch(`${url}/ip_policies?limit=5`, { headers: HEADERS });
  return answerOf(response, await response.text());
}

async function createOverRest(url: string, acknowledged: string[]): Promise<string> {
  const response = await fetch(`${url}/ip_policies`, {
    method: "POST",
    headers: HEADERS,
    body: "{}",
  });
  const text = await response.text();
  if (response.status === 201) acknowledged.push(created.parse(JSON.parse(text)).id);
  return answerOf(response, text);
}

async function createOverGraphql(url: string, acknowledged: string[]): Promise<string> {
  const response = await fetch(`${url}/graphql`, {
    method: "POST",
    headers: HEADERS,
    body: CREATE,
  });
  const { data, errors } = answered.parse(await response.json());
  if (data?.createIpPolicy) acknowledged.push(data.createIpPolicy.ipPolicy.id);
  const [error] = errors ?? [];
  return error ? `${response.status} ERR_${error.extensions.code}` : `${response.status}`;
}

function answerOf({ status, headers }: Response, text: string): string {
  if (status < 400) return String(status);
  // Of what stands in front of the server.
  if (headers.get("Content-Type")?.startsWith("application/json") !== true)
    return `${status} ${text}`;
  return `${status} ${z.object({ error_code: z.string() }).parse(JSON.parse(text)).error_code}`;
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error ? cause.message : String(error);
}

/** The ids of all that is there. */
export async function storedPolicies(url: string): Promise<Set<string>> {
  const ids = new Set<string>();
  for (let next: string | null = `${url}/ip_policies?limit=100`; next !== null; ) {
    const response: Response = await fetch(next, { headers: HEADERS });
    const { ip_policies, next_page_uri } = page.parse(await response.json());
    for (const { id } of ip_policies) ids.add(id);
    next = next_page_uri;
  }
  return ids;
}

/** The process id of the embedded database server. */
export function postmasterOf(dataDir: string): number {
  const file = readFileSync(path.join(dataDir, "postgresql", "postmaster.pid"), "utf8");
  return Number.parseInt(file, 10);
}

/** The embedded database server and all of its processes. */
export function serverProcessesOf(dataDir: string): number[] {
  const postmaster = postmasterOf(dataDir);
  const children = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, "utf8");
  return [postmaster, ...children.trim().split(" ").map(Number)];
}
