import {
  type ArgumentNode,
  type FieldNode,
  type GraphQLNamedType,
  getNamedType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from "graphql";
import type { Issue } from "../../../domain/core/errors.js";
import { schema } from "../../index.js";
import { type Fragments, fragmentOf } from "../../reads/fragments.js";
import { isIncluded } from "../../reads/inclusion.js";
import { argumentsOf, costOf, fieldOf, isConnection, pageSize, type Variables } from "./cost.js";

/** Lists that are tried; the cost of an operation is counted once for each. */
const MOST_TRIED = 20;

/** A page size as the caller can change it: an argument, or a variable that may stand in several. */
interface PageSize {
  /** The names of the fields, as they are in the answer, that lead to the list, without `nodes`, `edges` and `node`. */
  readonly path: readonly string[];
  /** How the caller writes it, with another size. */
  readonly written: (size: number) => string;
  readonly now: string;
  readonly size: number;
  /** What the operation costs with another size. */
  readonly cost: (size: number) => number;
}

/**
 * The advice for an operation that costs more than `limit`: the list whose smaller page saves most, and the largest
 * page size that fits. When no size fits, the advice is to split the operation.
 */
export function whatFits(
  operation: OperationDefinitionNode,
  fragments: Fragments,
  variables: Variables,
  limit: number,
): Issue {
  const sizes = pageSizes(operation, fragments, variables).filter(({ size }) => size > 1);
  const least = sizes.map((size) => ({ size, cost: size.cost(1) }));
  const best = least.reduce<(typeof least)[number] | null>(
    (best, next) => (best && best.cost <= next.cost ? best : next),
    null,
  );
  if (!best || best.cost > limit) {
    const message =
      "does not fit with any page size of a single list: split it into several requests";
    return { path: ["cost"], message, limit };
  }
  const { path, written, now } = best.size;
  const largest = largestThat((size) => best.size.cost(size) <= limit, best.size.size);
  const message = `costs most: the operation fits with \`${written(largest)}\` instead of ${now}`;
  return { path, message, limit: largest };
}

/** The largest number of at least 1 and below `end` that fits, when 1 does and what fits is without a gap. */
function largestThat(fits: (size: number) => boolean, end: number): number {
  let [known, beyond] = [1, end];
  while (beyond - known > 1) {
    const middle = Math.floor((known + beyond) / 2);
    if (fits(middle)) known = middle;
    else beyond = middle;
  }
  return known;
}

/** The page sizes of an operation, those of the outer lists first. Each fragment is looked into once. */
function pageSizes(
  operation: OperationDefinitionNode,
  fragments: Fragments,
  variables: Variables,
): PageSize[] {
  const found = new Map<string, { list: FoundList; nodes: Set<FieldNode> }>();
  const spread = new Set<string>();

  const visit = (
    { selections }: SelectionSetNode,
    type: GraphQLNamedType,
    path: readonly string[],
  ): void => {
    for (const node of selections) {
      if (!isIncluded(node, variables)) continue;
      if (node.kind === Kind.FIELD) {
        visitField(node, type, path);
        continue;
      }
      const fragment = fragmentOf(fragments, node, spread);
      const condition = fragment?.typeCondition?.name.value;
      const narrowed = condition === undefined ? type : schema.getType(condition);
      if (fragment && narrowed) visit(fragment.selectionSet, narrowed, path);
    }
  };
  const visitField = (node: FieldNode, parent: GraphQLNamedType, path: readonly string[]): void => {
    const definition = fieldOf(parent, node.name.value);
    if (!definition || !node.selectionSet) return;
    const type = getNamedType(definition.type);
    const isPart =
      isConnection(parent) || parent.name.endsWith("Edge") ? /^(nodes|edges|node)$/ : null;
    const own = isPart?.test(definition.name)
      ? path
      : [...path, node.alias?.value ?? definition.name];
    if (isConnection(type)) {
      const list = foundList(node, own, pageSize(argumentsOf(definition, node, variables)));
      const known = found.get(list.key);
      if (known) known.nodes.add(node);
      else found.set(list.key, { list, nodes: new Set([node]) });
    }
    visit(node.selectionSet, type, own);
  };

  const root = schema.getRootType(operation.operation);
  if (root) visit(operation.selectionSet, root, []);
  return [...found.values()].slice(0, MOST_TRIED).map(({ list, nodes }) => {
    const { path, variable, argument, isDefault, size } = list;
    return {
      path,
      size,
      written: (size) => (variable === null ? `${argument}: ${size}` : `$${variable}: ${size}`),
      now: isDefault ? `the default of ${size}` : String(size),
      cost: (size) =>
        variable === null
          ? costOf(operation, fragments, variables, new Map([...nodes].map((node) => [node, size])))
          : costOf(operation, fragments, { ...variables, [variable]: size }),
    };
  });
}

interface FoundList {
  /** The same for lists whose page size is the same value in the request. */
  readonly key: string;
  readonly path: readonly string[];
  readonly argument: string;
  /** The variable that has the size; null for a size that is written in the document. */
  readonly variable: string | null;
  readonly isDefault: boolean;
  readonly size: number;
}

function foundList(node: FieldNode, path: readonly string[], size: number): FoundList {
  const written = (name: string) =>
    node.arguments?.find((argument) => argument.name.value === name);
  const given = [written("first"), written("last")].find(
    (argument) => argument && !isNull(argument),
  );
  const value = given?.value;
  const variable = value?.kind === Kind.VARIABLE ? value.name.value : null;
  return {
    key: variable === null ? path.join(".") : `$${variable}`,
    path,
    argument: given?.name.value ?? "first",
    variable,
    isDefault: !given,
    size,
  };
}

function isNull({ value }: ArgumentNode): boolean {
  return value.kind === Kind.NULL;
}
