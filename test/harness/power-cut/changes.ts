import { z } from "zod";
import { FAULTS_KEY } from "../faults.js";

// Clients that change IP policies, and remember what they were told.

/** A change that was acknowledged, by the answer with this operation id. */
export interface Change {
  readonly operationId: string;
  /** The description of the policy since then; null when it was deleted. */
  readonly description: string | null;
}

/** All changes of each policy in their order, by its id. */
export type Histories = ReadonlyMap<string, readonly Change[]>;

const HEADERS = {
  Authorization: `Bearer ${FAULTS_KEY}`,
  "Service-Version": "2",
  "Content-Type": "application/json",
};

const UPDATE = `mutation ($id: ID!, $description: String!) {
  updateIpPolicy(id: $id, input: { description: $description }) { ipPolicy { id } }
}`;

const created = z.object({ id: z.string() });
const updated = z.object({ data: z.object({ updateIpPolicy: z.object({ ipPolicy: created }) }) });

/** `clients` that each make `count` policies, one after another, change them twice, and delete every second one. */
export async function changePolicies(
  url: string,
  clients: number,
  count: number,
): Promise<Histories> {
  const histories = new Map<string, Change[]>();

  async function send(method: string, path: string, body?: object): Promise<Response> {
    const content = body && { body: JSON.stringify(body) };
    const response = await fetch(`${url}${path}`, { method, headers: HEADERS, ...content });
    if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
    return response;
  }

  function note(id: string, { headers }: Response, description: string | null): void {
    const change = { operationId: headers.get("Operation-Id") ?? "", description };
    histories.set(id, [...(histories.get(id) ?? []), change]);
  }

  async function liveOf(index: number): Promise<void> {
    const creation = await send("POST", "/ip_policies", { description: "new" });
    const { id } = created.parse(await creation.json());
    note(id, creation, "new");
    for (const description of ["once", "twice"]) {
      const variables = { id, description };
      const update = await send("POST", "/graphql", { query: UPDATE, variables });
      updated.parse(await update.json());
      note(id, update, description);
    }
    if (index % 2 === 0) return;
    const deletion = await send("DELETE", `/ip_policies/${id}`);
    note(id, deletion, null);
  }

  const client = async () => {
    for (let index = 0; index < count; index++) await liveOf(index);
  };
  await Promise.all(Array.from({ length: clients }, client));
  return histories;
}

/**
 * What is not in `stored`, the descriptions by the ids, though an answer in `given` acknowledged it. What no answer
 * acknowledged may be there or not.
 */
export function lostChanges(
  histories: Histories,
  given: ReadonlySet<string>,
  stored: ReadonlyMap<string, string>,
): string[] {
  return [...histories].flatMap(([id, changes]) => {
    const last = changes.findLastIndex(({ operationId }) => given.has(operationId));
    if (last === -1) return [];
    const found = stored.get(id) ?? null;
    const possible = changes.slice(last).map(({ description }) => description);
    return possible.includes(found) ? [] : [`${id} is ${found} and not ${possible[0]}`];
  });
}
