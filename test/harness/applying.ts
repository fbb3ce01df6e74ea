import type { TestServer } from "./server.js";
import { type Fields, graphql, graphqlInput } from "./transports.js";

export interface ApplyOptions {
  readonly dryRun?: boolean;
  readonly expectedVersion?: number;
  /** An API key, in place of one that may write. */
  readonly as?: string;
}

export interface AppliedResult {
  readonly resource: { readonly id: string; readonly version: number } | null;
  readonly changes: Fields[];
}

/** Brings a resource of `kind`, such as `httpsEdge`, to a desired state. */
export async function apply(
  server: TestServer,
  kind: string,
  key: string,
  fields: Fields,
  { as, ...options }: ApplyOptions = {},
): Promise<AppliedResult> {
  const pascal = kind.charAt(0).toUpperCase() + kind.slice(1);
  const name = `apply${pascal}`;
  const document = `mutation($key: String!, $input: Apply${pascal}Input!, $dryRun: Boolean, $expectedVersion: Int) {
    ${name}(key: $key, input: $input, dryRun: $dryRun, expectedVersion: $expectedVersion) {
      resource: ${kind} { id version }
      changes { action type resourceId version label differences { path before after } } } }`;
  const input = graphqlInput(`Apply${pascal}Input`, fields);
  return (await graphql(server, document, { key, input, ...options }, as))[name];
}

let keys = 0;

/** A key that nothing was applied with. */
export const newKey = () => `key ${++keys}`;

/** What happened to what, in a few words each. */
export const summary = (changes: readonly Fields[]) =>
  changes.map(({ action, label }) => `${action} ${label}`);
