/** The facts about one request for its log line. The transport that serves the request fills it in. */
export interface Trace {
  readonly operationId: string;
  /** Who asked: undefined until authenticated, null for the bootstrap key. */
  keyId?: string | null;
  /** What was thrown and is no refusal: logged here, masked in the answer. */
  defect?: unknown;
}
