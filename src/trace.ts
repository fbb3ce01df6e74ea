/** The facts about one request for its log line. The transport that serves the request fills it in. */
export interface Trace {
  readonly operationId: string;
  /** The id of the caller's key: undefined until authenticated, null for the bootstrap key. */
  keyId?: string | null;
  /** A defect: logged here, hidden in the response. */
  defect?: unknown;
}
