import { describe, expect, it } from "vitest";
import { together } from "../src/domain/reads/together.js";

/** Look-ups that end when they are told to. */
function heldLookUps() {
  const sent: { readonly keys: readonly string[]; end(error?: Error): void }[] = [];
  const lookUp = (keys: readonly string[]) =>
    new Promise<string[]>((resolve, reject) => {
      const end = (error?: Error) => {
        if (error) reject(error);
        else resolve(keys.map((key) => `found ${key}`));
      };
      sent.push({ keys, end });
    });
  return { sent, find: together(lookUp, 3) };
}

const turn = () => new Promise((resolve) => setTimeout(resolve, 5));
const keysOf = ({ keys }: { readonly keys: readonly string[] }) => keys.join();

describe("look-ups of one kind", () => {
  it("go together when they come in one turn, as many as fit", async () => {
    const { sent, find } = heldLookUps();
    const found = Promise.all(["a", "b", "c", "d"].map(find));
    await turn();
    expect(sent.map(keysOf)).toEqual(["a,b,c", "d"]);
    for (const { end } of sent) end();
    expect(await found).toEqual(["found a", "found b", "found c", "found d"]);
  });

  it("wait while two are under way, and go together then", async () => {
    const { sent, find } = heldLookUps();
    const found: Promise<string>[] = [];
    for (const key of ["a", "b", "c", "d"]) {
      found.push(find(key));
      await turn();
    }
    expect(sent.map(keysOf)).toEqual(["a", "b"]);
    sent[0]?.end();
    await turn();
    expect(sent.map(keysOf)).toEqual(["a", "b", "c,d"]);
    for (const { end } of sent) end();
    expect(await Promise.all(found)).toEqual(["found a", "found b", "found c", "found d"]);
  });

  it("fail together, and no others do", async () => {
    const { sent, find } = heldLookUps();
    const [one, other] = [find("a"), find("b")];
    await turn();
    sent[0]?.end(new Error("gone"));
    await expect(one).rejects.toThrow("gone");
    await expect(other).rejects.toThrow("gone");
    const next = find("a");
    await turn();
    sent[1]?.end();
    expect(await next).toBe("found a");
  });

  it("do not wait for those that never end", async () => {
    const { sent, find } = heldLookUps();
    for (const key of ["a", "b"]) {
      void find(key);
      await turn();
    }
    const found = find("c");
    await expect.poll(() => sent.length, { timeout: 10_000 }).toBe(3);
    sent[2]?.end();
    expect(await found).toBe("found c");
  });
});
