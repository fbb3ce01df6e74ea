import {
  createSourceEventStream,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  Kind,
  type OperationDefinitionNode,
  visit,
} from "graphql";
import { createGraphQLError, isAsyncIterable, type Plugin } from "graphql-yoga";
import type { GraphqlContext } from "../builder/builder.js";
import { operationOf } from "./limits/documents.js";

type Answer = ExecutionResult | Promise<ExecutionResult>;
/** Of one event, by what is asked of it. */
type Answers = Map<string, Answer>;

interface Args extends ExecutionArgs {
  readonly contextValue: GraphqlContext;
}

/**
 * Executes a subscription once for all subscribers who get the same event, the very object, at the same time and
 * ask the same of it, so that they get the same result, the very object too. Nothing is kept: who gets the event
 * later has it executed anew, and sees what is there then.
 */
export function sharedExecutions(): Plugin<GraphqlContext> {
  const questionIn = questions();
  const answersTo = new WeakMap<object, Answers>();

  const answer = (event: object, question: string, args: Args): Answer => {
    const answers = answersTo.get(event) ?? new Map<string, Answer>();
    answersTo.set(event, answers);
    const shared = answers.get(question);
    if (shared) return shared;
    // Of its own: no subscriber's reads are those of another event, and none waits for another's.
    const contextValue = { ...args.contextValue, loaders: new Map() };
    const own = execute({ ...args, rootValue: event, contextValue });
    answers.set(question, own);
    // After the turn in which it is done, since in this turn go on all who were woken together.
    const forget = () => setImmediate(() => answers.delete(question));
    Promise.resolve(own).then(forget, forget);
    return own;
  };

  async function* answered(events: AsyncIterable<unknown>, args: Args) {
    const question = questionIn(args);
    try {
      for await (const event of events) {
        if (isObject(event)) yield answer(event, question, args);
      }
    } catch (error) {
      yield { errors: [failure(error)] };
    }
  }

  return {
    onSubscribe({ args: { contextValue }, setSubscribeFn }) {
      setSubscribeFn(async (args: ExecutionArgs) => {
        const events = await createSourceEventStream(args);
        return isAsyncIterable(events) ? answered(events, { ...args, contextValue }) : events;
      });
    },
  };
}

/**
 * What is asked of an event, as a text that is the same for subscribers who ask the same and may see the same: the
 * document, the operation, the variables that it reads, and the rights of the key. Resolvers may not look at any
 * other of the context that differs between subscribers.
 */
function questions() {
  const numbers = new WeakMap<DocumentNode, number>();
  let documents = 0;
  return ({ document, operationName, variableValues, contextValue: { actor } }: Args): string => {
    const number = numbers.get(document) ?? documents++;
    numbers.set(document, number);
    const used = variablesInEvents(document, operationOf(document, operationName));
    const variables = Object.entries(variableValues ?? {}).filter(([name]) => used.has(name));
    return JSON.stringify([number, operationName, variables, actor.scope]);
  };
}

/** All variables but those that stand in the arguments of the subscription alone, which say only which events come. */
function variablesInEvents(
  document: DocumentNode,
  operation: OperationDefinitionNode,
): ReadonlySet<string> {
  const names = new Set<string>();
  const { selectionSet } = operation;
  const selections = selectionSet.selections.map((selection) =>
    selection.kind === Kind.FIELD ? { ...selection, arguments: [] } : selection,
  );
  const bare = { ...operation, selectionSet: { ...selectionSet, selections } };
  const definitions = document.definitions.map((each) => (each === operation ? bare : each));
  visit(
    { ...document, definitions },
    {
      VariableDefinition: () => false,
      Variable({ name }) {
        names.add(name.value);
      },
    },
  );
  return names;
}

function failure(error: unknown) {
  const originalError = error instanceof Error ? error : new Error(String(error));
  return createGraphQLError(originalError.message, { originalError });
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
