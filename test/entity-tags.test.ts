import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { quoted, readCondition } from "../src/http/entity-tags.js";
import { everyRouteModule } from "./harness/modules.js";
import {
  httpsEdge,
  ipPolicy,
  ipPolicyRule,
  resources,
  routesOf,
  staticBackend,
  type TestResource,
} from "./harness/resources.js";
import { startServer, type TestServer } from "./harness/server.js";
import { type Fields, type RestAnswer, rest, transports } from "./harness/transports.js";

// `ETag`, `If-None-Match` and `If-Match` (RFC 9110, section 13).

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

async function create(of: TestResource, fields: Fields = {}): Promise<string> {
  const required = await of.required?.(async (other) => ({ id: await create(other) }));
  const [overRest] = transports;
  if (!overRest) throw new Error("There is no transport.");
  return (await overRest.drive(server, of).create({ ...required, ...fields })).id;
}

const get = (path: string, headers: Record<string, string> = {}) =>
  rest(server, "GET", path, undefined, headers);
const patch = (path: string, body: Fields, headers: Record<string, string> = {}) =>
  rest(server, "PATCH", path, body, headers);
const tagOf = ({ headers }: RestAnswer) => headers.get("etag") ?? "";

describe.each(resources)("of $title", (resource) => {
  it("is the version, of each answer that shows one", async () => {
    const path = `${resource.path}/${await create(resource)}`;
    const first = await get(path);
    expect(tagOf(first)).toBe('"1"');
    const changed = await patch(path, { description: "changed" });
    expect(tagOf(changed)).toBe('"2"');
    expect(tagOf(await get(path))).toBe('"2"');
    expect(tagOf(await patch(path, { description: "changed" }))).toBe('"2"');
  });

  it("saves a reader the body while nothing has changed, of one and of the list", async () => {
    const path = `${resource.path}/${await create(resource)}`;
    for (const url of [path, resource.path, `${resource.path}?limit=1`]) {
      const tag = tagOf(await get(url));
      for (const known of [tag, `W/${tag}`, `"other", ${tag}`, "*"]) {
        const answer = await get(url, { "If-None-Match": known });
        expect(answer).toMatchObject({ status: 304, body: {} });
        expect(tagOf(answer)).toBe(tag);
      }
      await patch(path, { metadata: `changed after ${url}` });
      const answer = await get(url, { "If-None-Match": tag });
      expect(answer.status).toBe(200);
      expect(tagOf(answer)).not.toBe(tag);
    }
  });

  it("lets nobody overwrite or delete what has changed since", async () => {
    const path = `${resource.path}/${await create(resource)}`;
    const old = tagOf(await get(path));
    const present = tagOf(await patch(path, { description: "theirs" }));
    for (const stale of [old, `W/${present}`, '"other"']) {
      const refused = await patch(path, { description: "mine" }, { "If-Match": stale });
      expect(refused).toMatchObject({
        status: 412,
        body: {
          error_code: "ERR_PRECONDITION_FAILED",
          status_code: 412,
          msg: "The resource has changed since it was read. Read it again and retry.",
          details: { "If-Match": `must name the current ETag, which is ${present}` },
        },
      });
      expect(tagOf(refused)).toBe(present);
      const kept = await rest(server, "DELETE", path, undefined, { "If-Match": stale });
      expect(kept.status).toBe(412);
    }
    expect((await get(path)).body.description).toBe("theirs");
    const mine = await patch(path, { description: "mine" }, { "If-Match": `"x", ${present}` });
    expect(mine).toMatchObject({ status: 200, body: { description: "mine" } });
    const gone = await rest(server, "DELETE", path, undefined, { "If-Match": tagOf(mine) });
    expect(gone.status).toBe(204);
    const missing = await patch(path, { description: "x" }, { "If-Match": "*" });
    expect(missing).toMatchObject({ status: 404, body: { error_code: "ERR_NOT_FOUND" } });
  });
});

