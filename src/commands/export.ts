import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { access, open, rename, rm } from "node:fs/promises";
import path from "node:path";
import type { Writable } from "node:stream";
import { finished } from "node:stream/promises";
import { Command } from "commander";
import { exportAll } from "../domain/transfer/export.js";
import { withInstallation } from "../installation/installation.js";
import { createCommandLog } from "../log.js";
import { showProgress } from "./progress.js";
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
          const progress = showProgress("rows");
          const write = (output: Writable) =>
            database.withoutTimeLimits((db) =>
              exportAll(
                { db, keyring },
                {
                  withSecrets,
                  write: (line) => writeLine(output, line),
                  onProgress: progress.show,
                },
              ),
            );
          const rows =
            file === undefined ? await write(process.stdout) : await writeFile(file, write);
          progress.end();
          if (file !== undefined) console.log(`exported ${rows} rows to ${file}`);
        }),
      ),
    );
}

async function writeLine(output: Writable, line: string): Promise<void> {
  if (!output.write(`${line}\n`)) await once(output, "drain");
}

/** Writes a file that only its owner reads: whole, or not at all. */
async function writeFile<Result>(
  file: string,
  write: (output: Writable) => Promise<Result>,
): Promise<Result> {
  if (await isThere(file)) throw new Error(`${file} is there already.`);
  const unfinished = `${file}.unfinished`;
  const output = createWriteStream(unfinished, { mode: 0o600, flush: true });
  try {
    const result = await write(output);
    output.end();
    await finished(output);
    await rename(unfinished, file);
    await syncFolderOf(file);
    return result;
  } catch (error) {
    output.destroy();
    await rm(unfinished, { force: true });
    throw error;
  }
}

async function syncFolderOf(file: string): Promise<void> {
  const folder = await open(path.dirname(path.resolve(file)));
  await folder.sync().finally(() => folder.close());
}

function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
