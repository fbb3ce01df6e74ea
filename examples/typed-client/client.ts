import type { TypedDocumentString } from "./generated.js";

interface Problem {
  readonly message: string;
  readonly extensions?: {
    /** One of a closed list, such as `INVALID_REQUEST`. */
    readonly code?: string;
    readonly issues?: readonly {
      readonly path: readonly (string | number)[];
      readonly message: string;
    }[];
  };
}

/** What the service refused, with the path of each wrong value. */
export class GraphqlFailure extends Error {
  constructor(readonly problems: readonly Problem[]) {
    super(problems.map(({ message }) => message).join("\n"));
    this.name = "GraphqlFailure";
  }
}

/** A function that sends one operation. Its variables and its result have the types of the document. */
export function createClient(url: string, apiKey: string) {
  return async <Result, Variables>(
    document: TypedDocumentString<Result, Variables>,
    variables: Variables,
  ): Promise<Result> => {
    const response = await fetch(`${url}/graphql`, {
      method: "POST",
      headers: { Authorization: `Bearer ${apiKey}`, "Content-Type": "application/json" },
      body: JSON.stringify({ query: document.toString(), variables }),
    });
    // The types were generated from the schema that the service answers by.
    const { data, errors } = (await response.json()) as {
      data?: Result | null;
      errors?: readonly Problem[];
    };
    if (errors) throw new GraphqlFailure(errors);
    if (!data) throw new Error(`${url} answered with ${response.status} and no data.`);
    return data;
  };
}
