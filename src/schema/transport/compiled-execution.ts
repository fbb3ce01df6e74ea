import {
  type DirectiveNode,
  type DocumentNode,
  type GraphQLCompositeType,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isObjectType,
  Kind,
  type ListValueNode,
  type ObjectValueNode,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type VariableNode,
  visit,
} from "graphql";
import { type CompiledQuery, compileQuery, isCompiledQuery } from "graphql-jit";
import type { Plugin } from "graphql-yoga";
import { schema } from "../index.js";
import { type Fragments, fragmentsOf } from "../reads/fragments.js";
import { flatOperation } from "./flat-operations.js";
import { hasUnfitLiterals, operationOf } from "./limits/documents.js";

/** Executions of a document after which it is compiled: most that are sent once are never sent again. */
const EXECUTIONS_BEFORE = 2;
/**
 * Fields of the compiled code, and those of them that take arguments, whose code is longer. What selects of an interface
 * is compiled once for each of its types. The longest takes about 50 ms to compile.
 */
const MOST_FIELDS = 800;
const MOST_WITH_ARGUMENTS = 30;

type Execute = CompiledQuery["query"];

/**
 * Executes frequent queries as compiled code, which takes less than half of the time. Mutations are not compiled. The
 * compiler differs from the specification where a variable is inside a list or an object, which it reads as null; in
 * `@skip` and `@include` on fragments that are spread again, whose fields it leaves out; and in the order of what
 * fragments select. So the first two are left to the interpreter, and it gets no fragments.
 */
export function compiledExecution(): Plugin {
  const known = new WeakMap<
    DocumentNode,
    Map<string, { executions: number; run?: Execute | null }>
  >();
  return {
    onExecute({ args, setExecuteFn }) {
      const { document, operationName } = args;
      // It is refused in place of being executed.
      if (hasUnfitLiterals(document)) return;
      const operations = known.get(document) ?? new Map();
      known.set(document, operations);
      const name = operationName ?? "";
      const entry = operations.get(name) ?? { executions: 0 };
      operations.set(name, entry);
      entry.executions += 1;
      if (entry.executions <= EXECUTIONS_BEFORE) return;
      if (entry.run === undefined)
        entry.run = compiled(document, operationOf(document, operationName));
      const { run } = entry;
      if (run)
        setExecuteFn((given) => run(given.rootValue, given.contextValue, given.variableValues));
    },
  };
}

/** The operation as code; null when it is not to be compiled. */
function compiled(document: DocumentNode, operation: OperationDefinitionNode): Execute | null {
  if (operation.operation !== "query") return null;
  if (hasInnerVariable(document) || hasCondition(document)) return null;
  const fragments = fragmentsOf(document);
  if (isTooLong(fragments, operation)) return null;
  const definitions = [flatOperation(schema, operation, fragments)];
  const query = compileQuery(schema, { ...document, definitions }, operation.name?.value);
  return isCompiledQuery(query) ? query.query : null;
}

function hasInnerVariable(document: DocumentNode): boolean {
  const found: VariableNode[] = [];
  const look = {
    Variable(node: VariableNode) {
      found.push(node);
    },
  };
  const lookInside = (value: ListValueNode | ObjectValueNode) => {
    visit(value, look);
  };
  visit(document, { ListValue: lookInside, ObjectValue: lookInside });
  return found.length > 0;
}

function hasCondition(document: DocumentNode): boolean {
  const found: DirectiveNode[] = [];
  visit(document, {
    Directive(node) {
      found.push(node);
    },
  });
  return found.length > 0;
}

/**
 * Whether the code of an operation would have too many fields. Counting stops at the limit, since nested fragments can
 * make more fields than can be counted.
 */
export function isTooLong(fragments: Fragments, operation: OperationDefinitionNode): boolean {
  let [fields, withArguments] = [0, 0];
  const isOver = () => fields > MOST_FIELDS || withArguments > MOST_WITH_ARGUMENTS;
  const count = ({ selections }: SelectionSetNode, type: GraphQLCompositeType): void => {
    for (const node of selections) {
      fields += 1;
      if (isOver()) return;
      if (node.kind === Kind.FIELD) {
        const field = "getFields" in type ? type.getFields()[node.name.value] : undefined;
        if (field && field.args.length > 0) withArguments += 1;
        const below = field && getNamedType(field.type);
        if (!node.selectionSet || !isCompositeType(below)) continue;
        for (const each of typesOf(below)) count(node.selectionSet, each);
        continue;
      }
      const fragment = node.kind === Kind.FRAGMENT_SPREAD ? fragments[node.name.value] : node;
      const condition =
        fragment?.typeCondition && schema.getType(fragment.typeCondition.name.value);
      // There is no code for what is of another type.
      if (isObjectType(condition) && isObjectType(type) && condition !== type) continue;
      if (fragment) count(fragment.selectionSet, isObjectType(condition) ? condition : type);
    }
  };
  const root = schema.getRootType(operation.operation);
  if (root) count(operation.selectionSet, root);
  return isOver();
}

function typesOf(type: GraphQLCompositeType): readonly GraphQLCompositeType[] {
  return isAbstractType(type) ? schema.getPossibleTypes(type) : [type];
}
