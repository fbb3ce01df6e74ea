import type { z } from "zod";
import type { Context } from "../../domain/core/context.js";
import { DomainError, type Issue, refuse } from "../../domain/core/errors.js";
import { parse } from "../../domain/core/fields.js";
import { oneOfKind, typeNameOf } from "../../domain/core/ids.js";
import { withCapital } from "../../domain/core/names.js";
import { type ModuleOwner, modulesOf } from "../../domain/modules/index.js";
import { withDanglingReferences } from "../../domain/storage/reference-checks.js";
import { bodyWithoutPathIds, type Endpoint, NO_BODY, type RestRequest, shows } from "./contract.js";
import { lockOf, type Versioned } from "./entity-tags.js";
import { MODULE_EXAMPLES } from "./module-examples.js";
import type { Carrier, ModuleViews } from "./module-views.js";
import { domainName } from "./wire.js";

interface Owners<Update> {
  /** The path of one owner; each module has its own below it. */
  readonly path: string;
  readonly kind: ModuleOwner;
  readonly rule: z.ZodType<Update>;
  readonly views: ModuleViews;
  get(request: RestRequest): Promise<Carrier & Versioned>;
  update(request: RestRequest, input: Update): Promise<Carrier & Versioned>;
}

/** PUT, GET and DELETE of every module of an owner (wire facts, module table of Part 2). */
export function moduleEndpoints<Update>(owner: Owners<Update>): Endpoint[] {
  const { kind } = owner;
  const lock = lockOf(kind);
  const rules = modulesOf(kind) as Readonly<Record<string, { readonly rule: z.ZodType }>>;
  return owner.views.flatMap(({ name, field, answer, view }): Endpoint[] => {
    const path = `${owner.path}/${name}`;
    const rule = rules[field]?.rule;
    if (!rule) throw new Error(`There is no module ${field} of ${kind}.`);
    const type = `${typeNameOf(kind)}${withCapital(field)}`;
    const module = `the module \`${name}\` of ${oneOfKind(kind)}`;
    const set = async (request: RestRequest, module: unknown) =>
      owner.update(request, parse(owner.rule, { [field]: module }));
    return [
      {
        method: "PUT",
        path,
        status: 200,
        operation: {
          id: `replace${type}`,
          kind,
          summary: `Sets ${module}; what it does not name takes its default.`,
          refusals: ["FORBIDDEN", "NOT_FOUND", "CONFLICT"],
        },
        takes: {
          name: `${withCapital(field)}ModuleInput`,
          fullName: `${type}ModuleInput`,
          rule,
          isModule: true,
          example: MODULE_EXAMPLES[field],
        },
        answer,
        lock,
        async handle(request) {
          const { module, prefix } = unwrap(bodyWithoutPathIds(request));
          const changed = await below(request.context, prefix, () => set(request, module));
          return shows(changed, view(changed, request.link));
        },
      },
      {
        method: "GET",
        path,
        status: 200,
        operation: {
          id: `get${type}`,
          kind,
          summary: `Returns ${module}.`,
          refusals: ["NOT_FOUND"],
        },
        answer,
        async handle(request) {
          const found = await owner.get(request);
          const shown = view(found, request.link);
          if (shown) return shows(found, shown);
          throw new DomainError("NOT_FOUND", `The module \`${domainName(name)}\` is not set.`);
        },
      },
      {
        method: "DELETE",
        path,
        status: 204,
        operation: {
          id: `delete${type}`,
          kind,
          summary: `Removes ${module}; it may be unset already.`,
          refusals: ["FORBIDDEN", "NOT_FOUND"],
        },
        answer: null,
        lock,
        async handle(request) {
          await set(request, null);
          return NO_BODY;
        },
      },
    ];
  });
}

/**
 * The module itself: some typed clients send it as it is, others as `{"module": {...}}`. Throws INVALID_REQUEST for
 * fields beside the wrapper, which would be lost.
 */
function unwrap(body: Readonly<Record<string, unknown>>) {
  if (!("module" in body)) return { module: body, prefix: [] };
  const { module, ...others } = body;
  const message = "must be inside of `module`, which is given too";
  refuse(Object.keys(others).map((name): Issue => ({ path: [name], message })));
  return { module: module ?? {}, prefix: ["module"] };
}

/** Turns the paths of issues, which begin at the owner, into paths that begin at the body of a module. */
async function below<Result>(
  context: Context,
  prefix: readonly string[],
  action: () => Promise<Result>,
): Promise<Result> {
  try {
    return await action();
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const issues = (await withDanglingReferences(context, error)).map(
      ({ path, message }): Issue => ({ path: [...prefix, ...path.slice(1)], message }),
    );
    throw new DomainError(error.code, error.message, issues);
  }
}
