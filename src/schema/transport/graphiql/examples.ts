import { existsSync, readdirSync, readFileSync } from "node:fs";

/** One tab that GraphiQL opens with. */
export interface Example {
  /** The name of its file without the ending, such as `10-edges`. */
  readonly name: string;
  readonly query: string;
  /** JSON; absent when the query has no variables. */
  readonly variables?: string;
}

const FOLDER = new URL("../../../../pages/graphiql/examples/", import.meta.url);

/** The examples in the order of their names; the variables of `name.graphql` are in `name.json`. */
export function readExamples(): Example[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith(".graphql"))
    .sort()
    .map((file) => {
      const name = file.slice(0, -".graphql".length);
      const variables = new URL(`${name}.json`, FOLDER);
      return {
        name,
        query: readFileSync(new URL(file, FOLDER), "utf8").trimEnd(),
        ...(existsSync(variables) && { variables: readFileSync(variables, "utf8").trimEnd() }),
      };
    });
}
