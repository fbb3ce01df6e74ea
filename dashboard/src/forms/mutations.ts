import { type Client, makeOperation } from "urql";
import { type Problem, problemOf } from "../api/problems.js";
import type { Resource, ResultData, Row } from "../resources/resource.js";
import type { Values } from "./values.js";

// The changes of a resource, as forms ask for them.

export type Result<Item> = NonNullable<ResultData<Item>["result"]> | { readonly problem: Problem };

interface Change {
  readonly id: string;
  /** That the resource is thought to have: the change is refused when it has another one. */
  readonly expectedVersion: number;
  readonly dryRun?: boolean;
}

export async function create<Item extends Row>(
  client: Client,
  resource: Resource<Item>,
  variables: { readonly input: Values; readonly dryRun?: boolean },
): Promise<Result<Item>> {
  return run(client, resource.create, variables);
}

export async function update<Item extends Row>(
  client: Client,
  resource: Resource<Item>,
  variables: Change & { readonly input: Values },
): Promise<Result<Item>> {
  return run(client, resource.update, variables);
}

export async function remove<Item extends Row>(
  client: Client,
  resource: Resource<Item>,
  variables: Change,
): Promise<Result<Item>> {
  return run(client, resource.remove, variables);
}

async function run<Item>(
  client: Client,
  document: Resource<Item & Row>["create"],
  variables: object,
): Promise<Result<Item>> {
  const { data, error, operation } = await client
    .mutation<ResultData<Item>>(document, { ...variables })
    .toPromise();
  // The cache remembers operations with their variables, such as private keys, until they are torn down.
  client.reexecuteOperation(makeOperation("teardown", operation));
  if (data?.result) return data.result;
  if (!error) throw new Error("A mutation was answered with nothing.");
  return { problem: problemOf(error) };
}