describe("of an HTTPS edge", () => {
  it("changes with its routes, which it is shown with", async () => {
    const edge = await create(httpsEdge);
    const path = `/edges/https/${edge}`;
    const tags = [tagOf(await get(path))];
    const route = { match_type: "path_prefix", match: "/" };
    const made = await rest(server, "POST", `${path}/routes`, route);
    expect(tagOf(made)).toBe('"1"');
    tags.push(tagOf(await get(path)));
    await patch(`${path}/routes/${made.body.id}`, { match: "/a" });
    tags.push(tagOf(await get(path)));
    await rest(server, "PUT", `${path}/routes/${made.body.id}/compression`, { enabled: true });
    const present = tagOf(await get(path));
    expect(new Set([...tags, present]).size).toBe(4);
    for (const stale of tags) {
      expect((await patch(path, { metadata: "x" }, { "If-Match": stale })).status).toBe(412);
    }
    const changed = await patch(path, { metadata: "x" }, { "If-Match": present });
    expect(changed.status).toBe(200);
    expect(tagOf(changed)).toBe(tagOf(await get(path)));
    await rest(server, "DELETE", `${path}/routes/${made.body.id}`);
    const late = await rest(server, "DELETE", path, undefined, { "If-Match": tagOf(changed) });
    expect(late.status).toBe(412);
  });

  it("guards the modules by the version of their owner, also those that take a key to make", async () => {
    const edge = await create(httpsEdge);
    const route = await create(routesOf(edge), { matchType: "path_prefix", match: "/" });
    const path = `/edges/https/${edge}/routes/${route}`;
    const modules: Fields = everyRouteModule(await create(staticBackend), await create(ipPolicy));
    const saml = { idp_metadata: modules.saml.idpMetadata };
    const put = (tag: string) => rest(server, "PUT", `${path}/saml`, saml, { "If-Match": tag });
    expect((await put('"7"')).status).toBe(412);
    const set = await put('"1"');
    expect(set).toMatchObject({ status: 200, body: { entity_id: expect.any(String) } });
    expect(tagOf(set)).toBe('"2"');
    expect(tagOf(await get(`${path}/saml`))).toBe('"2"');
    expect((await get(`${path}/saml`, { "If-None-Match": '"2"' })).status).toBe(304);
    expect((await put('"1"')).status).toBe(412);
    const remove = (tag: string) =>
      rest(server, "DELETE", `${path}/saml`, undefined, { "If-Match": tag });
    expect((await remove('"1"')).status).toBe(412);
    expect((await remove('"2"')).status).toBe(204);
  });

  it("lets one of many writers win who read the same state", async () => {
    const path = `/edges/https/${await create(httpsEdge)}`;
    const route = { match_type: "path_prefix", match: "/" };
    const { body } = await rest(server, "POST", `${path}/routes`, route);
    const tag = tagOf(await get(path));
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        n % 2 === 0
          ? patch(path, { metadata: `${n}` }, { "If-Match": tag })
          : patch(`${path}/routes/${body.id}`, { metadata: `${n}` }, { "If-Match": '"1"' }),
      ),
    );
    const won = (parity: number) =>
      answers.filter(({ status }, n) => n % 2 === parity && status === 200).length;
    expect(answers.every(({ status }) => status === 200 || status === 412)).toBe(true);
    expect(won(1)).toBe(1);
    // The change of the route may have come first.
    expect(won(0)).toBeLessThanOrEqual(1);
  });
});

it("adds up what many writers add who read, change and write again when they were late", async () => {
  const path = `/ip_policies/${await create(ipPolicy, { metadata: "0" })}`;
  const add = async (): Promise<void> => {
    const read = await get(path);
    const metadata = String(Number(read.body.metadata) + 1);
    const { status } = await patch(path, { metadata }, { "If-Match": tagOf(read) });
    expect([200, 412]).toContain(status);
    if (status === 412) return add();
  };
  await Promise.all(Array.from({ length: 16 }, add));
  expect((await get(path)).body.metadata).toBe("16");
});

