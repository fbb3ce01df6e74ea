import { createHash } from "node:crypto";
import { usePersistedOperations } from "@graphql-yoga/plugin-persisted-operations";
import type { DocumentNode } from "graphql";
import type { GraphQLParams } from "graphql-yoga";
import { z } from "zod";
import { refusal } from "../builder/errors.js";
import { createParse, createValidate } from "./limits/documents.js";
import type { GraphqlSettings } from "./limits/settings.js";

const DOCUMENT_ID = /^sha256:([0-9a-f]{64})$/;

/**
 * Executes operations that the manifest has, by their hash: as `extensions.persistedQuery` (Apollo's form) or as
 * `documentId`. Clients cannot add any: a document that is sent with its hash is executed, where documents are
 * allowed, and not kept. Without a manifest every hash alone is refused. Throws when the manifest has problems, with
 * all of them.
 */
export function persistedOperations(settings: GraphqlSettings) {
  const documents = readManifest(settings);
  return usePersistedOperations({
    allowArbitraryOperations: !settings.persistedOperationsOnly,
    // Done below, at start.
    skipDocumentValidation: true,
    extractPersistedOperationId: hashOf,
    getPersistedOperation: (hash) => documents.get(hash) ?? null,
    customErrors: {
      notFound: ({ params }) => (settings.persistedOperations === null ? none(params) : unknown()),
      keyNotFound: () =>
        settings.persistedOperationsOnly ? onlyPersisted() : refusal("BAD_REQUEST", NO_QUERY),
      persistedQueryOnly: onlyPersisted,
    },
  });
}

const PERSISTED = new WeakSet<DocumentNode>();

/** Whether `document` is one of a manifest, and was asked for by its hash. */
export function isPersisted(document: DocumentNode): boolean {
  return PERSISTED.has(document);
}

const NO_QUERY = "The request has no `query`, and no hash of a persisted operation.";

function unknown() {
  return refusal(
    "PERSISTED_QUERY_NOT_FOUND",
    "No persisted operation has this hash. Only the operator can add operations.",
  );
}

/** Apollo's clients stop sending hashes when they read this message or this code. */
function none({ documentId }: Params) {
  const message =
    typeof documentId === "string"
      ? "This server has no persisted operations. Send the document as `query`, without `documentId`."
      : "PersistedQueryNotSupported";
  return refusal("PERSISTED_QUERY_NOT_SUPPORTED", message);
}

function onlyPersisted() {
  return refusal(
    "PERSISTED_QUERY_REQUIRED",
    "This server executes only persisted operations. Send the hash of one in `extensions.persistedQuery`, without `query`.",
  );
}

const persistedQuery = z.object({ version: z.literal(1), sha256Hash: z.string() });

type Params = GraphQLParams & { readonly documentId?: unknown };

function hashOf(params: Params): string | null {
  const { documentId, extensions } = params;
  if (typeof documentId === "string") return DOCUMENT_ID.exec(documentId)?.[1] ?? documentId;
  return persistedQuery.safeParse(extensions?.persistedQuery).data?.sha256Hash ?? null;
}

function readManifest(settings: GraphqlSettings): Map<string, DocumentNode> {
  const documents = new Map<string, DocumentNode>();
  if (settings.persistedOperations === null) return documents;
  const parse = createParse(settings);
  const validate = createValidate(settings);
  const problems: string[] = [];
  for (const [hash, text] of Object.entries(entriesOf(settings.persistedOperations))) {
    const actual = createHash("sha256").update(text).digest("hex");
    if (actual !== hash) problems.push(`${hash}: is not the SHA-256 of its document (${actual})`);
    try {
      const document = parse(text);
      for (const { message } of validate(document)) problems.push(`${hash}: ${message}`);
      documents.set(hash, document);
      PERSISTED.add(document);
    } catch (error) {
      problems.push(`${hash}: ${error instanceof Error ? error.message : error}`);
    }
  }
  if (problems.length === 0) return documents;
  const lines = problems.map((problem) => `  ${problem}`).join("\n");
  throw new Error(`The manifest of persisted operations has problems:\n${lines}`);
}

function entriesOf(manifest: string): Record<string, string> {
  try {
    return z.record(z.string(), z.string()).parse(JSON.parse(manifest));
  } catch {
    throw new Error(
      "The manifest of persisted operations must be a JSON object whose names are SHA-256 hashes in hexadecimal and whose values are documents.",
    );
  }
}
