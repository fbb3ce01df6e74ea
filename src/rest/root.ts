import { z } from "zod";
import { type Account, readAccount } from "../domain/account.js";
import type { Context } from "../domain/core/context.js";
import { getOne } from "../domain/reads/read.js";
import { apiKeyAnswer, showApiKey } from "./api-keys.js";
import { time, uri } from "./contract/answers.js";
import { type Endpoint, type Link, timestamp } from "./contract/contract.js";

// What is asked for before anything else (wire facts, 1.1): which lists there are, and whose key it is.

const accountAnswer = z.strictObject({
  id: z.string(),
  name: z.string(),
  created_at: time,
  suspended: z.boolean(),
  enforce_sso: z.boolean(),
  min_api_version: z.string(),
  min_agent_version: z.string(),
  user_mfa_required: z.boolean(),
  traffic_full_capture: z.boolean(),
});

const selfAnswer = z.strictObject({
  api_key: apiKeyAnswer.nullable(),
  account: accountAnswer,
  user: z.null(),
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
      answer: z.strictObject({ uri, subresource_uris: z.record(z.string(), uri) }),
      handle: async ({ link }) => ({
        uri: link("/"),
        subresource_uris: Object.fromEntries(lists.map((path) => [nameOf(path), link(path)])),
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
        api_key: await ownKey(context, link),
        account: showAccount(await readAccount(context)),
        user: null,
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
