import type { Context } from "../../domain/core/context.js";
import { DomainError, type Issue } from "../../domain/core/errors.js";
import { withDanglingReferences } from "../../domain/storage/reference-checks.js";
import type { Endpoint } from "./contract.js";
import { verbatim, wireName } from "./wire.js";

/** The name that a field has on the wire, by that in the domain, where these are two words: both in camelCase. */
export type Spelling = Readonly<Record<string, string>>;

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
