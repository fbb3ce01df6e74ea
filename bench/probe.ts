import cluster from "node:cluster";
import { readdirSync, readFileSync } from "node:fs";

// Loaded into a measured server with --import: answers over the channel to the process that started it
// what the server has used so far, with its workers, and ends with that process.

export interface Usage {
  /** Microseconds of CPU, user and system, of all threads. */
  readonly cpu: number;
  /** Bytes of resident memory. */
  readonly memory: number;
}

if (cluster.isPrimary) {
  process.on("message", () => {
    const { user, system } = process.cpuUsage();
    const own: Usage = { cpu: user + system, memory: process.memoryUsage.rss() };
    process.send?.(workers().map(usageOf).reduce(sum, own));
  });
  process.on("disconnect", () => process.exit(1));
  process.channel?.unref();
}

/** The ids of their processes. */
function workers(): number[] {
  return Object.values(cluster.workers ?? {}).flatMap((worker) => worker?.process.pid ?? []);
}

/** Of another process, where the system tells. */
function usageOf(pid: number): Usage {
  const threads = readdirSync(`/proc/${pid}/task`);
  const nanoseconds = threads.map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ", 1)[0]),
  );
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return {
    cpu: nanoseconds.reduce((all, each) => all + each, 0) / 1000,
    memory: Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024,
  };
}

function sum(one: Usage, other: Usage): Usage {
  return { cpu: one.cpu + other.cpu, memory: one.memory + other.memory };
}
