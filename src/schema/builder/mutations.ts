import type { ArgBuilder } from "@pothos/core";
import type { Applied } from "../../domain/apply/apply.js";
import { type AppliedChange, type Outcome, withOutcome } from "../../domain/changes/outcomes.js";
import { atVersion } from "../../domain/changes/versions.js";
import type { Context } from "../../domain/core/context.js";
import { DomainError } from "../../domain/core/errors.js";
import type { ResourceKind } from "../../domain/core/ids.js";
import type { Resource } from "../../domain/storage/rows.js";
import type { GraphqlContext, Types } from "./builder.js";
import { idArgument } from "./inputs.js";

type Arguments = { readonly arg: ArgBuilder<Types> };

function dryRunArgument(t: Arguments) {
  return t.arg.boolean({
    description:
      'Whether to do a dry run: run every check, but store nothing. The result then has the resource as it is stored, so a normalised cache stays right, and its `changes` are what the mutation would change. Apollo leaves its cache out with `fetchPolicy: "no-cache"`. Default false.',
  });
}

/** The arguments of a mutation that creates, except its input. */
export function createArguments(t: Arguments) {
  return { dryRun: dryRunArgument(t) };
}

function expectedVersionArgument(t: Arguments) {
  return t.arg.int({
    description:
      "The version that the resource must have. If it has another one, the mutation fails with CONFLICT, and `extensions.currentVersion` of the error is the version that it has. Omit to accept any version.",
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

/** The arguments of a mutation that brings a resource to a desired state, except its key and its input. */
export function applyArguments(t: Arguments) {
  return { expectedVersion: expectedVersionArgument(t), ...createArguments(t) };
}

/** What a mutation returns: the resource, or the id by which to read it, and everything that changed. */
export interface MutationResult {
  /** Null when there is none: it was deleted, or a dry run would create it. */
  readonly id: string | null;
  /** Null when it is to be read. */
  readonly resource: Resource | null;
  readonly changes: readonly AppliedChange[];
}

interface CreateArguments {
  readonly dryRun?: boolean | null | undefined;
}

/** Runs a mutation: each on its own, seeing what those before it in the same request have changed. */
async function run<Result>(
  context: GraphqlContext,
  { dryRun }: CreateArguments,
  change: (context: Context) => Promise<Result>,
): Promise<Outcome<Result>> {
  context.loaders.clear();
  const outcome = await withOutcome(context, dryRun === true, change);
  context.loaders.clear();
  return outcome;
}

/** Creates a resource. */
export async function createOne(
  context: GraphqlContext,
  args: CreateArguments,
  create: (context: Context) => Promise<Resource>,
): Promise<MutationResult> {
  const { result, changes } = await run(context, args, (context) =>
    at("input", () => create(context)),
  );
  return args.dryRun
    ? { id: null, resource: null, changes }
    : { id: result.id, resource: result, changes };
}

interface ChangeArguments extends CreateArguments {
  readonly id: string;
  readonly expectedVersion?: number | null | undefined;
}

/** Changes one resource of `kind`. Throws CONFLICT when it is not at the expected version. */
export async function updateOne(
  context: GraphqlContext,
  kind: ResourceKind,
  args: ChangeArguments,
  update: (context: Context, id: string) => Promise<Resource>,
): Promise<MutationResult> {
  const { result, changes } = await run(context, args, (context) =>
    expecting(context, kind, args, (context) => at("input", () => update(context, args.id))),
  );
  return { id: args.id, resource: args.dryRun ? null : result, changes };
}

/** Deletes one resource of `kind`. Throws CONFLICT when it is not at the expected version. */
export async function deleteOne(
  context: GraphqlContext,
  kind: ResourceKind,
  args: ChangeArguments,
  remove: (context: Context, id: string) => Promise<void>,
): Promise<MutationResult> {
  const { changes } = await run(context, args, (context) =>
    expecting(context, kind, args, (context) => at("id", () => remove(context, args.id))),
  );
  return { id: args.dryRun ? args.id : null, resource: null, changes };
}

/** Brings a resource to a desired state. */
export async function applyOne(
  context: GraphqlContext,
  args: CreateArguments,
  apply: (context: Context) => Promise<Applied>,
): Promise<MutationResult> {
  const { result, changes } = await run(context, args, (context) =>
    at("input", () => apply(context)),
  );
  return { id: args.dryRun && result.isNew ? null : result.id, resource: null, changes };
}

function expecting<Result>(
  context: Context,
  kind: ResourceKind,
  { id, expectedVersion }: ChangeArguments,
  change: (context: Context) => Promise<Result>,
): Promise<Result> {
  if (expectedVersion == null) return change(context);
  return atVersion(context, kind, id, expectedVersion, change);
}

/** The arguments besides the input that a problem can be of. */
const OTHER_ARGUMENTS: ReadonlySet<unknown> = new Set(["id", "key", "expectedVersion"]);

/** Runs `change`, whose problems are of `argument`, and lets their paths begin there. */
async function at<Result>(argument: string, change: () => Promise<Result>): Promise<Result> {
  try {
    return await change();
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const { code, message, input, currentVersion } = error;
    const issues = error.issues.map((issue) =>
      OTHER_ARGUMENTS.has(issue.path[0]) ? issue : { ...issue, path: [argument, ...issue.path] },
    );
    const given = input === undefined ? {} : { input: { [argument]: input } };
    throw new DomainError(code, message, issues, { ...given, currentVersion });
  }
}
