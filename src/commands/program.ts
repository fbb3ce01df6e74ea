import { Command } from "commander";
import { versionOfPackage } from "../telemetry/version.js";
import { backupCommand } from "./backup.js";
import { doctorCommand } from "./doctor.js";
import { exportCommand } from "./export.js";
import { importCommand } from "./import.js";
import { keysCommand } from "./keys.js";
import { migrateCommand } from "./migrate.js";
import { restoreCommand } from "./restore.js";
import { USAGE_ERROR } from "./run.js";
import { secretsCommand } from "./secrets.js";
import { serveCommand } from "./serve.js";

/** The command `edgeplane`. */
export function createProgram(): Command {
  const program = new Command("edgeplane")
    .description("The management plane of a network ingress platform. Without a command it serves.")
    .version(versionOfPackage())
    .addHelpText("after", HELP)
    .showHelpAfterError("See edgeplane --help.")
    .addCommand(serveCommand())
    .addCommand(migrateCommand())
    .addCommand(keysCommand())
    .addCommand(secretsCommand())
    .addCommand(exportCommand())
    .addCommand(importCommand())
    .addCommand(doctorCommand())
    .addCommand(backupCommand())
    .addCommand(restoreCommand());
  for (const command of [program, ...allBelow(program)]) {
    command.exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : USAGE_ERROR));
  }
  return program;
}

function allBelow(command: Command): Command[] {
  return command.commands.flatMap((child) => [child, ...allBelow(child)]);
}

const HELP = `
The configuration comes from environment variables, such as DATA_DIR or DATABASE_URL.
Exit codes: 0 done, 1 failed, 2 wrong arguments.`;
