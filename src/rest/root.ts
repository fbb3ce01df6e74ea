import { type Account, readAccount } from "../domain/account.js";
import type { Context } from "../domain/core/context.js";
import { getOne } from "../domain/reads/read.js";
import { showApiKey } from "./api-keys.js";
import { type Endpoint, type Link, timestamp } from "./contract/contract.js";

// What is asked for before anything else (wire facts, 1.1): which lists there are, and whose key it is.

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
      handle: async ({ link }) => ({
        uri: link("/"),
        subresource_uris: Object.fromEntries(lists.map((path) => [nameOf(path), link(path)])),
      }),
    },
    {
      method: "GET",
      path: "/self",
      status: 200,
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
