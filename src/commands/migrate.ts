import { Command, Option } from "commander";
import {
  applyMigrations,
  type MigrationState,
  readMigrationStates,
  sqlOfMigration,
  withoutTimeLimits,
} from "../database/index.js";
import { continueLog } from "../domain/changes/continuation.js";
import { CONTINUED } from "../installation/installation.js";
import { joinStorage } from "../installation/storage.js";
import { createCommandLog } from "../log.js";
import { JSON_OPTION, type JsonOption, print, run } from "./run.js";

interface Options extends JsonOption {
  readonly status?: boolean;
  readonly dryRun?: boolean;
}

/** `edgeplane migrate`: brings the tables of the database up to date, as each start of a server does. */
export function migrateCommand(): Command {
  return new Command("migrate")
    .description("bring the tables of the database up to date, as each start of a server does")
    .option(
      "--status",
      "only list the migrations and their states; the exit code is 1 unless all are applied",
    )
    .addOption(
      new Option("--dry-run", "only print the SQL of the pending migrations").conflicts("status"),
    )
    .addOption(JSON_OPTION)
    .action(
      run(async (config, options: Options) => {
        const storage = await joinStorage(
          config,
          createCommandLog(),
          !(options.status || options.dryRun),
        );
        try {
          if (options.status || options.dryRun) {
            const states = await readMigrationStates(storage.connection);
            if (options.status) showStatus(states, options);
            if (options.dryRun) await showSql(states, options);
          } else {
            const { connection } = storage;
            const applied = await applyMigrations(connection);
            const isContinued = await withoutTimeLimits(connection, continueLog);
            print(options, { applied, isContinued }, () => [
              `${applied.length} migrations applied`,
              ...applied.map(indented),
              ...(isContinued ? [CONTINUED] : []),
            ]);
          }
        } finally {
          await storage.close();
        }
      }),
    );
}

function showStatus(migrations: readonly MigrationState[], options: Options): void {
  print(options, { migrations }, () =>
    migrations.map(({ name, state }) => `${state.padEnd(8)} ${name}`),
  );
  if (migrations.some(({ state }) => state !== "applied")) process.exitCode = 1;
}

async function showSql(migrations: readonly MigrationState[], options: Options): Promise<void> {
  const pending = await Promise.all(
    migrations
      .filter(({ state }) => state === "pending")
      .map(async ({ name }) => ({ name, sql: await sqlOfMigration(name) })),
  );
  print(options, { pending }, () => pending.map(({ name, sql }) => `-- ${name}\n${sql}`));
}

function indented(text: string): string {
  return `  ${text}`;
}
