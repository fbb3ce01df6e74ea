/** Operations of a batch that `maxBatch` may allow at most. */
export const LARGEST_BATCH = 100;

/**
 * The settings of `/graphql`: the limits of a request and other choices of the operator. `src/config.ts` has the
 * defaults.
 */
export interface GraphqlSettings {
  /** Levels of fields in an operation; what is below `__schema` and `__type` does not count. */
  readonly maxDepth: number;
  /** Aliases in an operation, each as often as its fragment is spread. */
  readonly maxAliases: number;
  /** Tokens of a document. */
  readonly maxTokens: number;
  /** Fields of an operation at its root, each as often as its fragment is spread. */
  readonly maxRootFields: number;
  /** Points of an operation, or of all operations of a batch together; see `limits/cost.ts`. */
  readonly maxCost: number;
  /** Bytes that all operations of a request read together, and of the answer to each. */
  readonly maxAnswerBytes: number;
  /** Operations of a batch; 0 refuses batches. */
  readonly maxBatch: number;
  readonly maxBodyBytes: number;
  /** From the arrival of the request. Subscriptions have none. */
  readonly deadlineMs: number;
  /** Whether the schema may be asked for, and refusals may name parts of it that the caller did not. */
  readonly introspection: boolean;
  /** The JSON manifest of persisted operations, documents by their SHA-256; null when there is none. */
  readonly persistedOperations: string | null;
  /** Whether nothing but persisted operations is executed. */
  readonly persistedOperationsOnly: boolean;
}