it("of a page changes with what comes and goes, and with a next page that there is no more", async () => {
  const first = await create(ipPolicyRule);
  const second = await create(ipPolicyRule);
  const page = `/ip_policy_rules?limit=1&before_id=${second}`;
  const withNext = await get(page);
  expect(withNext.body.ip_policy_rules[0].id).toBe(first);
  expect(withNext.body.next_page_uri).not.toBeNull();
  const { body } = await get(`/ip_policy_rules?before_id=${first}`);
  for (const { id } of body.ip_policy_rules) {
    await rest(server, "DELETE", `/ip_policy_rules/${id}`);
  }
  const last = await get(page);
  expect(last.body.ip_policy_rules).toEqual(withNext.body.ip_policy_rules);
  expect(last.body.next_page_uri).toBeNull();
  expect(tagOf(last)).not.toBe(tagOf(withNext));
  const newest = "/ip_policy_rules?limit=1";
  const before = tagOf(await get(newest));
  const third = await create(ipPolicyRule);
  expect(tagOf(await get(newest))).not.toBe(before);
  await rest(server, "DELETE", `/ip_policy_rules/${third}`);
  expect(tagOf(await get(newest))).toBe(before);
});

it("takes no statement besides that which reads", async () => {
  const path = `/edges/https/${await create(httpsEdge)}`;
  const plain = await server.statements(() => get(path));
  const tag = tagOf(await get(path));
  const known = await server.statements(() => get(path, { "If-None-Match": tag }));
  expect(known).toEqual(plain);
});

it("is refused where nothing looks at it, which would protect nothing", async () => {
  const policy = await create(ipPolicy);
  const path = `/ip_policies/${policy}`;
  const both = { "If-Match": '"1"', "If-None-Match": "*" };
  const [forGet, forChanges] = ["is for GET alone", "is for PATCH, PUT and DELETE alone"];
  for (const [method, target, body, details] of [
    ["PATCH", path, {}, { "If-None-Match": forGet }],
    ["DELETE", path, undefined, { "If-None-Match": forGet }],
    ["GET", path, undefined, { "If-Match": forChanges }],
    ["POST", "/ip_policies", {}, { "If-None-Match": forGet, "If-Match": forChanges }],
  ] as const) {
    for (const key of [{}, { "Idempotency-Key": "conditions" }]) {
      const answer = await rest(server, method, target, body, { ...both, ...key });
      expect(answer).toMatchObject({ status: 400, body: { details } });
    }
  }
  const module = "/edges/https/edghts_x/mutual_tls";
  const put = await rest(server, "PUT", module, {}, { "If-None-Match": "*" });
  expect(put).toMatchObject({ status: 400, body: { details: { "If-None-Match": forGet } } });
  expect((await get(path)).status).toBe(200);
});

it("is refused by its name when it is none", async () => {
  const path = `/ip_policies/${await create(ipPolicy)}`;
  for (const [header, call] of [
    ["If-Match", (value: string) => patch(path, { metadata: "x" }, { "If-Match": value })],
    ["If-None-Match", (value: string) => get(path, { "If-None-Match": value })],
  ] as const) {
    for (const value of ["3", '"3', "3, 4", '"a" "b"']) {
      expect(await call(value)).toMatchObject({
        status: 400,
        body: {
          details: {
            [header]: 'must be * or tags in quotes, such as "3", as the header ETag has them',
          },
        },
      });
    }
  }
  expect((await get(path)).body.metadata).toBe("");
});

it("may be written in a header as RFC 9110 writes lists, and nothing else is taken for it", () => {
  const tag = fc.record({
    tag: fc.stringMatching(/^[\x21\x23-\x7e]{0,8}$/),
    isWeak: fc.boolean(),
  });
  const space = fc.constantFrom("", " ", "\t");
  fc.assert(
    fc.property(fc.array(fc.tuple(tag, space, space), { minLength: 1, maxLength: 5 }), (tags) => {
      const header = tags
        .map(
          ([{ tag, isWeak }, before, after]) => before + (isWeak ? "W/" : "") + quoted(tag) + after,
        )
        .join(",");
      expect(readCondition(header)).toEqual(tags.map(([tag]) => tag));
    }),
  );
  fc.assert(
    fc.property(fc.stringMatching(/^[^"*]*$/), (text) => {
      expect(readCondition(text)).toBeNull();
    }),
  );
});
