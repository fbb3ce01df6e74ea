import type { InputFieldMap, OutputRef } from "@pothos/core";
import type { z } from "zod";
import type { Context } from "../domain/core/context.js";
import { oneOfKind, RESOURCES, type ResourceKind, typeNameOf } from "../domain/core/ids.js";
import type { List } from "../domain/lists/sequences.js";
import type { Resources } from "../domain/reads/tables.js";
import type { Resource } from "../domain/storage/rows.js";
import { checkedBy } from "./builder/argument-checks.js";
import { builder } from "./builder/builder.js";
import { connectionOf } from "./builder/connections.js";
import { type InputFields, idArgument, textInputs } from "./builder/inputs.js";
import { requestOf } from "./builder/list-requests.js";
import { listArguments, listInputs } from "./builder/lists.js";
import {
  changeArguments,
  createArguments,
  createOne,
  deleteOne,
  updateOne,
} from "./builder/mutations.js";
import { mutationResult } from "./mutation-results.js";
import { readPage, readResource } from "./reads/reads.js";

/** The parts that differ between kinds of resources in the fields that all kinds have. */
interface Collection<Kind extends ResourceKind, Create, Update> {
  readonly kind: Kind;
  /** The name of the field that lists them. */
  readonly plural: string;
  readonly type: OutputRef<Resources[Kind]>;
  readonly list: List<NoInfer<Kind>>;
  /** The fields that only their filter has. */
  readonly filter?: (t: InputFields) => InputFieldMap;
  /** The texts that their filter searches, if these are more than description and metadata. */
  readonly searched?: string;
  readonly create: Write<Create> & {
    readonly run: (context: Context, input: Create) => Promise<Resources[Kind]>;
  };
  readonly update: Write<Update> & {
    readonly run: (context: Context, id: string, input: Update) => Promise<Resources[Kind]>;
  };
  readonly remove: Described & {
    readonly run: (context: Context, id: string) => Promise<void>;
  };
}

interface Described {
  /** Further sentences for the description of the mutation. */
  readonly note?: string;
}

interface Write<Input> extends Described {
  readonly rule: z.ZodType<Input>;
  /** The fields of the input in addition to description and metadata. */
  readonly fields?: (t: InputFields) => InputFieldMap;
  /** Further sentences for the description of the input. */
  readonly inputNote?: string;
}

/**
 * The fields that every kind of resource has: one, their list, create, update and delete. Returns the types that
 * other fields share with them.
 */
export function collection<Kind extends ResourceKind, Create, Update>(
  resource: Collection<Kind, Create, Update>,
) {
  const { kind, plural, create, update, remove } = resource;
  const type: OutputRef<Resource> = resource.type;
  const typeName = typeNameOf(kind);
  const { name, plural: names } = RESOURCES[kind];
  const connection = connectionOf(resource.type, typeName, names);
  const result = mutationResult(typeName, oneOfKind(kind), kind, type);
  const { list: rows, filter = none, searched } = resource;
  const list = listInputs(typeName, names, rows, filter, searched);
  const createInput = builder.inputType(`Create${typeName}Input`, {
    description: sentences(`A new ${name}.`, create.inputNote),
    fields: (t) => ({ ...textInputs(t), ...create.fields?.(t) }),
  });
  const updateInput = builder.inputType(`Update${typeName}Input`, {
    description: sentences(
      "A field that is absent keeps its value; null clears it.",
      update.inputNote,
    ),
    fields: (t) => ({ ...textInputs(t), ...update.fields?.(t) }),
  });

  builder.queryField(kind, (t) =>
    t.field({
      type,
      nullable: true,
      description: `One ${name}.`,
      args: { id: idArgument(t) },
      resolve: (_, { id }, context, info): Promise<Resource> =>
        readResource(context, info, kind, id),
    }),
  );
  builder.queryField(plural, (t) =>
    t.field({
      type: connection,
      nullable: true,
      description: `All ${names}; newest first by default.`,
      args: listArguments(t, list),
      extensions: checkedBy((args) => requestOf(rows, args)),
      resolve: (_, args, context, info) => readPage(context, info, rows, args),
    }),
  );

  // An input is checked at the argument and not at its type, which may stand in other inputs too. It turns into the
  // change that it asks for, so that what was checked and what takes it stay together.
  const creation = create.rule.transform(
    (input): Creation =>
      (context) =>
        create.run(context, input),
  );
  const change = update.rule.transform(
    (input): Change =>
      (context, id) =>
        update.run(context, id, input),
  );
  builder.mutationField(`create${typeName}`, (t) =>
    t.field({
      type: result,
      nullable: true,
      description: sentences(`Creates ${oneOfKind(kind)}.`, create.note),
      args: {
        input: t
          .arg({ type: createInput, required: true, description: `The ${name}.` })
          .validate(creation),
        ...createArguments(t),
      },
      resolve: (_, args, context) => createOne(context, args, args.input),
    }),
  );
  builder.mutationField(`update${typeName}`, (t) =>
    t.field({
      type: result,
      nullable: true,
      description: sentences(`Changes ${oneOfKind(kind)}.`, update.note),
      args: {
        ...changeArguments(t),
        input: t
          .arg({ type: updateInput, required: true, description: "The fields to change." })
          .validate(change),
      },
      resolve: (_, args, context) => updateOne(context, kind, args, args.input),
    }),
  );
  builder.mutationField(`delete${typeName}`, (t) =>
    t.field({
      type: result,
      nullable: true,
      description: sentences(`Deletes ${oneOfKind(kind)}.`, remove.note),
      args: changeArguments(t),
      resolve: (_, args, context) => deleteOne(context, kind, args, remove.run),
    }),
  );
  return { connection, result, ...list, createInput, updateInput };
}

type Creation = (context: Context) => Promise<Resource>;
type Change = (context: Context, id: string) => Promise<Resource>;

const none = () => ({});

function sentences(first: string, note: string | undefined): string {
  return note === undefined ? first : `${first} ${note}`;
}
