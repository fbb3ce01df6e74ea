import { kindOfId, type ResourceKind } from "../domain/core/ids.js";
import type { Endpoint } from "../rest/contract/contract.js";
import { EXAMPLE_PUBLIC_KEY, EXAMPLE_TIME, exampleId } from "../rest/contract/examples.js";
import { toWire } from "../rest/contract/wire.js";
import type { Examples } from "./operations.js";

// The examples of the document: the requests of the contract, and what a server answers to them. What differs from one
// server to the next, such as ids and times, is replaced by values that stay.

/** Sends a request of REST; resolves to the body of the answer. Throws when it is refused. */
export type Call = (method: string, path: string, body?: unknown) => Promise<unknown>;

const BASE = "https://api.example.com";

/** What a server makes up, by the name of the field. */
const MADE_UP: Readonly<Record<string, string>> = {
  addr: "1.tcp.eu.example.com:20000",
  certificate:
    "ssh-ed25519-cert-v01@openssh.com AAAAIHNzaC1lZDI1NTE5LWNlcnQtdjAxQG9wZW5zc2guY29t… example",
  request_signing_certificate_pem: "-----BEGIN CERTIFICATE-----\n…\n-----END CERTIFICATE-----",
  token: "3AFnHp9kQ2VtXw7LzRbYcM5sJdE_0123456789abcdefghijk",
};

/** Of an SSH certificate authority. */
const MADE_UP_KEY =
  "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGt5c2hvcC1leGFtcGxlLWtleS1vZi1hdXRob3JpdHk=";

/** Sends every example of `contract` to the server behind `call`, which listens at `url`. */
export async function recordExamples(
  contract: readonly Endpoint[],
  call: Call,
  url: string,
): Promise<Examples> {
  const shared = new Map<ResourceKind, Promise<string>>();
  const start = Date.now();

  const shownAs = (value: unknown) => stable(value, url, start);
  const creationOf = (kind: ResourceKind): Endpoint => {
    const found = contract.find(
      ({ method, operation }) => method === "POST" && operation?.kind === kind,
    );
    if (!found) throw new Error(`Nothing creates ${kind}.`);
    return found;
  };
  /** The id of a resource that examples of others refer to. */
  const existing = (kind: ResourceKind): Promise<string> => {
    const id = shared.get(kind) ?? create(kind).then(({ answer }) => idOf(answer));
    shared.set(kind, id);
    return id;
  };
  const pathOf = async ({ path }: Endpoint, id: string): Promise<string> =>
    path
      .replace(":edgeId", path.includes(":edgeId") ? await existing("httpsEdge") : "")
      .replace(":id", id);
  const bodyOf = async ({ takes }: Endpoint): Promise<unknown> =>
    takes && withIds(toWire(takes.example, takes.spelling), existing);
  const create = async (kind: ResourceKind) => {
    const endpoint = creationOf(kind);
    const request = await bodyOf(endpoint);
    const answer = await call("POST", await pathOf(endpoint, ""), request);
    return { request, answer };
  };

  const examples: Record<string, { request?: unknown; answer?: unknown }> = {};
  const record = async (endpoint: Endpoint, id: string) => {
    const isJson = endpoint.answer !== null && typeof endpoint.answer !== "string";
    const request = await bodyOf(endpoint);
    const answer = await call(endpoint.method, await pathOf(endpoint, id), request);
    examples[endpoint.operation?.id ?? ""] = {
      ...(request !== undefined && { request: shownAs(request) }),
      ...(isJson && { answer: shownAs(onlyOne(answer, id)) }),
    };
  };
  const documented = contract.filter(({ operation }) => operation !== null);
  for (const endpoint of documented) if (!endpoint.operation?.kind) await record(endpoint, "");
  for (const kind of kindsOf(documented)) {
    const created = await create(kind);
    const id = idOf(created.answer);
    const own = documented.filter(({ operation }) => operation?.kind === kind);
    examples[creationOf(kind).operation?.id ?? ""] = {
      request: shownAs(created.request),
      answer: shownAs(created.answer),
    };
    const isWhole = ({ path }: Endpoint) => /\/:id$/.test(path) || !path.includes(":id");
    const steps = [
      ...own.filter((each) => each.method === "GET" && isWhole(each)),
      ...own.filter((each) => !isWhole(each)),
      ...own.filter((each) => each.method === "PATCH"),
      ...own.filter((each) => each.method === "DELETE" && isWhole(each)),
    ];
    for (const endpoint of steps) await record(endpoint, id);
  }
  return examples;
}

function kindsOf(contract: readonly Endpoint[]): ReadonlySet<ResourceKind> {
  const kinds = contract.flatMap(({ operation }) => (operation?.kind ? [operation.kind] : []));
  return new Set(kinds);
}

function idOf(answer: unknown): string {
  return String(Reflect.get(Object(answer), "id"));
}

/** A list with only the item that the example is about. */
function onlyOne(answer: unknown, id: string): unknown {
  if (typeof answer !== "object" || answer === null || !("next_page_uri" in answer)) return answer;
  return Object.fromEntries(
    Object.entries(answer).map(([name, member]) => [
      name,
      Array.isArray(member) ? member.filter((item) => idOf(item) === id) : member,
    ]),
  );
}

/** `value` with the ids of resources that there are in place of those of examples. */
async function withIds(
  value: unknown,
  existing: (kind: ResourceKind) => Promise<string>,
): Promise<unknown> {
  const kinds = [...JSON.stringify(value).matchAll(/"([a-z]+_[0-9A-Za-z]{27})"/g)].flatMap(
    ([, id = ""]) => {
      const kind = kindOfId(id);
      return kind && exampleId(kind) === id ? [kind] : [];
    },
  );
  let text = JSON.stringify(value);
  for (const kind of kinds) text = text.replaceAll(exampleId(kind), await existing(kind));
  return JSON.parse(text);
}

/** `value` as it is on every server. */
function stable(value: unknown, url: string, start: number, name = ""): unknown {
  if (Array.isArray(value)) return value.map((item) => stable(item, url, start));
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [
        stableText(name, url),
        stable(member, url, start, name),
      ]),
    );
  }
  if (typeof value !== "string" || value === "") return value;
  if (name === "public_key" && value !== EXAMPLE_PUBLIC_KEY) return MADE_UP_KEY;
  if (MADE_UP[name]) return MADE_UP[name];
  if (name === "created_at") return EXAMPLE_TIME;
  if (FROM_NOW.has(name)) return timeFrom(start, value);
  return stableText(value, url);
}

/** Times that a server makes from that of the request. */
const FROM_NOW: ReadonlySet<string> = new Set(["valid_after", "valid_until"]);
const HOUR = 3_600_000;

function timeFrom(start: number, time: string): string {
  const hours = Math.round((Date.parse(time) - start) / HOUR);
  const shifted = new Date(Date.parse(EXAMPLE_TIME) + hours * HOUR);
  return `${shifted.toISOString().slice(0, 19)}Z`;
}

const ACCOUNT = /^ac_[0-9A-Za-z]{27}$/;
const EXAMPLE_ACCOUNT = "ac_3AFnHp9kQ2VtXw7LzRbYcM5sJdE";

function stableText(text: string, url: string): string {
  return text
    .replaceAll(url, BASE)
    .replace(ACCOUNT, EXAMPLE_ACCOUNT)
    .replace(/[a-z]+_[0-9A-Za-z]{27}/g, (id) => {
      const kind = kindOfId(id);
      return kind ? exampleId(kind) : id;
    });
}
