import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { Command } from "commander";
import { importExport } from "../installation/import.js";
import { createCommandLog } from "../log.js";
import { showProgress } from "./progress.js";
import { JSON_OPTION, type JsonOption, print, run } from "./run.js";

/** `edgeplane import`: what `edgeplane export` wrote. */
export function importCommand(): Command {
  return new Command("import")
    .description("store what edgeplane export wrote, with ids and times: all of it or nothing")
    .argument("<file>", "to read; - for the standard input")
    .addOption(JSON_OPTION)
    .action(
      run(async (config, file: string, options: JsonOption) => {
        const input = file === "-" ? process.stdin : createReadStream(file);
        const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
        const progress = showProgress("rows");
        const imported = await importExport(
          config,
          createCommandLog(),
          lines[Symbol.asyncIterator](),
          progress.show,
        );
        progress.end();
        print(options, imported, ({ added, same }) => [
          `imported ${added} rows${same > 0 ? `; ${same} were there already` : ""}`,
        ]);
      }),
    );
}
