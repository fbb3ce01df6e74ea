import { Kind, type OperationDefinitionNode, visit } from "graphql";
import type { Fragments } from "./fragments.js";

// What is read for an operation depends on its variables. Some only say where in a list a page lies, and are values of
// the statement: for all others each value makes another shape.

/** Arguments whose variables are values of the statement, but for whether they are null. */
const PLACES: ReadonlySet<string> = new Set(["id", "after", "before"]);

type Variables = Readonly<Record<string, unknown>>;

interface Uses {
  /** Names of variables that are a place and nothing else. */
  readonly places: readonly string[];
  readonly others: readonly string[];
}

/** The same text for variables with which an operation reads the same shape. */
export function variantOf(
  operation: OperationDefinitionNode,
  fragments: Fragments,
  variables: Variables,
): string {
  if (!operation.variableDefinitions?.length) return "";
  const { places, others } = usesIn(operation, fragments);
  return JSON.stringify([
    places.map((name) => variables[name] == null),
    others.map((name) => [name in variables, variables[name]]),
  ]);
}

const USES = new WeakMap<OperationDefinitionNode, Uses>();

function usesIn(operation: OperationDefinitionNode, fragments: Fragments): Uses {
  const known = USES.get(operation);
  if (known) return known;
  const names = (operation.variableDefinitions ?? []).map(({ variable }) => variable.name.value);
  const isOther = new Set<string>();
  for (const definition of [operation, ...Object.values(fragments)]) {
    visit(definition, {
      VariableDefinition: () => false,
      Variable: ({ name }, _, parent) => {
        const isPlace =
          parent !== undefined &&
          "kind" in parent &&
          parent.kind === Kind.ARGUMENT &&
          PLACES.has(parent.name.value);
        if (!isPlace) isOther.add(name.value);
      },
    });
  }
  const uses = {
    places: names.filter((name) => !isOther.has(name)),
    others: names.filter((name) => isOther.has(name)),
  };
  USES.set(operation, uses);
  return uses;
}
