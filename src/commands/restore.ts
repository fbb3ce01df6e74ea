import { Command } from "commander";
import { restore } from "../installation/backups.js";
import { bytesText, ofMib } from "./bytes.js";
import { withProgress } from "./progress.js";
import { interruption, JSON_OPTION, type JsonOption, print, run } from "./run.js";

interface Options extends JsonOption {
  readonly replace?: boolean;
}

/** `edgeplane restore`: a backup becomes the database of `DATA_DIR`. */
export function restoreCommand(): Command {
  return new Command("restore")
    .description("restore a backup into DATA_DIR, while no server runs on it")
    .argument("<backup>", "the folder that edgeplane backup made, or one of the daily backups")
    .option("--replace", "take the place of a database that is there, and keep that one")
    .addOption(JSON_OPTION)
    .action(
      run(async (config, backup: string, { json, replace = false }: Options) => {
        const { madeAt, bytes, replaced, missingKeys, isEarlier } = await withProgress(
          "MiB",
          (show) =>
            restore(config, backup, { replace, signal: interruption(), onProgress: ofMib(show) }),
        );
        const directory = config.DATA_DIR;
        print({ json }, { directory, madeAt, bytes, replaced, missingKeys }, () => [
          `restored the backup of ${madeAt} into ${directory}: ${bytesText(bytes)}`,
          ...(replaced === null ? [] : [`what was there before is kept in ${replaced}`]),
          ...(isEarlier ? ["the next start takes its data along to another PostgreSQL"] : []),
          ...(missingKeys.length === 0
            ? []
            : [
                `the backup has not the encryption key ${missingKeys.join(", ")}: set ENCRYPTION_KEY to it for each start`,
              ]),
        ]);
      }),
    );
}
