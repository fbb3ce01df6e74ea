import type { ArgBuilder } from "@pothos/core";
import { inDryRun } from "../../domain/changes/transactions.js";
import { atVersion } from "../../domain/changes/versions.js";
import type { Context } from "../../domain/core/context.js";
import type { ResourceKind } from "../../domain/core/ids.js";
import type { GraphqlContext, Types } from "./builder.js";
import { idArgument } from "./inputs.js";

type Arguments = { readonly arg: ArgBuilder<Types> };

export function dryRunArgument(t: Arguments) {
  return t.arg.boolean({
    description:
      "Whether to do a dry run: run every check and return the result, but store nothing. Default false.",
  });
}

/** The arguments of a mutation that creates, except its input. */
export function createArguments(t: Arguments) {
  return { dryRun: dryRunArgument(t) };
}

export function expectedVersionArgument(t: Arguments) {
  return t.arg.int({
    description:
      "The version that the resource must have. If it has another one, the mutation fails with CONFLICT, and the error has the current version. Omit to accept any version.",
  });
}

/** The arguments of a mutation that changes or deletes one resource, except its input. */
export function changeArguments(t: Arguments) {
  return {
    id: idArgument(t),
    expectedVersion: expectedVersionArgument(t),
    ...createArguments(t),
  };
}

interface CreateArguments {
  readonly dryRun?: boolean | null | undefined;
}

/** Runs a mutation: each on its own, seeing what those before it in the same request have changed. */
export async function mutate<Result>(
  context: GraphqlContext,
  { dryRun }: CreateArguments,
  change: (context: Context) => Promise<Result>,
): Promise<Result> {
  context.loaders.clear();
  const result = await (dryRun ? inDryRun(context, change) : change(context));
  context.loaders.clear();
  return result;
}

interface ChangeArguments extends CreateArguments {
  readonly id: string;
  readonly expectedVersion?: number | null | undefined;
}

/** Runs a mutation of one resource of `kind`. Throws CONFLICT when it is not at the expected version. */
export function mutateOne<Result>(
  context: GraphqlContext,
  kind: ResourceKind,
  args: ChangeArguments,
  change: (context: Context, id: string) => Promise<Result>,
): Promise<Result> {
  const { id, expectedVersion } = args;
  return mutate(context, args, (context) =>
    expectedVersion == null
      ? change(context, id)
      : atVersion(context, kind, id, expectedVersion, (context) => change(context, id)),
  );
}

/** Deletes one resource of `kind`; returns its id. */
export async function deleteOne(
  context: GraphqlContext,
  kind: ResourceKind,
  args: ChangeArguments,
  remove: (context: Context, id: string) => Promise<void>,
): Promise<string> {
  await mutateOne(context, kind, args, remove);
  return args.id;
}
