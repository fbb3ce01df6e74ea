import type { TypedDocumentNode } from "@graphql-typed-document-node/core";
import type { ReactNode } from "react";
import type { AppliedChangePartsFragment, PageInfoPartsFragment } from "../generated/operations.js";
import { type Kind, kindOf } from "./kinds.js";
import type { Reference } from "./references.js";

/** What every resource has. */
export type Row = Reference & {
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly metadata: string;
};

export interface ListData<Item> {
  readonly page: {
    readonly totalCount: number;
    readonly nodes: readonly Item[];
    readonly pageInfo: PageInfoPartsFragment;
  } | null;
}

interface ResourceData<Item> {
  readonly resource: Item | null;
}

export type AppliedChange = AppliedChangePartsFragment;

export interface ResultData<Item> {
  readonly result: {
    readonly resource: Item | null;
    readonly changes: readonly AppliedChange[];
  } | null;
}

/** What they take is made from forms and from the URL, and checked by the server. */
interface Operations<Item> {
  readonly list: TypedDocumentNode<ListData<Item>, never>;
  readonly one: TypedDocumentNode<ResourceData<Item>, never>;
  readonly create: TypedDocumentNode<ResultData<Item>, never>;
  readonly update: TypedDocumentNode<ResultData<Item>, never>;
  readonly remove: TypedDocumentNode<ResultData<Item>, never>;
}

interface Column<Item> {
  readonly header: string;
  readonly show: (item: Item) => ReactNode;
}

interface Presentation<Item> {
  /** What it is for, for who has none yet. */
  readonly purpose: string;
  /** What its list shows beside the name. */
  readonly columns: readonly Column<Item>[];
}

/** A kind of resource: its operations, and how it is shown. */
export interface Resource<Item extends Row> extends Operations<Item>, Presentation<Item> {
  readonly kind: Kind;
}

export function defineResource<Item extends Row>(
  typename: Item["__typename"],
  operations: Operations<Item>,
  presentation: Presentation<Item>,
): Resource<Item> {
  return { kind: kindOf(typename), ...operations, ...presentation };
}
