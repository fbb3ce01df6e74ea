import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import type { TestServer } from "../harness/server.js";
import type { Fields } from "../harness/transports.js";
import { decoderOf, ERROR, listDecoderOf, type ShapeName, type Strictness } from "./decoders.js";

/**
 * What a client sends: `name = METHOD path body`, of which `name =` and the body may be missing. The body is sent byte by
 * byte. `<name>` stands for the id of what the step with that name made, or for one of the texts of the replay.
 */
type Sent = string;

/**
 * A request, the status of its answer, what the client decodes the answer as, and members of the answer. A list is
 * decoded by the resource whose path it has.
 */
export type Step = readonly [
  sends: Sent,
  status: number,
  decodes?: ShapeName | null,
  shows?: Fields,
];

/** A client of the original service, which nobody may have to change. */
export interface Client {
  readonly name: string;
  /** Besides the key. */
  headers(request: { readonly hasBody: boolean }): Readonly<Record<string, string>>;
  readonly strictness: Strictness;
  readonly steps: readonly Step[];
}

const SENT = /^(?:(?<name>\w+) = )?(?<method>[A-Z]+) (?<path>\S+)(?: (?<body>.*))?$/s;

/** A test for each step of `client`, in their order. `texts` are by the names that stand for them. */
export function replay(
  client: Client,
  server: () => TestServer,
  texts: () => Promise<Readonly<Record<string, string>>>,
): void {
  describe(client.name, () => {
    let known: Map<string, string> | undefined;
    it.each(client.steps.map(([sends, ...rest]) => [sends, ...rest] as const))(
      "%s",
      async (sends, status, decodes, shows) => {
        known ??= new Map(Object.entries(await texts()));
        const names = known;
        const filled = (text: string) =>
          text.replace(/<(\w+)>/g, (_, name: string) => {
            const value = names.get(name);
            if (value === undefined) throw new Error(`No step before has made ${name}.`);
            return JSON.stringify(value).slice(1, -1);
          });
        const { name, method = "", path = "", body } = SENT.exec(filled(sends))?.groups ?? {};
        const answer = await send(server(), client, { method, path, body });
        expect([answer.status, answer.body]).toEqual([status, expect.any(String)]);
        if (status === 204) return void expect(answer.body).toBe("");
        const decoded = JSON.parse(answer.body);
        if (status >= 400) {
          expect(ERROR.parse(decoded).status_code).toBe(status);
        } else {
          const type = typeOf(decodes, decoded, client.strictness);
          expect(type.safeParse(decoded).error?.issues ?? []).toEqual([]);
        }
        if (shows) expect(decoded).toMatchObject(JSON.parse(filled(JSON.stringify(shows))));
        if (name !== undefined) names.set(name, decoded.id);
      },
    );
  });
}

function typeOf(decodes: ShapeName | null | undefined, decoded: Fields, strictness: Strictness) {
  if (!decodes) throw new Error("The step does not say what its answer is decoded as.");
  const key = "next_page_uri" in decoded ? Object.keys(decoded)[0] : undefined;
  return key === undefined
    ? decoderOf(decodes, strictness)
    : listDecoderOf(decodes, key, strictness);
}

interface Sending {
  readonly method: string;
  readonly path: string;
  readonly body: string | undefined;
}

/** Over a socket, since fetch adds headers of its own and changes others. */
function send(
  server: TestServer,
  client: Client,
  { method, path, body }: Sending,
): Promise<{ status: number; body: string }> {
  const { hostname, port, host } = new URL(server.url);
  const headers = {
    Host: host,
    Authorization: `Bearer ${server.writeKey}`,
    ...client.headers({ hasBody: body !== undefined }),
    ...(body !== undefined && { "Content-Length": String(Buffer.byteLength(body)) }),
    Connection: "close",
  };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    const chunks: Buffer[] = [];
    socket.on("data", (chunk: Buffer) => chunks.push(chunk));
    socket.on("error", reject);
    socket.on("end", () => {
      const text = Buffer.concat(chunks).toString();
      const end = text.indexOf("\r\n\r\n");
      resolve({ status: Number(text.slice(9, 12)), body: text.slice(end + 4) });
    });
    socket.write(`${method} ${path} HTTP/1.1\r\n${head.join("")}\r\n${body ?? ""}`);
  });
}
