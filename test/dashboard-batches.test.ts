import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { batchesOf } from "../dashboard/src/api/batches.js";

describe("batches of changes in the dashboard", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());

  it("has one change on the page soon", () => {
    const given: (readonly number[])[] = [];
    const batches = batchesOf<number>((batch) => given.push(batch));
    batches.add(1);
    expect(given).toEqual([]);
    vi.advanceTimersByTime(200);
    expect(given).toEqual([[1]]);
    vi.advanceTimersByTime(10_000);
    batches.add(2);
    vi.advanceTimersByTime(200);
    expect(given).toEqual([[1], [2]]);
  });

  it("has everything once and in order, however it comes, at most about once a second", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 700 }), { maxLength: 200 }), (pauses) => {
        const given: (readonly number[])[] = [];
        const batches = batchesOf<number>((batch) => given.push(batch));
        let elapsed = 0;
        for (const [number, pause] of pauses.entries()) {
          batches.add(number);
          vi.advanceTimersByTime(pause);
          elapsed += pause;
        }
        vi.advanceTimersByTime(1_200);
        expect(given.flat()).toEqual(pauses.map((_, number) => number));
        expect(given.every(({ length }) => length > 0)).toBe(true);
        expect(given.length).toBeLessThanOrEqual(elapsed / 1_000 + 2);
      }),
    );
  });

  it("gives out nothing after it was stopped", () => {
    const given: (readonly number[])[] = [];
    const batches = batchesOf<number>((batch) => given.push(batch));
    batches.add(1);
    batches.stop();
    vi.advanceTimersByTime(10_000);
    expect(given).toEqual([]);
  });
});
