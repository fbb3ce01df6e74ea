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
import { isAsyncIterable, type Plugin } from "graphql-yoga";
import type { GraphqlContext } from "../builder/builder.js";
import { thrownError } from "../builder/errors.js";
import { operationOf } from "./limits/documents.js";

type Answer = ExecutionResult | Promise<ExecutionResult>;
/** Of one event, by what is asked of it. */
type Answers = Map<string, Answer>;

interface Args extends ExecutionArgs {
  readonly contextValue: GraphqlContext;
}

/**
 * Executes a subscription once for all subscribers that get the same event object at the same time with the same
 * selection; they share one result object. Nothing is kept: for a later subscriber the event is executed again and has
 * the state of that time.
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
      yield { errors: [thrownError(error)] };
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
 * A text that is equal for subscribers with the same selection and the same rights: the document, the operation, its
 * variables, and the scope of the key. Resolvers must not use other parts of the context that differ between
 * subscribers.
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

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
