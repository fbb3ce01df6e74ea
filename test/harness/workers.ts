import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { Agent, type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { setImmediate } from "node:timers/promises";
import { z } from "zod";
import { FAULTS_KEY } from "./faults.js";
import { runServer, type ServerProcess } from "./processes.js";
import type { Fields } from "./transports.js";

// Servers of several processes.

const line = z.looseObject({
  worker: z.number().optional(),
  pid: z.number(),
  msg: z.string(),
  path: z.string().optional(),
});
type Line = z.output<typeof line>;

/** The lines of the log, those of all processes of the server. Throws when a line is none, but for what starts say. */
export function linesOf({ output }: ServerProcess): Line[] {
  const whole = output().split("\n").slice(0, -1);
  const logged = whole.filter((each) => !/^(Edgeplane listens|Metrics are) /.test(each));
  return logged.map((each) => line.parse(JSON.parse(each)));
}

/** The process ids of the workers that run now. */
export function workersOf({ child }: ServerProcess): number[] {
  const children = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8");
  return children.trim().split(" ").filter(Boolean).map(Number);
}

export function isRunning(pid: number): boolean {
  try {
    // Whoever has ended stays a zombie until somebody asks how.
    return !/^State:\s*[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

/** A server with two workers, in a group of processes of its own, as a terminal starts it. */
export function runWorkers(
  databaseUrl: string,
  env: Readonly<Record<string, string>> = {},
): ServerProcess {
  return runServer(
    {
      DATABASE_URL: databaseUrl,
      ENCRYPTION_KEY: SEALING_KEY,
      API_KEY: FAULTS_KEY,
      WORKERS: "2",
      LOG_LEVEL: "info",
      METRICS_PORT: "0",
      ...env,
    },
    ["setsid"],
  );
}

const SEALING_KEY = randomBytes(32).toString("base64");

/** Runs `action` while all other workers are stopped, so that new connections go to the worker `pid`. */
export async function whileAlone<Result>(
  server: ServerProcess,
  pid: number,
  action: () => Promise<Result>,
): Promise<Result> {
  const others = workersOf(server).filter((each) => each !== pid);
  for (const other of others) await stall(other);
  try {
    return await action();
  } finally {
    for (const other of others) process.kill(other, "SIGCONT");
  }
}

/** Stops a process, until it gets SIGCONT. */
export async function stall(pid: number): Promise<void> {
  process.kill(pid, "SIGSTOP");
  while (!/^State:\s*T/m.test(readFileSync(`/proc/${pid}/status`, "utf8"))) await setImmediate();
}

/** An agent whose connections are all with the worker `pid`. */
export async function agentOf(server: ServerProcess, url: string, pid: number): Promise<Agent> {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  await whileAlone(server, pid, async () => {
    const asked = Array.from({ length: 8 }, () => get(`${url}/livez`, agent));
    for (const status of await Promise.all(asked)) {
      if (status !== 200) throw new Error(`The worker ${pid} answers with ${status}.`);
    }
  });
  return agent;
}

/** The status of the answer to a GET with `key`. */
export async function get(
  url: string,
  agent: Agent | false = false,
  key = FAULTS_KEY,
): Promise<number> {
  const headers = { Authorization: `Bearer ${key}`, "Service-Version": "2" };
  const sent = request(url, { agent, headers });
  sent.end();
  const [answer]: IncomingMessage[] = await once(sent, "response");
  if (!answer) throw new Error("There is no answer.");
  await text(answer);
  return answer.statusCode ?? 0;
}

/** Its metrics as Prometheus reads them. */
export async function metricsOf({ output }: ServerProcess): Promise<string> {
  const [, url = ""] = /Metrics are at (\S+)/.exec(output()) ?? [];
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(await answer.text());
  return answer.text();
}

/** The sum of all values of a metric whose labels match. */
export function sumOf(metrics: string, name: string, labels = /^/): number {
  const values = metrics
    .split("\n")
    .filter((each) => each.startsWith(`${name}{`) || each.startsWith(`${name} `))
    .filter((each) => labels.test(each));
  if (values.length === 0) throw new Error(`There is no metric ${name}.`);
  return values.reduce((sum, each) => sum + Number(each.slice(each.lastIndexOf(" ") + 1)), 0);
}

/** A change whose request is in the hands of a server, and is not whole. */
export interface HalfSent {
  /** Sends the rest, and returns the answer. */
  complete(): Promise<{ readonly status: number; readonly body: Fields }>;
}

const HALF_SENT = {
  "Content-Type": "application/json",
  "Service-Version": "2",
  Expect: "100-continue",
};

export async function sendHalf(url: string, agent: Agent | false = false): Promise<HalfSent> {
  const sent = request(`${url}/ip_policies`, {
    agent,
    method: "POST",
    headers: { ...HALF_SENT, Authorization: `Bearer ${FAULTS_KEY}` },
  });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    sent.once("response", resolve).once("error", reject);
  });
  // Only whoever reads the body asks for it.
  const continued = new Promise<void>((resolve) => sent.once("continue", resolve));
  sent.flushHeaders();
  await Promise.race([continued, answered]);
  return {
    async complete() {
      sent.end("{}");
      const answer = await answered;
      return { status: answer.statusCode ?? 0, body: JSON.parse(await text(answer)) };
    },
  };
}
