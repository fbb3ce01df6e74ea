/** What is known of one request for its log line; filled in by the transport that serves it. */
export interface Trace {
  readonly operationId: string;
  /** Who asked: undefined until authenticated, null for the bootstrap key. */
  keyId?: string | null;
  /** What was thrown and is no refusal: logged here, masked in the answer. */
  defect?: unknown;
}
