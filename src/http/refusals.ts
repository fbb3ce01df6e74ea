/** A refusal of a request for its HTTP form. Each transport sends it in its own envelope. */
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

/** The message that a caller gets for a defect, with the operation id. */
export const DEFECT =
  "Something went wrong on our side. Quote the operation id when you report it.";

export function badRequest(message: string): HttpRefusal {
  return { code: "BAD_REQUEST", message };
}
