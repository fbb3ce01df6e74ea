import { open } from "node:fs/promises";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Command } from "commander";
import split from "split2";
import { importExport } from "../installation/import.js";
import { createCommandLog } from "../log.js";
import { withProgress } from "./progress.js";
import { JSON_OPTION, type JsonOption, print, run } from "./run.js";

/** `edgeplane import`: what `edgeplane export` wrote. */
export function importCommand(): Command {
  return new Command("import")
    .description("store what edgeplane export wrote, with ids and times: all of it or nothing")
    .argument("<file>", "to read; - for the standard input")
    .addOption(JSON_OPTION)
    .action(
      run(async (config, file: string, options: JsonOption) => {
        const input = file === "-" ? process.stdin : await openInput(file);
        // Lines end at line feeds alone: Node's own reader of lines takes more characters for an end.
        const imported = await withProgress("rows", (show) =>
          pipeline(input, split("\n"), (lines: AsyncIterable<string>) =>
            importExport(config, createCommandLog(), lines[Symbol.asyncIterator](), show),
          ),
        );
        print(options, imported, ({ added, same }) => [
          `imported ${added} rows${same > 0 ? `; ${same} were there already` : ""}`,
        ]);
      }),
    );
}

async function openInput(file: string): Promise<Readable> {
  const opened = await open(file).catch((error: Error) => {
    throw new Error(`The export ${file} cannot be read: ${error.message}.`);
  });
  if (!(await opened.stat()).isDirectory()) return opened.createReadStream();
  await opened.close();
  throw new Error(`${file} is a directory: name a file that edgeplane export wrote.`);
}
