import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";

// A backup is a folder with a database, its keys where they are in a file, and this.

const MANIFEST = "backup.json";

const manifest = z.object({
  format: z.literal(1),
  /** When the copying began, in RFC 3339. */
  madeAt: z.iso.datetime(),
  /** The major version of PostgreSQL. */
  postgresql: z.int(),
  /** Of the database from which it was made. A restored one keeps it. */
  systemIdentifier: z.string(),
  bytes: z.int(),
  /** The fingerprints of the keys that the secrets in it may be sealed with. */
  encryptionKeys: z.array(z.string()),
});

/** What `backup.json` says. */
export type Manifest = z.output<typeof manifest>;

export async function writeManifest(backup: string, content: Manifest): Promise<void> {
  const text = `${JSON.stringify(content, null, 2)}\n`;
  await writeFile(path.join(backup, MANIFEST), text, { mode: 0o600, flush: true });
}

/** Throws when `backup` is none, or of a format that this version does not know. */
export async function readManifest(backup: string): Promise<Manifest> {
  const file = path.join(backup, MANIFEST);
  const text = await readFile(file, "utf8").catch((error: Error) => {
    throw new Error(`${backup} is no backup of Edgeplane: ${error.message}`);
  });
  const { data } = manifest.safeParse(jsonOf(text));
  if (data) return data;
  throw new Error(`${file} is damaged, or of a later version of Edgeplane.`);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
