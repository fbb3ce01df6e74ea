import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { startHeartbeats } from "../src/server/heartbeats.js";
import { pauseAfter } from "../src/server/workers.js";
import { createMetrics } from "../src/telemetry/metrics.js";
import { createWorkersMetrics } from "../src/telemetry/workers-metrics.js";

// What the primary of several workers does; test/long/workers.test.ts has it as processes.

describe("a worker that fails again and again", () => {
  it("is replaced at once the first time, and then ever later, but within 30 seconds", () => {
    const pauses = [1, 2, 3, 4, 5, 6, 7, 8, 1_000].map(pauseAfter);
    expect(pauses).toEqual([0, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
  });
});

describe("a worker that hangs", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
  afterEach(() => void vi.useRealTimers());

  it("is lost once, after as many questions without an answer as it may leave, and one that answers is not", () => {
    const [hanging, slow, well, starting] = [{}, {}, {}, {}];
    const members = [hanging, slow, well, starting];
    const lost: object[] = [];
    const asked = new Map<object, number>();
    const heartbeats = startHeartbeats(() => members, {
      ask(member) {
        asked.set(member, (asked.get(member) ?? 0) + 1);
        if (member === well) heartbeats.heard(well);
      },
      patience: (member) => (member === starting ? 8 : 3),
      lost: (member) => lost.push(member),
    });
    vi.advanceTimersByTime(30_000);
    heartbeats.heard(slow);
    expect(lost).toEqual([]);
    vi.advanceTimersByTime(10_000);
    expect(lost).toEqual([hanging]);
    vi.advanceTimersByTime(60_000);
    expect(lost).toEqual([hanging, slow, starting]);
    expect(members.map((member) => asked.get(member))).toEqual([3, 6, 10, 8]);
    heartbeats.stop();
    vi.advanceTimersByTime(60_000);
    expect(asked.get(well)).toBe(10);
  });
});

describe("the metrics of workers", () => {
  /** As a worker has them that has answered so many reads, and has so many followers. */
  async function valuesOf(reads: number, count: number, lagMs: number, isReady: boolean) {
    const metrics = createMetrics();
    metrics.watch({
      ready: () => (isReady ? Promise.resolve() : Promise.reject(new Error("away"))),
      pool: () => ({ max: 16, used: 2, idle: 3, waiting: 1 }),
      followers: () => ({ count, lagMs }),
    });
    for (let read = 0; read < reads; read++) metrics.read("kept");
    return metrics.values();
  }

  function sampleIn(text: string, name: string): number | null {
    const [, value] = new RegExp(`^${name}(?:{[^}]*})? (\\S+)$`, "m").exec(text) ?? [];
    return value === undefined ? null : Number(value);
  }

  const READS = "edgeplane_graphql_reads_total";

  it("add up what is counted, and show of times the longest", async () => {
    const metrics = createWorkersMetrics(async () => new Set([1, 2]));
    metrics.answered(1, await valuesOf(3, 5, 2_000, true));
    metrics.answered(2, await valuesOf(4, 6, 7_000, true));
    const text = await metrics.text();
    const sums = {
      [READS]: 7,
      edgeplane_followers: 11,
      edgeplane_database_pool_max_connections: 32,
      edgeplane_database_pool_used_connections: 4,
      edgeplane_database_pool_idle_connections: 6,
      edgeplane_database_pool_waiting: 2,
      edgeplane_follower_lag_seconds: 7,
      edgeplane_ready: 1,
      edgeplane_build_info: 1,
      edgeplane_workers: 2,
      edgeplane_worker_ends_total: 0,
    };
    const seen = Object.keys(sums).map((name) => [name, sampleIn(text, name)]);
    expect(Object.fromEntries(seen)).toEqual(sums);
  });

  it("have the lag of the process that is most late, and the time of the first start", async () => {
    const values = await valuesOf(0, 0, 0, true);
    const withValue = (name: string, value: number) =>
      values.map((metric) =>
        metric.name === name ? { ...metric, values: [{ value, labels: {} }] } : metric,
      );
    for (const [name, ours, expected] of [
      ["nodejs_eventloop_lag_p99_seconds", [90, 80], 90],
      ["nodejs_eventloop_lag_mean_seconds", [80, 90], 90],
      ["process_start_time_seconds", [7, 6], 6],
    ] as const) {
      const metrics = createWorkersMetrics(async () => new Set([1, 2]));
      metrics.answered(1, withValue(name, ours[0]));
      metrics.answered(2, withValue(name, ours[1]));
      expect(sampleIn(await metrics.text(), name)).toBe(expected);
    }
  });

  it("are not ready when one is not", async () => {
    const metrics = createWorkersMetrics(async () => new Set([1, 2]));
    metrics.answered(1, await valuesOf(0, 0, 0, true));
    metrics.answered(2, await valuesOf(0, 0, 0, false));
    expect(sampleIn(await metrics.text(), "edgeplane_ready")).toBe(0);
  });

  it("keep what those had counted that have ended, and nothing else of them", async () => {
    let fresh = [1, 2];
    const metrics = createWorkersMetrics(async () => new Set(fresh));
    metrics.answered(1, await valuesOf(3, 5, 0, true));
    metrics.answered(2, await valuesOf(4, 6, 0, true));
    metrics.ended(2);
    metrics.ended(9);
    fresh = [1, 3];
    metrics.answered(3, await valuesOf(1, 0, 0, true));
    metrics.ended(3);
    fresh = [1];
    const text = await metrics.text();
    expect(sampleIn(text, READS)).toBe(8);
    expect(sampleIn(text, "edgeplane_followers")).toBe(5);
    expect(sampleIn(text, "edgeplane_worker_ends_total")).toBe(3);
  });

  it("keep what those had counted that do not answer, and nothing else of them", async () => {
    let fresh = [1, 2];
    const metrics = createWorkersMetrics(async () => new Set(fresh));
    metrics.answered(1, await valuesOf(3, 5, 0, true));
    metrics.answered(2, await valuesOf(4, 6, 0, true));
    fresh = [1];
    const text = await metrics.text();
    expect(sampleIn(text, READS)).toBe(7);
    expect(sampleIn(text, "edgeplane_followers")).toBe(5);
    expect(sampleIn(text, "edgeplane_workers")).toBe(1);
  });

  it("are those of the primary alone when no worker serves", async () => {
    const text = await createWorkersMetrics(async () => new Set()).text();
    expect(sampleIn(text, "edgeplane_workers")).toBe(0);
    expect(sampleIn(text, "process_resident_memory_bytes")).toBeGreaterThan(0);
  });
});
