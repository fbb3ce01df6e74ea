import type { ArgBuilder, InputFieldMap, InputRef } from "@pothos/core";
import { MAX_SEARCH_LENGTH } from "../../domain/lists/filters/search.js";
import type { OrderField, OrderName } from "../../domain/lists/orders.js";
import { MAX_IDS } from "../../domain/lists/pages.js";
import type { List } from "../../domain/lists/sequences.js";
import { builder, type Types } from "./builder.js";
import type { InputFields } from "./inputs.js";
import { nameOf } from "./list-requests.js";
import { pageArguments } from "./pages.js";

// The inputs of lists with a filter and an order.

const OrderDirection = builder.enumType("OrderDirection", {
  description: "The direction of an order.",
  values: {
    ASC: {
      value: "asc",
      description: "The earliest time first; texts from A to Z; networks from the lowest address.",
    },
    DESC: {
      value: "desc",
      description: "The latest time first; texts from Z to A; networks from the highest address.",
    },
  } as const,
});

const FOLDED = "compared character by character, ignoring case";

/** What is compared in each order. */
const ORDER_TEXTS = {
  created_at: "The time of creation.",
  updated_at: "The time of the last change.",
  description: "The description, compared character by character, ignoring the case of A to Z.",
  hostport: `The first hostport, ${FOLDED}. Without any hostport, it counts as an empty text.`,
  addr: `The address, ${FOLDED}.`,
  address: `The address, ${FOLDED}.`,
  match: "The match, compared character by character; its hostname ignoring case.",
  domain: `The domain, ${FOLDED}.`,
  cidr: "The network: IPv4 before IPv6, then by the address as a number, then the larger network first.",
  not_after: "The end of validity.",
  valid_until: "The end of validity.",
} as const satisfies Record<OrderName, string>;

function orderValues(orders: readonly OrderField[]) {
  const values = orders.map((field) => {
    const value = { value: field.name, description: ORDER_TEXTS[field.name] };
    return [nameOf(field), value] as const;
  });
  return Object.fromEntries(values);
}

/** The filter and the order of a kind of resource: what its lists take. */
interface ListInputs<Filter extends object> {
  readonly filter: InputRef<Filter>;
  readonly order: InputRef<object>;
}

/** Makes the input types `<name>Filter` and `<name>Order`. `members` are the fields that only this filter has. */
export function listInputs<Members extends InputFieldMap>(
  name: string,
  plural: string,
  { orders }: List,
  members: (t: InputFields) => Members,
  searched = "description or metadata",
) {
  const filter = builder.inputType(`${name}Filter`, {
    description: `Selects the ${plural} that match every field given. A field has no effect when it is absent, null or empty: an empty text, list or object.`,
    fields: (t) => ({
      ids: t.idList({
        description: `Only those with one of these ids: at most ${MAX_IDS}.`,
      }),
      search: t.string({
        description: `Only those whose ${searched} contains this text, ignoring case: at most ${MAX_SEARCH_LENGTH} characters. White space at both ends is removed first. A single character is found only at the start of a line.`,
      }),
      createdAfter: t.field({
        type: "DateTime",
        description: "Only those created at this time or later; fractions of a second are ignored.",
      }),
      createdBefore: t.field({
        type: "DateTime",
        description: "Only those created before this time; fractions of a second are ignored.",
      }),
      updatedAfter: t.field({
        type: "DateTime",
        description:
          "Only those whose last change was at this time or later; fractions of a second are ignored.",
      }),
      updatedBefore: t.field({
        type: "DateTime",
        description:
          "Only those whose last change was before this time; fractions of a second are ignored.",
      }),
      ...members(t),
    }),
  });
  const OrderField = builder.enumType(`${name}OrderField`, {
    description: `The fields by which ${plural} can be ordered. Those with equal values are in the order of creation.`,
    values: orderValues(orders),
  });
  const order = builder.inputType(`${name}Order`, {
    description: `The order of ${plural}; by default newest first.`,
    fields: (t) => ({
      field: t.field({
        type: OrderField,
        defaultValue: "created_at",
        description: "The field to order by; default `CREATED_AT`.",
      }),
      direction: t.field({
        type: OrderDirection,
        defaultValue: "desc",
        description: "The direction; default `DESC`.",
      }),
    }),
  });
  return { filter, order };
}

/** The arguments of a list that can be filtered and ordered. */
export function listArguments<Filter extends object>(
  t: { readonly arg: ArgBuilder<Types> },
  { filter, order }: ListInputs<Filter>,
) {
  return {
    ...pageArguments(t),
    filter: t.arg({
      type: filter,
      description: "Filters the list; by default it has every resource.",
    }),
    orderBy: t.arg({
      type: order,
      description:
        "The order of the list; default `{ field: CREATED_AT, direction: DESC }`, newest first.",
    }),
  };
}
