import { isConnectionError, Prisma, sqlStateOf } from "../../database/index.js";
import { DomainError } from "../core/errors.js";

const UNREACHABLE = "The database cannot be reached or is overloaded. Try again in a moment.";

const DISK_FULL =
  "The disk of the database is full. Reads still work; changes are accepted again when there is free space.";

const DAMAGED =
  "Files of the database are damaged. Its operator finds more in the log, and has to restore a backup.";

/** PostgreSQL's codes for files that are missing, cannot be read or have other bytes than were written. */
const DAMAGES: readonly string[] = ["58030", "58P01", "XX001", "XX002"];

/** By PostgreSQL's code of an error that passes. */
const UNAVAILABLE: Readonly<Record<string, string>> = {
  "25006": "The database accepts no changes at the moment. Try again in a moment.",
  "25P03": UNREACHABLE,
  "25P04": UNREACHABLE,
  "53100": DISK_FULL,
};

/** Classes of such codes: no connection, no resources, ended by an operator or a time limit. */
const UNAVAILABLE_CLASSES = new Set(["08", "53", "57"]);

/**
 * The domain error for a storage error, or null when it is a defect. The text of a storage error has names and values
 * of the database, so it goes only to the log.
 */
export function fromStorageError(error: unknown): DomainError | null {
  if (error instanceof DomainError) return error;
  return unavailable(error) ?? conflict(error);
}

function unavailable(error: unknown): DomainError | null {
  const state = sqlStateOf(error) ?? "";
  if (DAMAGES.includes(state)) return new DomainError("UNAVAILABLE", DAMAGED, [], { cause: error });
  const message = UNAVAILABLE[state];
  if (message !== undefined) return new DomainError("UNAVAILABLE", message);
  if (!UNAVAILABLE_CLASSES.has(state.slice(0, 2)) && !isConnectionError(error)) return null;
  return new DomainError("UNAVAILABLE", UNREACHABLE);
}

function conflict(error: unknown): DomainError | null {
  if (isTransactionConflict(error)) {
    return new DomainError("CONFLICT", "Another request changed the same resource. Try again.");
  }
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
    default:
      return null;
  }
}

export function diskFull(): DomainError {
  return new DomainError("UNAVAILABLE", DISK_FULL);
}

/** PostgreSQL's codes for a transaction that it took back for the sake of another one. */
const CONFLICTS: readonly (string | null)[] = ["40001", "40P01"];

/** Whether a transaction failed by a deadlock or a serialization failure: another try may well succeed. */
export function isTransactionConflict(error: unknown): boolean {
  const isPrismas = error instanceof Prisma.PrismaClientKnownRequestError && error.code === "P2034";
  return isPrismas || CONFLICTS.includes(sqlStateOf(error));
}

/**
 * The result of `write`. Throws CONFLICT with `message`, and `issue` of `field`, when the value of the field is that of
 * another resource.
 */
export async function unlessTaken<Result>(
  write: PromiseLike<Result>,
  { field, message, issue }: { field: string; message: string; issue: string },
): Promise<Result> {
  try {
    return await write;
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    throw new DomainError("CONFLICT", message, [{ path: [field], message: issue }]);
  }
}

/** Whether a write failed because a unique value is taken. A transaction can do no more after it. */
function isDuplicate(error: unknown): boolean {
  return error instanceof Prisma.PrismaClientKnownRequestError && error.code === "P2002";
}
