import type { GraphQLResolveInfo } from "graphql";
import type { ResourceKind } from "../../domain/core/ids.js";
import type { Nested, Sequence } from "../../domain/lists/sequences.js";
import { targetKey } from "../../domain/reads/statement.js";
import type { Table } from "../../domain/storage/graph.js";
import { checkedBy } from "../builder/argument-checks.js";
import type { GraphqlContext } from "../builder/builder.js";
import { type ListArguments, requestOf } from "../builder/list-requests.js";
import { brought, broughtList, broughtPage } from "./brought.js";
import { listKey, reads } from "./field-reads.js";
import { loadAll, loadOf, loadPage, loadTarget } from "./reads.js";

// Fields that lead from one resource to others. They return what the statement of the root field has brought, and read
// what it has not.

/** Where the id stands of what a field leads to. */
interface Target<Owner, Id, To extends Table> {
  readonly to: To;
  /** The member of the resource that has the reference. */
  readonly member: string;
  /** The field is not the resource's own but of an object that the member is. */
  readonly isInside?: true;
  readonly id: (owner: Owner) => Id;
}

function targetReads({
  member,
  isInside,
}: Pick<Target<never, never, Table>, "member" | "isInside">) {
  return reads({ target: isInside ? null : member });
}

/** A field that leads to the one resource that a member refers to. Throws NOT_FOUND when it has just been deleted. */
export function targetField<Owner extends object, To extends Table>(
  target: Target<Owner, string, To>,
) {
  const { member, id } = target;
  return {
    extensions: targetReads(target),
    resolve: (owner: Owner, _: object, context: GraphqlContext, info: GraphQLResolveInfo) => {
      const found = brought<To>(owner, member);
      return found ?? loadTarget<To>(context, info, id(owner));
    },
  };
}

/** The same for a member that may refer to nothing: null then, and when the resource has just been deleted. */
export function optionalTargetField<Owner extends object, To extends Table>(
  target: Target<Owner, string | null, To>,
) {
  const { member } = target;
  return {
    extensions: targetReads(target),
    resolve: (owner: Owner, _: object, context: GraphqlContext, info: GraphQLResolveInfo) => {
      const found = brought<To>(owner, member);
      if (found !== undefined) return found;
      const id = target.id(owner);
      return id === null ? null : loadOf<To>(context, info, id);
    },
  };
}

interface Targets<Owner, To extends Table> extends Target<Owner, readonly string[], To> {
  /** The most that there can be. */
  readonly holds: number;
}

/** A field that leads to all resources that a member refers to, in order. Resources that have just been deleted are left out. */
export function targetsField<Owner extends object, To extends Table>(target: Targets<Owner, To>) {
  const { member, id, holds } = target;
  return {
    extensions: { ...targetReads(target), holds },
    resolve: (owner: Owner, _: object, context: GraphqlContext, info: GraphQLResolveInfo) => {
      const found = broughtList<To>(owner, member);
      return found ? inTurn(context, found) : loadAll<To>(context, info, id(owner));
    },
  };
}

/** The objects that `member` of `owner` stands for, one for each resource that it refers to, each with that. */
export function withTargets<Item extends object>(
  context: GraphqlContext,
  owner: object,
  member: string,
  items: readonly Item[],
): Item[] | Promise<Item[]> {
  const targets = broughtList(owner, member);
  if (!targets) return [...items];
  return inTurn(
    context,
    items.map((item, index) => ({ ...item, [targetKey(member)]: targets[index] })),
  );
}

/** Items of a large answer, when it is their turn. */
function inTurn<Item>({ budget }: GraphqlContext, items: Item[]): Item[] | Promise<Item[]> {
  const turn = budget?.turn(items.length);
  return turn ? turn.then(() => items) : items;
}

/** A field that is a page of those who refer to the resource. */
export function listField<Kind extends ResourceKind>(nested: Nested<Sequence<Kind>>) {
  return {
    extensions: {
      ...reads({ list: nested }),
      ...checkedBy((args) => requestOf(nested.sequence, args)),
    },
    resolve: (
      owner: { readonly id: string },
      args: ListArguments,
      context: GraphqlContext,
      info: GraphQLResolveInfo,
    ) => {
      const key = listKey(info.fieldName, args);
      const page = broughtPage<Kind>(owner, key);
      if (!page) return loadPage(context, info, nested, args, key, owner.id);
      const turn = context.budget?.turn(page.rows.length);
      return turn ? turn.then(() => page) : page;
    },
  };
}
