import {
  type ArgumentNode,
  type FieldNode,
  type GraphQLNamedType,
  getNamedType,
  getNullableType,
  isIntrospectionType,
  isListType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from "graphql";
import type { Issue } from "../../../domain/core/errors.js";
import { schema } from "../../index.js";
import { type Fragments, fragmentOf } from "../../reads/fragments.js";
import { isIncluded } from "../../reads/inclusion.js";
import {
  argumentsOf,
  costsOf,
  fieldOf,
  isConnection,
  type PageSizes,
  pageSize,
  type Variables,
} from "./cost.js";

/** Paths that are looked at, and how many of these a refusal names. The cost is counted at most three times for each. */
const MOST_TRIED = 50;
const MOST_NAMED = 3;

/** A field that costs something, as the caller finds it in the request. */
interface CostlyPath {
  /** The names of the fields, as they are in the answer, that lead to it, without `nodes`, `edges` and `node`. */
  readonly path: readonly string[];
  /** What it costs with all below it, wherever it is asked for. */
  readonly points: number;
  readonly page: PageSize | null;
}

/** The size of a page as the caller can change it: an argument, or a variable that may stand in several. */
interface PageSize {
  /** The same for pages whose size is the same value in the request. */
  readonly key: string;
  readonly size: number;
  readonly isDefault: boolean;
  /** How the caller writes it, with another size. */
  readonly written: (size: number) => string;
}

/**
 * The advice for an operation that costs more than `limit`: the paths that cost most, with the largest page size with
 * which the operation fits, where there is one. When no smaller page fits alone, one more issue names pages that fit
 * together; when there are none, it says to split the operation.
 */
export function whatFits(
  operation: OperationDefinitionNode,
  fragments: Fragments,
  variables: Variables,
  limit: number,
): Issue[] {
  const found = fieldsOf(operation, fragments, variables);
  const costWith = costsOf(operation, fragments, variables);
  const total = costWith(new Map());
  const nodesOf = ({ key }: PageSize) =>
    found.filter(({ page }) => page?.key === key).flatMap(({ nodes }) => [...nodes]);
  /** The same pages, none of them larger than `size`. */
  const atMost = (pages: readonly PageSize[], size: number): PageSizes =>
    new Map(
      pages.flatMap((page) =>
        nodesOf(page).map((node) => [node, Math.min(page.size, size)] as const),
      ),
    );
  const fits = (pages: readonly PageSize[], size: number) => costWith(atMost(pages, size)) <= limit;

  // What is outside costs at least as much as what is inside of it.
  const paths = found
    .toSorted((a, b) => a.path.length - b.path.length)
    .slice(0, MOST_TRIED)
    .map(({ path, page, nodes }): CostlyPath => {
      const points = total - costWith(new Map([...nodes].map((node) => [node, 0])));
      return { path, page, points };
    })
    .sort((a, b) => b.points - a.points);
  // A smaller page cannot save more than all of it costs.
  const shrinking = paths.filter(
    ({ page, points }) => page && page.size > 1 && total - points <= limit && fits([page], 1),
  );
  const named = paths.slice(0, MOST_NAMED);
  const [best] = shrinking;
  if (best && !named.some((path) => shrinking.includes(path))) named.splice(-1, 1, best);

  const issues = named.map(({ path, points, page }): Issue => {
    const share = `${Math.round((points / total) * 100)} %`;
    const message = Number.isSafeInteger(total)
      ? `costs ${points} of ${total} points, ${share}`
      : `costs ${share} of the points`;
    if (!page || !shrinking.some((other) => other.page?.key === page.key)) return { path, message };
    const largest = largestThat((size) => fits([page], size), page.size);
    const now = page.isDefault ? `the default of ${page.size}` : String(page.size);
    const change = `the operation fits with \`${page.written(largest)}\` instead of ${now}`;
    return { path, message: `${message}: ${change}`, limit: largest };
  });
  return best ? issues : [...issues, fittingTogether(paths, fits, limit)];
}

/** Advice when no page fits alone: the fewest of the costliest that fit together. */
function fittingTogether(
  paths: readonly CostlyPath[],
  fits: (pages: readonly PageSize[], size: number) => boolean,
  limit: number,
): Issue {
  const pages = [
    ...new Map(
      paths.flatMap(({ path, page }) =>
        page && page.size > 1 ? [[page.key, { ...page, path }] as const] : [],
      ),
    ).values(),
  ];
  if (!fits(pages, 1)) {
    const message = "does not fit with any page sizes: split the operation into several requests";
    return { path: ["cost"], message, limit };
  }
  const fewest = leastThat((count) => fits(pages.slice(0, count), 1), pages.length);
  const shrunk = pages.slice(0, fewest);
  const largest = largestThat(
    (size) => fits(shrunk, size),
    Math.max(...shrunk.map(({ size }) => size)),
  );
  const changes = shrunk
    .filter(({ size }) => size > largest)
    .map(({ path, written }) => `\`${written(largest)}\` in \`${path.join(".")}\``);
  const message = `does not fit with a smaller page of one list alone, but with ${changes.join(" and ")} together`;
  return { path: ["cost"], message, limit };
}

/** The smallest number from 1 to `end` that is enough, when `end` is. */
function leastThat(isEnough: (count: number) => boolean, end: number): number {
  return largestThat((count) => count === 1 || !isEnough(count - 1), end + 1);
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

interface FoundField {
  readonly path: readonly string[];
  readonly nodes: Set<FieldNode>;
  readonly page: PageSize | null;
}

/** The lists of an operation, and its root fields. Each fragment is looked into once. */
function fieldsOf(
  operation: OperationDefinitionNode,
  fragments: Fragments,
  variables: Variables,
): FoundField[] {
  const found = new Map<string, FoundField>();
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
    if (!definition) return;
    const type = getNamedType(definition.type);
    const isPart =
      isConnection(parent) || parent.name.endsWith("Edge") ? /^(nodes|edges|node)$/ : null;
    const own = isPart?.test(definition.name)
      ? path
      : [...path, node.alias?.value ?? definition.name];
    const isPage = isConnection(type);
    const isList = isListType(getNullableType(definition.type)) && !isIntrospectionType(type);
    const isRoot = path.length === 0;
    if (own !== path && (isPage || isRoot || (isList && node.selectionSet))) {
      const key = own.join(".");
      const known = found.get(key);
      const page = isPage
        ? pageOf(node, key, pageSize(argumentsOf(definition, node, variables)))
        : null;
      if (known) known.nodes.add(node);
      else found.set(key, { path: own, nodes: new Set([node]), page });
    }
    if (node.selectionSet) visit(node.selectionSet, type, own);
  };

  const root = schema.getRootType(operation.operation);
  if (root) visit(operation.selectionSet, root, []);
  return [...found.values()];
}

function pageOf(node: FieldNode, path: string, size: number): PageSize {
  const written = (name: string) =>
    node.arguments?.find((argument) => argument.name.value === name);
  const given = [written("first"), written("last")].find(
    (argument) => argument && !isNull(argument),
  );
  const argument = given?.name.value ?? "first";
  const variable = given?.value.kind === Kind.VARIABLE ? given.value.name.value : null;
  return variable === null
    ? { key: path, size, isDefault: !given, written: (size) => `${argument}: ${size}` }
    : { key: `$${variable}`, size, isDefault: false, written: (size) => `$${variable}: ${size}` };
}

function isNull({ value }: ArgumentNode): boolean {
  return value.kind === Kind.NULL;
}
