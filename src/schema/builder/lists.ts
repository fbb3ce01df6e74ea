import type { ArgBuilder, InputFieldMap, InputRef } from "@pothos/core";
import { MAX_SEARCH_LENGTH } from "../../domain/lists/filters/filter.js";
import { MAX_IDS } from "../../domain/lists/pages.js";
import { builder, type Types } from "./builder.js";
import type { InputFields } from "./inputs.js";
import { pageArguments } from "./pages.js";

// The inputs of lists with a filter and an order.

const OrderDirection = builder.enumType("OrderDirection", {
  description: "Which way a list is ordered.",
  values: {
    ASC: { value: "asc", description: "The oldest first; texts from A to Z." },
    DESC: { value: "desc", description: "The newest first; texts from Z to A." },
  } as const,
});

/** The filter and the order of a kind of resource: what its lists take. */
interface ListInputs<Filter extends object> {
  readonly filter: InputRef<Filter>;
  readonly order: InputRef<object>;
}

/** Makes the input types `<name>Filter` and `<name>Order`. `members` is what this filter alone has. */
export function listInputs<Members extends InputFieldMap>(
  name: string,
  plural: string,
  members: (t: InputFields) => Members,
  searched = "description and metadata",
) {
  const filter = builder.inputType(`${name}Filter`, {
    description: `Which ${plural} to find: those that meet all of its members. One that is null or absent demands nothing.`,
    fields: (t) => ({
      ids: t.idList({
        description: `Those with one of these ids: at most ${MAX_IDS}; none for an empty list.`,
      }),
      search: t.string({
        description: `Those with this text in ${searched}, whatever the case of letters: 1 to ${MAX_SEARCH_LENGTH} characters, without those around it that are blank. One or two characters are found only where a line of these texts begins with them.`,
      }),
      createdAfter: t.field({
        type: "DateTime",
        description: "Those created at this time or later; a fraction of a second is cut.",
      }),
      createdBefore: t.field({
        type: "DateTime",
        description: "Those created before this time; a fraction of a second is cut.",
      }),
      ...members(t),
    }),
  });
  const OrderField = builder.enumType(`${name}OrderField`, {
    description: `What ${plural} can be ordered by.`,
    values: {
      CREATED_AT: { value: "created_at", description: "When they were created." },
      DESCRIPTION: {
        value: "description",
        description:
          "Their descriptions, character by character without regard to the case of A to Z; equal ones in the order of creation.",
      },
    } as const,
  });
  const order = builder.inputType(`${name}Order`, {
    description: `How to order ${plural}. By default the newest come first.`,
    fields: (t) => ({
      field: t.field({
        type: OrderField,
        defaultValue: "created_at",
        description: "What to order by.",
      }),
      direction: t.field({
        type: OrderDirection,
        defaultValue: "desc",
        description: "Which way.",
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
    filter: t.arg({ type: filter, description: "Which ones to find; default all." }),
    orderBy: t.arg({
      type: order,
      description:
        "In which order; default `{ field: CREATED_AT, direction: DESC }`: newest first.",
    }),
  };
}
