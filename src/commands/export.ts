import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { link, open, rm } from "node:fs/promises";
import type { Writable } from "node:stream";
import { finished } from "node:stream/promises";
import { Command } from "commander";
import { exportAll } from "../domain/transfer/export.js";
import { withInstallation } from "../installation/installation.js";
import { createCommandLog } from "../log.js";
import { withProgress } from "./progress.js";
import { run } from "./run.js";

interface Options {
  readonly withSecrets?: boolean;
}

/** `edgeplane export`: everything as lines of JSON, for `edgeplane import`. */
export function exportCommand(): Command {
  return new Command("export")
    .description(
      "write everything as lines of JSON, as it is at one moment, also while servers run",
    )
    .argument("[file]", "to write, which must not be there; the standard output without one")
    .option(
      "--with-secrets",
      "readable secrets: without, they stay sealed with the key of this installation",
    )
    .action(
      run((config, file: string | undefined, { withSecrets = false }: Options) =>
        withInstallation(config, createCommandLog(), async ({ keyring }, { database }) => {
          const write = (output: Writable) =>
            withProgress("rows", (onProgress) =>
              database.withoutTimeLimits((db) =>
                exportAll(
                  { db, keyring },
                  { withSecrets, write: (line) => writeLine(output, line), onProgress },
                ),
              ),
            );
          if (file === undefined) return void (await write(process.stdout));
          const rows = await writeFile(file, write);
          console.log(`exported ${rows} rows to ${file}`);
        }),
      ),
    );
}

async function writeLine(output: Writable, line: string): Promise<void> {
  if (output.errored) throw output.errored;
  if (!output.write(`${line}\n`)) await once(output, "drain");
}

/** Writes a file that only its owner reads: whole, or not at all. Throws when it is there. */
async function writeFile<Result>(
  file: string,
  write: (output: Writable) => Promise<Result>,
): Promise<Result> {
  const unfinished = `${file}.${randomBytes(6).toString("hex")}`;
  const handle = await open(unfinished, "wx", 0o600);
  try {
    const output = handle.createWriteStream({ flush: true });
    // Heard of with the next line, or at the end.
    output.on("error", () => {});
    const result = await write(output);
    output.end();
    await finished(output);
    await link(unfinished, file).catch((error: NodeJS.ErrnoException) => {
      throw error.code === "EEXIST" ? new Error(`${file} is there already.`) : error;
    });
    return result;
  } finally {
    await handle.close().catch(() => {});
    await rm(unfinished, { force: true });
  }
}
