import { randomBytes } from "node:crypto";
import type { z } from "zod";
import type { Actor } from "../../src/domain/core/context.js";
import { DomainError } from "../../src/domain/core/errors.js";
import { parse } from "../../src/domain/core/fields.js";
import { createKeyring } from "../../src/domain/core/keyring.js";
import { forgetMissing, noKeys, requireKeys, withKeys } from "../../src/domain/core/slow-keys.js";
import type { DocumentModule, StoringPlace } from "../../src/domain/modules/module.js";
import type { SigningPair, SigningPairs } from "../../src/domain/modules/signing-pairs.js";

const keyring = createKeyring([randomBytes(32)]);

/** The result of `store`, once it has all signing pairs that it lacks. */
export function withMadeKeys<Result>(store: (pairs: SigningPairs) => Result): Promise<Result> {
  const pairs = noKeys<SigningPair>();
  return withKeys(undefined, [pairs], async () => {
    forgetMissing(pairs);
    const result = store(pairs);
    requireKeys(pairs);
    return result;
  });
}

/** A route for a module to be on. Places differ in who looks; all have the same keys. */
export function place(
  scope: Actor["scope"] = "write",
  ownerId = "edghtsrt_1",
  signingPairs: SigningPairs = noKeys(),
): StoringPlace {
  return {
    ownerId,
    context: {
      get db(): never {
        throw new Error("A module does not use the database.");
      },
      readTexts(): never {
        throw new Error("A module does not use the database.");
      },
      executeAlone(): never {
        throw new Error("A module does not use the database.");
      },
      get changeSignal(): never {
        throw new Error("A module changes nothing by itself.");
      },
      operationId: "op_1",
      bootstrapKey: null,
      cancelStatement: null,
      isDiskFull: () => false,
      keyring,
      signingPairs,
      settings: { baseDomain: "edge.test", maxCertificateLifetime: 3600, maxRoutesPerEdge: 10 },
      actor: { keyId: null, scope },
    },
  };
}

/** What is wrong with `input`, by path; {} when nothing is. */
export function problems(rule: z.ZodType, input: unknown): Record<string, string> {
  try {
    parse(rule, input);
    return {};
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const found: Record<string, string> = {};
    for (const { path, message } of error.issues) {
      const key = path.join(".");
      found[key] = found[key] === undefined ? message : `${found[key]}; ${message}`;
    }
    return found;
  }
}

/** `input` as its owner shows it after it went into the column and came back. */
export async function stored<Input, Stored extends object, Value>(
  module: DocumentModule<Input, Stored, Value>,
  input: unknown,
  reader: StoringPlace = place(),
): Promise<{ document: string; value: Value }> {
  const document = JSON.stringify(
    module.store(parse(module.rule, input), place("write", reader.ownerId), null).stored,
  );
  return { document, value: module.read(module.parse(JSON.parse(document)), reader) };
}
