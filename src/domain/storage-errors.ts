import { z } from "zod";
import { Prisma } from "../database/index.js";
import { DomainError } from "./errors.js";

const UNAVAILABLE = "The database cannot be reached or is overloaded. Try again in a moment.";

/** PostgreSQL's code for a statement that took longer than the statement timeout. */
const QUERY_CANCELED = "57014";

/** Prisma's codes for: no connection, time-out, pool exhausted, transaction not started or timed out. */
const UNAVAILABLE_CODES = new Set(["P1001", "P1002", "P1008", "P1017", "P2024", "P2028", "P2037"]);

/**
 * What a storage error means to the caller, or null when it is a defect. Its own text holds names and
 * values of the database, so it never goes further than the log.
 */
export function fromStorageError(error: unknown): DomainError | null {
  if (error instanceof DomainError) return error;
  if (!(error instanceof Prisma.PrismaClientKnownRequestError)) return null;
  switch (error.code) {
    case "P2002":
      return new DomainError("CONFLICT", "Another resource already has this value.");
    case "P2003":
      return new DomainError(
        "CONFLICT",
        "Another request changed a resource that this one refers to. Read it again and retry.",
      );
    case "P2025":
      return new DomainError("NOT_FOUND", "Another request has just deleted this resource.");
    case "P2034":
      return new DomainError("CONFLICT", "Another request changed the same resource. Try again.");
    default:
      return UNAVAILABLE_CODES.has(error.code) || isTimeout(error.meta)
        ? new DomainError("UNAVAILABLE", UNAVAILABLE)
        : null;
  }
}

const timeout = z.object({
  driverAdapterError: z.object({ cause: z.object({ originalCode: z.literal(QUERY_CANCELED) }) }),
});

function isTimeout(meta: unknown): boolean {
  return timeout.safeParse(meta).success;
}

/** PostgreSQL's codes for a transaction that it took back for the sake of another one. */
const CONFLICT_CODES = ["40001", "40P01"] as const;

/** The driver's error, as it comes from a COMMIT, or inside of Prisma's, as from any other statement. */
const driverConflict = z.object({ cause: z.object({ originalCode: z.enum(CONFLICT_CODES) }) });
const conflict = z.union([
  driverConflict,
  z.object({ meta: z.object({ driverAdapterError: driverConflict }) }),
  z.object({ code: z.literal("P2034") }),
]);

/** Whether a transaction failed by a deadlock or a serialization failure: another try may well succeed. */
export function isTransactionConflict(error: unknown): boolean {
  return error instanceof Error && conflict.safeParse(error).success;
}

/** Whether a write failed because a unique value is taken. A transaction can do no more after it. */
export function isDuplicate(error: unknown): boolean {
  return error instanceof Prisma.PrismaClientKnownRequestError && error.code === "P2002";
}
