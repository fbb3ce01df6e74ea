import { Command } from "commander";
import { parseConfig } from "../config.js";
import { diagnose } from "../installation/diagnosis.js";
import { type Finding, problem } from "../installation/findings.js";
import { createCommandLog } from "../log.js";
import { JSON_OPTION, type JsonOption, print, saying } from "./run.js";

interface Options extends JsonOption {
  readonly repair?: boolean;
}

/** `edgeplane doctor`: what is wrong with an installation, and what to do about it. */
export function doctorCommand(): Command {
  return new Command("doctor")
    .description(
      "look for what is wrong, and say what to do about it; the exit code is 1 with a problem",
    )
    .option("--repair", "make counts and marks anew when they do not agree with the rows")
    .addOption(JSON_OPTION)
    .action(
      saying(async ({ repair = false, ...options }: Options) => {
        const { config, problems } = parseConfig(process.env);
        const findings = config
          ? await diagnose(config, createCommandLog(), { repairs: repair })
          : problems.map((each) => problem("configuration", each));
        print(options, { findings }, () => findings.flatMap(linesOf));
        if (findings.some(({ state }) => state === "problem")) process.exitCode = 1;
      }),
    );
}

function linesOf({ check, state, message, advice }: Finding): string[] {
  const line = `${state.padEnd(8)} ${check}: ${message}`;
  return advice === null ? [line] : [line, `         ${advice}`];
}
