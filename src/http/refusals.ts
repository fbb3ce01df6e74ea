/** What is wrong with a request as HTTP, whatever it asks for. Each transport says it in its own envelope. */
export interface HttpRefusal {
  readonly code: "BAD_REQUEST" | "BODY_TOO_LARGE" | "HEADERS_TOO_LARGE" | "REQUEST_TIMEOUT";
  /** A sentence for the caller. */
  readonly message: string;
}

/** An envelope that is ready to be sent. `body` is sent as JSON. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
}

/** All that a caller learns of a defect, beside the operation id. */
export const DEFECT =
  "Something went wrong on our side. Quote the operation id when you report it.";

export function badRequest(message: string): HttpRefusal {
  return { code: "BAD_REQUEST", message };
}
