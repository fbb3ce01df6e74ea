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

/**
 * Paths whose cost is looked at, pages that one text names, and paths that a refusal names. The cost is counted at most
 * three times for each path.
 */
const MOST_TRIED = 50;
const MOST_PAGES = 50;
const MOST_NAMED = 3;
/** A list that costs this part of what a path above it costs is nearly all of it: both are one finding. */
const NEARLY_ALL = 0.9;

/** A field that costs something, as the caller finds it in the request. */
interface CostlyPath {
  /** The names of the fields, as they are in the answer, that lead to it, without `nodes`, `edges` and `node`. */
  readonly path: readonly string[];
  /** What it costs with all below it, wherever it is asked for. */
  readonly points: number;
  /** Whether it stands in a fragment that is spread in several places, of which `path` is the first. */
  readonly isShared: boolean;
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

/** Whether the operation fits when none of these pages is larger than `size`. */
type Fits = (pages: readonly PageSize[], size: number) => boolean;

/**
 * The advice for an operation that costs more than `limit`: the paths that cost most, with the largest page size with
 * which the operation fits, where there is one. A path of which a list below it is nearly all is named only where there
 * is room. When no smaller page fits alone, one more issue names pages that fit together; when there are none, it says to
 * split the operation.
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
  const fits = fitting(found, costWith, limit);
  const paths = costliest(found, costWith, total);
  // A smaller page cannot save more than all of it costs.
  const shrinking = paths.filter(
    ({ page, points }) => page && page.size > 1 && total - points <= limit && fits([page], 1),
  );
  const keys = new Set(shrinking.map(({ page }) => page?.key));
  const issues = findings(paths, shrinking).map((path) =>
    issueOf(path, total, path.page && keys.has(path.page.key) ? fits : null),
  );
  if (shrinking.length > 0) return issues;
  return [...issues, fittingTogether(pagesOf([...paths, ...found]), fits, limit)];
}

function fitting(
  found: readonly FoundField[],
  costWith: (sizes: PageSizes) => number,
  limit: number,
): Fits {
  const nodesByKey = new Map<string, FieldNode[]>();
  for (const { page, nodes } of found) {
    if (page) nodesByKey.set(page.key, [...(nodesByKey.get(page.key) ?? []), ...nodes]);
  }
  return (pages, size) => {
    const sizes = pages.flatMap((page) => {
      const smaller = Math.min(page.size, size);
      return (nodesByKey.get(page.key) ?? []).map((node) => [node, smaller] as const);
    });
    return costWith(new Map(sizes)) <= limit;
  };
}

/** What the outermost fields cost, those first that cost most. What is outside costs at least as much as what is inside. */
function costliest(
  found: readonly FoundField[],
  costWith: (sizes: PageSizes) => number,
  total: number,
): CostlyPath[] {
  return found
    .toSorted((a, b) => a.path.length - b.path.length)
    .slice(0, MOST_TRIED)
    .map(({ path, page, isShared, nodes }) => {
      const points = total - costWith(new Map([...nodes].map((node) => [node, 0])));
      return { path, page, isShared, points };
    })
    .sort((a, b) => b.points - a.points);
}

/** The paths to name: different ones first, and one of which a smaller page helps, if there is one. */
function findings(paths: readonly CostlyPath[], shrinking: readonly CostlyPath[]): CostlyPath[] {
  const isSame = (path: CostlyPath) =>
    paths.some((other) => isBelow(other, path) && other.points >= path.points * NEARLY_ALL);
  const [same, different] = [paths.filter(isSame), paths.filter((path) => !isSame(path))];
  const named = [...different, ...same].slice(0, MOST_NAMED);
  const [best] = shrinking;
  if (best && !named.some((path) => shrinking.includes(path))) named.splice(-1, 1, best);
  return paths.filter((path) => named.includes(path));
}

function isBelow(inner: CostlyPath, outer: CostlyPath): boolean {
  return (
    inner.path.length > outer.path.length &&
    outer.path.every((name, index) => name === inner.path[index])
  );
}

/** What a path costs, and the largest page with which the operation fits, unless `fits` is null. */
function issueOf({ path, points, isShared, page }: CostlyPath, total: number, fits: Fits | null) {
  const share = `${Math.round((points / total) * 100)} %`;
  const places = isShared ? ", in all places of its fragment" : "";
  const message = Number.isSafeInteger(total)
    ? `costs ${points} of ${total} points, ${share}${places}`
    : `costs ${share} of the points${places}`;
  if (!page || !fits) return { path, message };
  const largest = largestThat((size) => fits([page], size), page.size);
  const now = page.isDefault ? `the default of ${page.size}` : String(page.size);
  const change = `the operation fits with \`${page.written(largest)}\` instead of ${now}`;
  return { path, message: `${message}: ${change}`, limit: largest };
}

/** A page with its first path. */
type PlacedPage = PageSize & Pick<FoundField, "path">;

/** The pages that can be smaller, each once. */
function pagesOf(fields: readonly Pick<FoundField, "path" | "page">[]): PlacedPage[] {
  const pages = new Map<string, PlacedPage>();
  for (const { path, page } of fields) {
    if (page && page.size > 1 && !pages.has(page.key)) pages.set(page.key, { ...page, path });
  }
  return [...pages.values()];
}

/** Advice when no page fits alone: the fewest of the costliest that fit together. */
function fittingTogether(pages: readonly PlacedPage[], fits: Fits, limit: number): Issue {
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
  const smaller = shrunk.filter(({ size }) => size > largest);
  const changes = smaller
    .slice(0, MOST_PAGES)
    .map(({ path, written }) => `\`${written(largest)}\` in \`${path.join(".")}\``);
  const others = smaller.length - changes.length;
  if (others > 0)
    changes.push(`pages of at most ${largest} in others that are not listed (${others})`);
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

interface FoundField extends Pick<CostlyPath, "path" | "page" | "isShared"> {
  readonly nodes: ReadonlySet<FieldNode>;
}

/** A field with the fragments that it stands in. */
interface Occurrence {
  readonly path: readonly string[];
  readonly fragments: readonly string[];
  readonly nodes: Set<FieldNode>;
  readonly page: PageSize | null;
}

/** The lists of an operation, and its root fields. Each fragment is looked into once. */
function fieldsOf(
  operation: OperationDefinitionNode,
  fragments: Fragments,
  variables: Variables,
): FoundField[] {
  const found = new Map<string, Occurrence>();
  const spread = new Set<string>();
  const several = new Set<string>();

  const visit = (
    { selections }: SelectionSetNode,
    type: GraphQLNamedType,
    path: readonly string[],
    within: readonly string[],
  ): void => {
    for (const node of selections) {
      if (!isIncluded(node, variables)) continue;
      if (node.kind === Kind.FIELD) {
        visitField(node, type, path, within);
        continue;
      }
      const name = node.kind === Kind.FRAGMENT_SPREAD ? node.name.value : null;
      if (name !== null && spread.has(name)) several.add(name);
      const fragment = fragmentOf(fragments, node, spread);
      const condition = fragment?.typeCondition?.name.value;
      const narrowed = condition === undefined ? type : schema.getType(condition);
      const inside = name === null ? within : [...within, name];
      if (fragment && narrowed) visit(fragment.selectionSet, narrowed, path, inside);
    }
  };
  const visitField = (
    node: FieldNode,
    parent: GraphQLNamedType,
    path: readonly string[],
    within: readonly string[],
  ): void => {
    const definition = fieldOf(parent, node.name.value);
    if (!definition) return;
    const type = getNamedType(definition.type);
    const own = isPart(definition.name, parent)
      ? path
      : [...path, node.alias?.value ?? definition.name];
    const isPage = isConnection(type);
    const isList = isListType(getNullableType(definition.type)) && !isIntrospectionType(type);
    const isRoot = path.length === 0;
    if (own !== path && (isPage || isRoot || (isList && node.selectionSet))) {
      const key = own.join(".");
      const page = isPage
        ? pageOf(node, key, pageSize(argumentsOf(definition, node, variables)))
        : null;
      const known = found.get(key);
      if (known) known.nodes.add(node);
      else found.set(key, { path: own, fragments: within, nodes: new Set([node]), page });
    }
    if (node.selectionSet) visit(node.selectionSet, type, own, within);
  };

  const root = schema.getRootType(operation.operation);
  if (root) visit(operation.selectionSet, root, [], []);
  return [...found.values()].map(({ fragments: within, ...field }) => ({
    ...field,
    isShared: within.some((name) => several.has(name)),
  }));
}

/** Whether a field is part of the page that it stands in, and no step of a path. */
function isPart(name: string, parent: GraphQLNamedType): boolean {
  const isOfPage = isConnection(parent) || parent.name.endsWith("Edge");
  return isOfPage && ["nodes", "edges", "node"].includes(name);
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
