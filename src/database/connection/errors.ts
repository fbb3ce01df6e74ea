import { z } from "zod";

/** Where an error keeps what it comes from: Prisma's own keep it in `meta`. */
const withMeta = z.object({ meta: z.object({ driverAdapterError: z.unknown() }) });
const withCause = z.object({ cause: z.unknown() });
const withOriginalCode = z.object({ originalCode: z.string() });
const withCode = z.object({ code: z.string() });
const withMessage = z.object({ message: z.string() });
const withCall = z.object({ syscall: z.string() });
const withKind = z.object({ kind: z.string() });

/** Prisma's own codes begin with a letter, and so do those of PostgreSQL for defects, among them damaged files. */
const SQLSTATE = /^(\d[0-9A-Z]|XX)[0-9A-Z]{3}$/;

/** The code of PostgreSQL for what went wrong (SQLSTATE), or null when it is not from there. */
export function sqlStateOf(error: unknown): string | null {
  for (const cause of causesOf(error)) {
    const code = withOriginalCode.safeParse(cause).data?.originalCode ?? codeOf(cause);
    if (code !== undefined && SQLSTATE.test(code)) return code;
  }
  return null;
}

/** The codes of the system for a connection that cannot be made, or has ended. */
const CONNECTION_CODES = new Set([
  "EAGAIN",
  "EAI_AGAIN",
  "ECONNABORTED",
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOENT",
  "ENOTFOUND",
  "EPIPE",
  "ETIMEDOUT",
  // Prisma's own: no connection, time-out, connection closed, pool exhausted, transaction not begun in time or
  // ended, too many connections.
  "P1001",
  "P1002",
  "P1008",
  "P1017",
  "P2024",
  "P2028",
  "P2037",
]);

/** The same in Prisma's words, inside of errors of raw statements. */
const CONNECTION_KINDS = new Set(["ConnectionClosed", "DatabaseNotReachable", "SocketTimeout"]);

/** The driver has no codes for what it finds itself. */
const CONNECTION_MESSAGES = new Set([
  "Cannot use a pool after calling end on the pool",
  "Client has encountered a connection error and is not queryable",
  "Client was closed and is not queryable",
  "Connection terminated",
  "Connection terminated due to connection timeout",
  "Connection terminated unexpectedly",
  "timeout exceeded when trying to connect",
  "timeout expired",
]);

/** Whether `error` says that the database could not be reached, or the connection to it broke. */
export function isConnectionError(error: unknown): boolean {
  return causesOf(error).some(
    (cause) =>
      (CONNECTION_CODES.has(codeOf(cause) ?? "") && isOfConnection(cause)) ||
      CONNECTION_KINDS.has(withKind.safeParse(cause).data?.kind ?? "") ||
      CONNECTION_MESSAGES.has(withMessage.safeParse(cause).data?.message ?? ""),
  );
}

/** ENOENT is of a socket that is not there, but of a file it would be something else. */
function isOfConnection(cause: unknown): boolean {
  const call = withCall.safeParse(cause).data?.syscall ?? "connect";
  return call !== "open";
}

/** The error and what it comes from, one behind the other. */
function causesOf(error: unknown): unknown[] {
  if (typeof error !== "object" || error === null) return [];
  const next = withMeta.safeParse(error).data?.meta.driverAdapterError;
  return [error, ...causesOf(next ?? withCause.safeParse(error).data?.cause)];
}

function codeOf(cause: unknown): string | undefined {
  return withCode.safeParse(cause).data?.code;
}
