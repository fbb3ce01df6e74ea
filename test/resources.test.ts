import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { resources, type TestResource } from "./harness/resources.js";
import { startServer, type TestServer } from "./harness/server.js";
import { type Driver, type Fields, transports } from "./harness/transports.js";

// What holds for every resource, over either transport.

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const cases = transports.flatMap((transport) =>
  resources.map((resource) => ({
    transport,
    resource,
    title: resource.title,
    over: transport.name,
  })),
);

describe.each(cases)("$title over $over", ({ transport, resource }) => {
  let driver: Driver;

  async function create(fields: Fields = {}, of: TestResource = resource): Promise<Fields> {
    const required = await of.required?.((other) => create({}, other));
    return transport.drive(server, of).create({ ...required, ...fields });
  }

  beforeAll(() => {
    driver = transport.drive(server, resource);
  });

  it("creates one and reads it back", async () => {
    const created = await create({ description: "für Menschen", metadata: '{"for":"machines"}' });
    expect(created).toMatchObject({
      description: "für Menschen",
      metadata: '{"for":"machines"}',
    });
    expect(created.id).toMatch(new RegExp(`^${resource.prefix}_[0-9A-Za-z]{27}$`));
    expect(created.createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(await driver.get(created.id)).toEqual({ ...created, ...shownOnce(created) });
  });

  it("shows unset texts as empty", async () => {
    expect(await create()).toMatchObject({ description: "", metadata: "" });
  });

  it("takes texts up to their limit in bytes, and refuses longer ones, all at once", async () => {
    const description = "é".repeat(127);
    const metadata = "😀".repeat(1024);
    expect(await create({ description, metadata })).toMatchObject({ description, metadata });
    const refused = create({ description: `${description}é`, metadata: `${metadata}x` });
    await expect(refused).rejects.toMatchObject({
      code: "INVALID_REQUEST",
      issues: {
        description: "must have at most 255 bytes of UTF-8, and has 256",
        metadata: "must have at most 4096 bytes of UTF-8, and has 4097",
      },
    });
  });

  it("refuses text that cannot be stored unchanged", async () => {
    const refused = create({ description: "a\0b" });
    await expect(refused).rejects.toMatchObject({ paths: ["description"] });
  });

  it("changes only what an update names", async () => {
    const created = await create({ description: "a", metadata: "b" });
    const updated = await driver.update(created.id, { description: "c" });
    expect(updated).toMatchObject({ description: "c", metadata: "b" });
    expect(await driver.update(created.id, { metadata: "" })).toMatchObject({
      description: "c",
      metadata: "",
    });
    const unchanging = ({ updatedAt, version, description, metadata, ...rest }: Fields) => rest;
    expect(unchanging(await driver.get(created.id))).toEqual({
      ...unchanging(created),
      ...shownOnce(created),
    });
  });

  it("leaves everything as it is for an update that changes nothing", async () => {
    const { id } = await create({ description: "a" });
    const before = await driver.get(id);
    expect(await driver.update(id, {})).toEqual({ ...before, ...shownOnce(before) });
    expect(await driver.update(id, { description: "a" })).toEqual({
      ...before,
      ...shownOnce(before),
    });
  });

  it("deletes one", async () => {
    const { id } = await create();
    await driver.remove(id);
    await expect(driver.get(id)).rejects.toMatchObject({ code: "NOT_FOUND" });
    await expect(driver.update(id, {})).rejects.toMatchObject({ code: "NOT_FOUND" });
    await expect(driver.remove(id)).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  it("does not find what is no id of its kind", async () => {
    for (const id of ["nonsense", "ra_1", `${resource.prefix}_1`, "%00", "x".repeat(300)]) {
      await expect(driver.get(id)).rejects.toMatchObject({ code: "NOT_FOUND" });
    }
  });

  it("lists newest first, page by page, also after the row that ended a page is gone", async () => {
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.unshift((await create()).id);
    const first = await driver.page(2);
    await driver.remove(ids[1] ?? "");
    const second = await driver.page(3, first.next ?? undefined);
    const seen = [...first.items, ...second.items].map(({ id }) => id);
    expect(seen).toEqual(ids);
  });

  it("gives a key that may only read all but the right to write", async () => {
    const { id } = await create();
    const reader = transport.drive(server, resource, server.readKey);
    expect((await reader.get(id)).id).toBe(id);
    expect((await reader.page(1)).items).toHaveLength(1);
    const required = await resource.required?.((other) => create({}, other));
    await expect(reader.create(required)).rejects.toMatchObject({ code: "FORBIDDEN" });
    await expect(reader.update(id, {})).rejects.toMatchObject({ code: "FORBIDDEN" });
    await expect(reader.remove(id)).rejects.toMatchObject({ code: "FORBIDDEN" });
    expect((await driver.get(id)).id).toBe(id);
  });

  it("refuses every key that is unknown", async () => {
    const stranger = transport.drive(server, resource, "unknown_key");
    await expect(stranger.page(1)).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
    await expect(stranger.create()).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
  });
});

/** What only the answer that creates a resource shows. */
/** What a later answer shows in another way: a secret, and what carries the time of the answer. */
function shownOnce(created: Fields): Fields {
  return {
    ...("token" in created && { token: null }),
    ...("revocationList" in created && { revocationList: expect.any(String) }),
  };
}
