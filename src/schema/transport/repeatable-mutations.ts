import type { IncomingMessage, ServerResponse } from "node:http";
import {
  type ExecutionArgs,
  type ExecutionResult,
  type FieldNode,
  getArgumentValues,
  Kind,
  type OperationDefinitionNode,
  print,
} from "graphql";
import { isAsyncIterable, type Plugin } from "graphql-yoga";
import { type RepeatableRequest, runOnce } from "../../domain/changes/repeatable-requests.js";
import type { Transaction } from "../../domain/changes/transactions.js";
import { invalidRequest } from "../../domain/core/errors.js";
import { isLackOfKeys } from "../../domain/core/slow-keys.js";
import { isTransactionConflict } from "../../domain/storage/errors.js";
import {
  IDEMPOTENCY_KEY,
  idempotencyKeyOf,
  idempotencyKeyProblem,
  REPLAYED,
} from "../../http/idempotency-key.js";
import type { GraphqlContext } from "../builder/builder.js";
import { thrownError } from "../builder/errors.js";
import { schema } from "../index.js";
import { operationOf } from "./limits/documents.js";
import { coerceVariables } from "./limits/variables.js";

interface ServerContext {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
}

interface Args extends ExecutionArgs {
  readonly contextValue: GraphqlContext & ServerContext;
}

/**
 * Executes a mutation with an `Idempotency-Key` once: the mutation and all that is selected of its result are one
 * transaction, in which the answer is kept. An answer with errors is taken back, so the key may be used again. The key
 * means nothing to a query, nor to a dry run, which stores nothing.
 */
export function repeatableMutations(): Plugin<GraphqlContext & ServerContext, ServerContext> {
  return {
    onExecute({ args, executeFn, setExecuteFn }) {
      const key = idempotencyKeyOf(args.contextValue.req);
      const operation = operationOf(args.document, args.operationName);
      if (key === null || operation.operation !== "mutation") return;
      setExecuteFn(async (given) => {
        try {
          const field = onlyField(operation, key);
          // What does not fit is refused by the execution.
          const variables = coerceVariables(operation, given.variableValues ?? {});
          if (!variables || isDryRun(field, variables)) return await executeFn(given);
          const { contextValue } = given;
          const asks = ["GraphQL", print(given.document), given.operationName, variables];
          return await executeOnce({ ...given, contextValue }, { key, asks }, executeFn);
        } catch (error) {
          return error instanceof TakenBack ? error.result : { errors: [thrownError(error)] };
        }
      });
    },
  };
}

type Execute = (args: Args) => unknown;

async function executeOnce(
  args: Args,
  request: RepeatableRequest,
  execute: Execute,
): Promise<ExecutionResult> {
  const { contextValue } = args;
  const { text, isRepeated } = await runOnce(contextValue, request, async (transaction) =>
    JSON.stringify(await executeIn(transaction, args, execute)),
  );
  if (isRepeated) contextValue.res.setHeader(REPLAYED, "true");
  return JSON.parse(text);
}

/** Throws for a result with errors, so that the transaction is taken back; it runs again where that may help. */
async function executeIn(
  transaction: Transaction,
  args: Args,
  execute: Execute,
): Promise<ExecutionResult> {
  // Loaders of its own: what others have read does not show what the transaction changes.
  const contextValue = { ...args.contextValue, ...transaction, loaders: new Map() };
  const result = (await execute({ ...args, contextValue })) as ExecutionResult;
  if (isAsyncIterable(result)) throw new Error("A mutation has one result.");
  const { data, errors } = result;
  if (!errors) return result;
  const passing = errors.find(({ originalError }) => mayPass(originalError));
  if (passing) throw passing.originalError;
  const isChanged = Object.values(data ?? {}).some((value) => value !== null);
  throw new TakenBack(isChanged ? { errors, data: null } : result);
}

/** Whether another run of the transaction may well succeed. */
function mayPass(error: unknown): boolean {
  return isTransactionConflict(error) || isLackOfKeys(error);
}

class TakenBack extends Error {
  constructor(readonly result: ExecutionResult) {
    super("The mutation was taken back.");
  }
}

/** The field of a mutation. Throws INVALID_REQUEST for several, which are several changes, and for a key that is none. */
function onlyField({ selectionSet }: OperationDefinitionNode, key: string): FieldNode {
  const message = idempotencyKeyProblem(key);
  const fields = selectionSet.selections.filter(
    (node) => node.kind !== Kind.FIELD || node.name.value !== "__typename",
  );
  const [field] = fields;
  const isOne = fields.length === 1 && field?.kind === Kind.FIELD;
  if (message === null && isOne) return field;
  throw invalidRequest([
    {
      path: [IDEMPOTENCY_KEY],
      message:
        message ?? "is for one change: send a mutation with one field, and no fragment there",
    },
  ]);
}

function isDryRun(field: FieldNode, variables: Readonly<Record<string, unknown>>): boolean {
  const definition = schema.getMutationType()?.getFields()[field.name.value];
  return (
    definition !== undefined && getArgumentValues(definition, field, variables).dryRun === true
  );
}
