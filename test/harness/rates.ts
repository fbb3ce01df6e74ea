import { type Agent, request } from "node:http";
import type { Fields } from "./transports.js";

/** What limits of rates show of themselves in an answer. */
export interface RateAnswer {
  readonly status: number;
  /** `r` and `t` of the header `RateLimit`, without the name of its policy; null without that header. */
  readonly limit: string | null;
  /** The whole header `RateLimit-Policy`. */
  readonly policy: string | null;
  readonly retryAfter: string | null;
  readonly body: Fields;
}

interface Sender {
  /** Default none. */
  readonly key?: string | undefined;
  /** The address that is connected from. Default 127.0.0.1. */
  readonly localAddress?: string;
  /** Default the one of all requests. */
  readonly agent?: Agent | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request over one transport that succeeds without the database once its key is known. */
export type Ask = (server: { readonly url: string }, sender?: Sender) => Promise<RateAnswer>;

export const askOverRest: Ask = ({ url }, sender) => send(`${url}/`, sender);

export const askOverGraphql: Ask = ({ url }, sender) =>
  send(`${url}/graphql`, sender, { query: "{ __typename }" });

export const askers: readonly (readonly [name: string, ask: Ask])[] = [
  ["REST", askOverRest],
  ["GraphQL", askOverGraphql],
];

/** A GET, or a POST with a body. */
export function send(
  url: string,
  { key, localAddress = "127.0.0.1", agent, headers = {} }: Sender = {},
  body?: unknown,
): Promise<RateAnswer> {
  const method = body === undefined ? "GET" : "POST";
  const sent = request(url, {
    method,
    agent,
    localAddress,
    headers: {
      "Service-Version": "2",
      "Content-Type": "application/json",
      ...(key !== undefined && { Authorization: `Bearer ${key}` }),
      ...headers,
    },
  });
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  return new Promise((resolve, reject) => {
    sent.once("error", reject).once("response", async (answer) => {
      let text = "";
      for await (const chunk of answer) text += chunk;
      const header = (name: string) => answer.headers[name]?.toString() ?? null;
      resolve({
        status: answer.statusCode ?? 0,
        limit: header("ratelimit")?.replace(/^"\w+";/, "") ?? null,
        policy: header("ratelimit-policy"),
        retryAfter: header("retry-after"),
        body: text.startsWith("{") || text.startsWith("[") ? JSON.parse(text) : { text },
      });
    });
  });
}

/** The code and the message of a refusal over either transport. */
export function refusalIn({ body }: RateAnswer): { code: string; message: string } {
  const [error] = body.errors ?? [];
  if (error) return { code: error.extensions.code, message: error.message };
  return { code: body.error_code.replace(/^ERR_/, ""), message: body.msg };
}
