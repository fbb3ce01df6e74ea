import { z } from "zod";
import { type Account, readAccount } from "../domain/account.js";
import type { Context } from "../domain/core/context.js";
import { getOne } from "../domain/reads/read.js";
import { apiKeyAnswer, showApiKey } from "./api-keys.js";
import { time, uri } from "./contract/answers.js";
import { type Endpoint, type Link, timestamp } from "./contract/contract.js";

// What is asked for before anything else (wire facts, 1.1): which lists there are, and whose key it is.

const accountAnswer = z.strictObject({
  id: z.string().describe("The id of this installation."),
  name: z.string().describe("The name of the product."),
  created_at: time.describe("The time at which its database was made."),
  suspended: z.boolean().describe("False: nothing suspends an installation."),
  enforce_sso: z.boolean().describe("False: people do not log in here."),
  min_api_version: z.string().describe("The oldest version of the API that is served."),
  min_agent_version: z.string().describe("Empty: agents of every version may connect."),
  user_mfa_required: z.boolean().describe("False: people do not log in here."),
  traffic_full_capture: z.boolean().describe("False: no traffic passes here."),
});

const selfAnswer = z.strictObject({
  api_key: apiKeyAnswer.nullable().describe("The key of the request; null for the configured one."),
  account: accountAnswer.describe("This installation."),
  user: z.null().describe("Null: keys belong to nobody."),
});

/** `GET /` and `GET /self` of a contract with the endpoints of all `resources`. */
export function rootEndpoints(resources: readonly Endpoint[]): Endpoint[] {
  const lists = resources
    .filter(({ method, path }) => method === "GET" && !path.includes(":"))
    .map(({ path }) => path)
    .sort();
  return [
    {
      method: "GET",
      path: "/",
      status: 200,
      operation: {
        id: "getRoot",
        kind: null,
        summary: "Returns the URLs of all lists.",
        refusals: [],
      },
      answer: z.strictObject({
        uri,
        subresource_uris: z.record(z.string(), uri).describe("The URL of each list, by its name."),
      }),
      handle: async ({ link }) => ({
        body: {
          uri: link("/"),
          subresource_uris: Object.fromEntries(lists.map((path) => [nameOf(path), link(path)])),
        },
      }),
    },
    {
      method: "GET",
      path: "/self",
      status: 200,
      operation: {
        id: "getSelf",
        kind: null,
        summary: "Returns the key of the request, and the account that this installation is.",
        refusals: [],
      },
      answer: selfAnswer,
      handle: async ({ context, link }) => ({
        body: {
          api_key: await ownKey(context, link),
          account: showAccount(await readAccount(context)),
          user: null,
        },
      }),
    },
  ];
}

/** The name of a list: `/edges/https` is `edges_https`. */
function nameOf(path: string): string {
  return path.slice(1).replaceAll("/", "_");
}

/** The key of the request; null for the one of the configuration, which is not stored. */
async function ownKey(context: Context, link: Link) {
  const { keyId } = context.actor;
  return keyId === null ? null : showApiKey(await getOne(context, "apiKey", keyId), link);
}

/** Nothing of an account can be set, so all but its id and its age is the same everywhere. */
function showAccount({ id, createdAt }: Account) {
  return {
    id,
    name: "Edgeplane",
    created_at: timestamp(createdAt),
    suspended: false,
    enforce_sso: false,
    min_api_version: "2",
    min_agent_version: "",
    user_mfa_required: false,
    traffic_full_capture: false,
  };
}
