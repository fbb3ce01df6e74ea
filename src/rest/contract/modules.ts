import type { z } from "zod";
import type { Context } from "../../domain/core/context.js";
import { DomainError, type Issue } from "../../domain/core/errors.js";
import { parse } from "../../domain/core/fields.js";
import { withDanglingReferences } from "../../domain/storage/references.js";
import { bodyWithoutPathIds, type Link, type RestRequest, type Row } from "./contract.js";
import { domainName } from "./wire.js";

/** The modules of an owner as JSON, by their wire names and in their order; null for one that is not set. */
export type ModuleViews<Owner> = Readonly<
  Record<string, (owner: Owner, link: Link) => object | null>
>;

/** All modules of an owner. */
export function showModules<Owner>(views: ModuleViews<Owner>, owner: Owner, link: Link) {
  const shown: Record<string, object | null> = {};
  for (const name of Object.keys(views)) shown[name] = views[name]?.(owner, link) ?? null;
  return shown;
}

export interface ModuleOwner<Owner, Update> {
  /** The path of one owner; each module has its own below it. */
  readonly path: string;
  readonly rule: z.ZodType<Update>;
  readonly views: ModuleViews<Owner>;
  get(request: RestRequest): Promise<Owner>;
  update(request: RestRequest, input: Update): Promise<Owner>;
}

/** PUT, GET and DELETE of every module of an owner (wire facts, module table of Part 2). */
export function moduleRows<Owner, Update>(owner: ModuleOwner<Owner, Update>): Row[] {
  return Object.entries(owner.views).flatMap(([name, view]): Row[] => {
    const path = `${owner.path}/${name}`;
    const field = domainName(name);
    const set = async (request: RestRequest, module: unknown) =>
      owner.update(request, parse(owner.rule, { [field]: module }));
    return [
      {
        method: "PUT",
        path,
        status: 200,
        async handle(request) {
          const { module, prefix } = unwrap(bodyWithoutPathIds(request));
          const changed = await below(request.context, prefix, () => set(request, module));
          return view(changed, request.link);
        },
      },
      {
        method: "GET",
        path,
        status: 200,
        async handle(request) {
          const shown = view(await owner.get(request), request.link);
          if (shown) return shown;
          throw new DomainError("NOT_FOUND", `The module \`${field}\` is not set.`);
        },
      },
      {
        method: "DELETE",
        path,
        status: 204,
        handle: (request) => set(request, null),
      },
    ];
  });
}

/** The module itself: some typed clients send it as it is, others as `{"module": {...}}`. */
function unwrap(body: Readonly<Record<string, unknown>>) {
  if (!("module" in body)) return { module: body, prefix: [] };
  return { module: body.module ?? {}, prefix: ["module"] };
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
