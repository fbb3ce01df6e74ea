import { Command } from "commander";
import { rotateKeys } from "../installation/key-rotation.js";
import { createCommandLog } from "../log.js";
import { JSON_OPTION, type JsonOption, print, run } from "./run.js";

/** `edgeplane secrets`: what seals the secrets of the database. */
export function secretsCommand(): Command {
  return new Command("secrets").description("keep the secrets of the database sealed").addCommand(
    new Command("rotate")
      .description(
        "seal all secrets anew, also while servers run; call it again when it is interrupted",
      )
      .addHelpText("after", HELP)
      .addOption(JSON_OPTION)
      .action(
        run(async (config, options: JsonOption) => {
          const rotation = await rotateKeys(config, createCommandLog());
          print(options, rotation, ({ fingerprint, resealed }) => [
            `sealed ${resealed} secrets anew: all are sealed with the key ${fingerprint} now`,
          ]);
        }),
      ),
  );
}

const HELP = `
Where the key is in DATA_DIR, this makes a new one, and a server that runs there takes it over.
With ENCRYPTION_KEY, restart all servers with the new key, a comma and the old one; call this with the same;
then restart them with the new key alone.`;
