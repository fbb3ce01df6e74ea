import type { GraphQLResolveInfo, OperationDefinitionNode } from "graphql";
import { LRUCache } from "lru-cache";
import type { Meter } from "../../domain/core/context.js";
import type { GivenPage } from "../../domain/reads/shape.js";
import type { AskedPage } from "./asked-pages.js";
import type { Operation } from "./selected-fields.js";
import { variantOf } from "./variants.js";

/** Shapes of one operation that are kept; the operation itself is kept as long as its document. */
const MOST_VARIANTS = 50;

/** A question, and what asks for the pages in it. */
export interface Plan<Question> {
  readonly question: Question;
  readonly pages: readonly AskedPage[];
  /** False when something was left out whose arguments do not fit. */
  readonly isWhole: boolean;
}

/** A question with the requests of one operation for the pages in it. */
export interface Asked<Question> {
  readonly question: Question;
  readonly pages: readonly GivenPage[];
}

/** The operation of a resolver. */
export function operationOf({
  schema,
  fragments,
  variableValues: variables,
}: GraphQLResolveInfo): Operation {
  return { schema, fragments, variables };
}

/**
 * Keeps what root fields ask, by operation and by what makes a difference to it: what of the variables does, and
 * `what`, of which the resolver knows. Whether secrets are shown is no part of a question: see `ask.ts`.
 */
export function planCache<Question>() {
  const plans = new WeakMap<OperationDefinitionNode, LRUCache<string, Plan<Question>>>();
  return (
    meter: Meter | undefined,
    info: GraphQLResolveInfo,
    what: string,
    make: (operation: Operation) => Plan<Question>,
  ): Asked<Question> => {
    const { operation, fragments, variableValues: variables } = info;
    const kept = plans.get(operation) ?? new LRUCache({ max: MOST_VARIANTS });
    plans.set(operation, kept);
    const variant = variantOf(operation, fragments, variables);
    const key = `${info.path.key} ${what} ${variant}`;
    const known = kept.get(key);
    const asked = known && askedWith(known, variables);
    meter?.read(asked ? "kept" : "made");
    if (asked) return asked;
    const plan = make(operationOf(info));
    if (plan.isWhole) kept.set(key, plan);
    const made = askedWith(plan, variables);
    if (!made) throw new Error("A page that does not fit is left out of the plan.");
    return made;
  };
}

/** Null when the arguments of a page do not fit. */
function askedWith<Question>(
  { question, pages }: Plan<Question>,
  variables: GraphQLResolveInfo["variableValues"],
): Asked<Question> | null {
  const given: GivenPage[] = [];
  for (const page of pages) {
    const asked = page(variables);
    if (!asked) return null;
    given.push(asked);
  }
  return { question, pages: given };
}
