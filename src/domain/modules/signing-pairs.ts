import { webcrypto } from "node:crypto";
import { PemConverter, X509CertificateGenerator } from "../formats/x509.js";

// Making an RSA key takes a tenth of a second and more, and a transaction would hold its locks and its connection
// meanwhile. Only the transaction finds out which pairs it needs, though: so it runs to its end without them, is
// taken back, and runs again once they are made.

const ALGORITHM = {
  name: "RSASSA-PKCS1-v1_5",
  hash: "SHA-256",
  modulusLength: 2048,
  publicExponent: new Uint8Array([1, 0, 1]),
};
const CERTIFICATE_YEARS = 35;

/** An RSA key of 2048 bits, and a certificate that it has signed for itself. */
export interface SigningPair {
  readonly certificatePem: string;
  /** PKCS #8. */
  readonly privateKeyPem: string;
}

/**
 * The signing pairs that one transaction has, by the common name of their certificates, and the names of the missing
 * ones.
 */
export interface SigningPairs {
  readonly made: Map<string, SigningPair>;
  readonly missing: Set<string>;
}

/**
 * The pair whose certificate is for `commonName`. Null, and the transaction runs again with it, when it is not made
 * yet; so the name must be the same then. Always null in a dry run, which has none.
 */
export function signingPairFor(pairs: SigningPairs | null, commonName: string): SigningPair | null {
  if (!pairs) return null;
  const pair = pairs.made.get(commonName);
  if (!pair) pairs.missing.add(commonName);
  return pair ?? null;
}

const takenBack = new Error("The transaction lacks signing pairs.");

/** To be called at the end of `attempt`: ends it when pairs were missing. */
export function requireSigningPairs({ missing }: SigningPairs): void {
  if (missing.size > 0) throw takenBack;
}

/** Runs `attempt`, again and again with the pairs that it lacked, until it has all. */
export async function withSigningPairs<Result>(
  signal: AbortSignal | undefined,
  attempt: (pairs: SigningPairs) => Promise<Result>,
): Promise<Result> {
  const pairs: SigningPairs = { made: new Map(), missing: new Set() };
  for (let runs = 0; runs < MOST_RUNS; runs++) {
    try {
      return await attempt(pairs);
    } catch (error) {
      if (error !== takenBack) throw error;
    }
    await makeMissing(pairs, signal);
  }
  throw new Error("Each run of the transaction lacks other signing pairs.");
}

/** The second run has all pairs, unless others have changed meanwhile what it reads. */
const MOST_RUNS = 10;

/** Keys that are made at a time. Each takes one of libuv's four threads: the others are for files and host names. */
const AT_A_TIME = 2;

/** Several requests take turns pair by pair. Throws when `signal` is aborted, with at most the pairs under way to follow. */
async function makeMissing(
  { made, missing }: SigningPairs,
  signal: AbortSignal | undefined,
): Promise<void> {
  const names = [...missing];
  missing.clear();
  const makeNext = async () => {
    for (let name = names.pop(); name !== undefined; name = names.pop()) {
      const commonName = name;
      made.set(
        commonName,
        await inTurn(() => {
          signal?.throwIfAborted();
          return makeSigningPair(commonName);
        }),
      );
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, makeNext));
}

let free = AT_A_TIME;
const waiting: (() => void)[] = [];

async function inTurn<Result>(action: () => Promise<Result>): Promise<Result> {
  if (free > 0) free--;
  else await new Promise<void>((resolve) => waiting.push(resolve));
  try {
    return await action();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else free++;
  }
}

async function makeSigningPair(commonName: string): Promise<SigningPair> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
  const notBefore = new Date();
  const notAfter = new Date(notBefore);
  notAfter.setUTCFullYear(notBefore.getUTCFullYear() + CERTIFICATE_YEARS);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: [{ CN: [commonName] }],
    notBefore,
    notAfter,
    signingAlgorithm: ALGORITHM,
    keys,
  });
  const key = await webcrypto.subtle.exportKey("pkcs8", keys.privateKey);
  return {
    certificatePem: certificate.toString("pem"),
    privateKeyPem: PemConverter.encode(key, "PRIVATE KEY"),
  };
}
