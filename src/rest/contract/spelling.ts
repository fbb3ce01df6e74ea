import type { Context } from "../../domain/core/context.js";
import { DomainError, type Issue } from "../../domain/core/errors.js";
import { snakeCase } from "../../domain/core/names.js";
import { withDanglingReferences } from "../../domain/storage/reference-checks.js";
import type { Endpoint, Taken } from "./contract.js";
import { isUnset, type Tolerance, without } from "./tolerances.js";
import { type Spelling, verbatim, wireName } from "./wire.js";

/** The same endpoints, whose bodies and refusals name fields as `spelling` has them. */
export function respelled(spelling: Spelling, endpoints: readonly Endpoint[]): Endpoint[] {
  return endpoints.map((endpoint) => ({
    ...endpoint,
    ...(endpoint.takes && !endpoint.takes.isModule && { takes: { ...endpoint.takes, spelling } }),
    async handle(request) {
      const body = inDomain(spelling, request.body);
      return onWire(request.context, spelling, () => endpoint.handle({ ...request, body }));
    },
  }));
}

/**
 * The same endpoints, whose bodies may also name fields as `older` has them: those of clients that do are refused by
 * these names. The domain's own name counts more when both are given.
 */
export function alsoSpelled(older: Spelling, endpoints: readonly Endpoint[]): Endpoint[] {
  return endpoints.map((endpoint) => ({
    ...endpoint,
    ...(endpoint.takes && { takes: alsoTaking(older, endpoint.takes) }),
    async handle(request) {
      const { body } = request;
      const given = Object.entries(older).filter(([, old]) => old in body);
      if (given.length === 0) return endpoint.handle(request);
      const used = Object.fromEntries(given.filter(([own]) => isUnset(body[own])));
      const names = given.flatMap(([own, old]) => (own in used ? [own, old] : [old]));
      const others = without(body, (name) => names.includes(name));
      const values = Object.entries(used).map(([own, old]) => [own, body[old]]);
      const respelled = { ...others, ...Object.fromEntries(values) };
      return onWire(request.context, used, () => endpoint.handle({ ...request, body: respelled }));
    },
  }));
}

/** For the document: the older names take what those of the domain take. None is required, as the other may be given. */
function alsoTaking(older: Spelling, takes: Taken): Taken {
  const pairs = Object.entries(older).map(
    ([own, old]) => [snakeCase(own), snakeCase(old)] as const,
  );
  const names: Tolerance = {
    mend: (body) => body,
    adds: (fields) =>
      Object.fromEntries(
        pairs.flatMap(([own, old]) => {
          const field = fields[own];
          const description = `The older name of \`${own}\`.`;
          return field ? [[old, { ...field, deprecated: true, description }]] : [];
        }),
      ),
    eases: pairs.map(([own]) => own),
  };
  return { ...takes, tolerates: [...(takes.tolerates ?? []), names] };
}

/** `body` with the domain's names. The domain's own name of such a field is none on the wire, so it is unknown. */
function inDomain(spelling: Spelling, body: Readonly<Record<string, unknown>>) {
  const names = new Map(Object.entries(spelling).map(([own, wire]) => [wire, own]));
  const respelled = Object.entries(body).map(([name, value]) => {
    const unknown = Object.hasOwn(spelling, name) ? verbatim(wireName(name)) : name;
    return [names.get(name) ?? unknown, value];
  });
  return Object.fromEntries(respelled);
}

async function onWire<Result>(
  context: Context,
  spelling: Spelling,
  action: () => Promise<Result>,
): Promise<Result> {
  try {
    return await action();
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const { code, message, currentVersion } = error;
    const issues = (await withDanglingReferences(context, error)).map((issue) =>
      respelledIssue(spelling, issue),
    );
    throw new DomainError(code, message, issues, { currentVersion });
  }
}

function respelledIssue(
  spelling: Spelling,
  { path: [head, ...rest], message, limit }: Issue,
): Issue {
  const name = (own: string) => spelling[own] ?? own;
  return {
    path: head === undefined ? [] : [typeof head === "string" ? name(head) : head, ...rest],
    message: message.replace(/`([A-Za-z0-9]+)/g, (_, own: string) => `\`${name(own)}`),
    limit,
  };
}
