import { Command } from "commander";
import { backUp } from "../installation/backups.js";
import { createCommandLog } from "../log.js";
import { bytesText, ofMib } from "./bytes.js";
import { withProgress } from "./progress.js";
import { interruption, JSON_OPTION, type JsonOption, print, run } from "./run.js";

/** `edgeplane backup`: a verified copy of the embedded database, also while a server runs. */
export function backupCommand(): Command {
  return new Command("backup")
    .description("back up the embedded database and its keys, also while a server runs")
    .argument("<folder>", "where the backup is made; nothing may be there yet")
    .addOption(JSON_OPTION)
    .action(
      run(async (config, folder: string, options: JsonOption) => {
        const { path, madeAt, bytes, encryptionKeys } = await withProgress("MiB", (show) =>
          backUp(config, createCommandLog(), folder, {
            signal: interruption(),
            onProgress: ofMib(show),
          }),
        );
        print(options, { path, madeAt, bytes, encryptionKeys }, () => [
          `made and verified ${path}: ${bytesText(bytes)}`,
        ]);
      }),
    );
}
