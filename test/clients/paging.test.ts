import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startServer, type TestServer } from "../harness/server.js";
import { type Fields, rest } from "../harness/transports.js";

// How clients go through a list (wire facts, 3.1), and that they meet no other origin than the one that they were given:
// a URL elsewhere would be sent the key.

const ROWS = 5;
const PAGE = 2;

let direct: TestServer;
let behindProxy: TestServer;
let published: TestServer;
const PUBLISHED = "https://api.example.com/edge";

beforeAll(async () => {
  [direct, behindProxy, published] = await Promise.all([
    startServer(),
    startServer({ trustProxy: true }),
    startServer({ publicUrl: PUBLISHED }),
  ]);
  for (const server of [direct, behindProxy, published]) {
    for (let row = 0; row < ROWS; row++) await rest(server, "POST", "/ip_policies", {});
  }
});
afterAll(() => Promise.all([direct, behindProxy, published].map((server) => server.stop())));

/** A place that clients are told to find the API at, and how a request gets from there to the server. */
interface Place {
  readonly base: string;
  readonly server: () => TestServer;
  readonly headers: Readonly<Record<string, string>>;
}

const forwarded = (scheme: string, host: string): Place => ({
  base: `${scheme}://${host}`,
  server: () => behindProxy,
  headers: { "X-Forwarded-Proto": scheme, "X-Forwarded-Host": host },
});

const PLACES: Readonly<Record<string, Place>> = {
  "the server itself": {
    base: "http://edge.example:8080",
    server: () => direct,
    headers: { Host: "edge.example:8080" },
  },
  "an address of IPv6": {
    base: "http://[2001:db8::1]:8080",
    server: () => direct,
    headers: { Host: "[2001:db8::1]:8080" },
  },
  "a proxy": forwarded("https", "api.example.com"),
  "a proxy on a port": forwarded("https", "api.example.com:8443"),
  "a proxy with an address of IPv6": forwarded("https", "[2001:db8::1]"),
  "a proxy with an address of IPv6 on a port": forwarded("https", "[::1]:8443"),
  "a public URL": { base: PUBLISHED, server: () => published, headers: {} },
};

/** GET of an absolute URL at a place; throws when the URL leads elsewhere. */
function get({ base, server, headers }: Place, url: string): Promise<Fields> {
  if (!url.startsWith(`${base}/`)) throw new Error(`${url} is not at ${base}.`);
  const target = new URL(server().url);
  return new Promise((resolve, reject) => {
    const sent = request({
      host: target.hostname,
      port: target.port,
      path: url.slice(base.length),
      headers: { Authorization: `Bearer ${server().writeKey}`, "ngrok-version": "2", ...headers },
    });
    sent.on("response", async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk);
      const text = Buffer.concat(chunks).toString();
      if (response.statusCode === 200) resolve(JSON.parse(text));
      else reject(new Error(text));
    });
    sent.on("error", reject).end();
  });
}

type Walk = (place: Place) => Promise<Fields[]>;

/** Follows `next_page_uri`, which `next` makes a URL of, until it is null. */
const following =
  (query: string, next: (base: string, uri: string) => string): Walk =>
  async (place) => {
    const items: Fields[] = [];
    let url: string | null = `${place.base}/ip_policies${query}`;
    while (url !== null) {
      const { ip_policies, next_page_uri } = await get(place, url);
      items.push(...ip_policies);
      url = next_page_uri === null ? null : next(place.base, next_page_uri);
    }
    return items;
  };

/** Asks for what comes before the last item, until `isLast`. */
const before =
  (first: string, parameter: string, isLast: (page: Fields) => boolean): Walk =>
  async (place) => {
    const items: Fields[] = [];
    let page: Fields;
    let query = first;
    do {
      page = await get(place, `${place.base}/ip_policies?${query}limit=${PAGE}`);
      items.push(...page.ip_policies);
      query = `${parameter}=${items.at(-1)?.id}&`;
    } while (!isLast(page));
    return items;
  };

const WALKS: Readonly<Record<string, Walk>> = {
  "Go, Python and Java follow the URI as it is": following(`?limit=${PAGE}`, (_, uri) => uri),
  "Rust joins the URI with its base": following(`?limit=${PAGE}`, (base, uri) =>
    new URL(uri, base).toString(),
  ),
  "Ruby takes its base off the URI and puts it on again": following(
    `?limit=${PAGE}`,
    (base, uri) => (uri.startsWith(base) ? base + uri.slice(base.length) : `${base}${uri}`),
  ),
  "npm asks by beforeId while there is a URI": before(
    "",
    "beforeId",
    ({ next_page_uri }) => next_page_uri === null,
  ),
  ".NET asks by before_id until a page is empty": before(
    "before_id=&",
    "before_id",
    ({ ip_policies }) => ip_policies.length === 0,
  ),
};

describe.each(Object.entries(PLACES))("a list behind %s", (_, place) => {
  it.each(Object.entries(WALKS))("has each row once, newest first: %s", async (_, walk) => {
    const ids = (await walk(place)).map(({ id }) => id);
    expect(ids).toHaveLength(ROWS);
    expect(ids).toEqual([...new Set(ids)].sort().reverse());
  });

  it("has only URLs of that place", async () => {
    const page = await get(place, `${place.base}/ip_policies?limit=1`);
    expect(page.uri).toBe(`${place.base}/ip_policies`);
    const [item] = page.ip_policies;
    expect(item.uri).toBe(`${place.base}/ip_policies/${item.id}`);
    expect(page.next_page_uri).toBe(`${place.base}/ip_policies?limit=1&before_id=${item.id}`);
    expect(await get(place, item.uri)).toEqual(item);
  });
});
