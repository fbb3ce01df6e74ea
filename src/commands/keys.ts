import { Command, Option } from "commander";
import { type ApiKey, apiKeyInputs, createApiKey, deleteApiKey } from "../domain/api-keys.js";
import { inTransaction } from "../domain/changes/transactions.js";
import type { Context } from "../domain/core/context.js";
import { apiKeyScope } from "../domain/core/enumerations.js";
import { MAX_PAGE_SIZE } from "../domain/lists/pages.js";
import { sequenceOf } from "../domain/lists/sequences.js";
import { listReader } from "../domain/reads/read.js";
import { withInstallation } from "../installation/installation.js";
import { createCommandLog } from "../log.js";
import { checked, JSON_OPTION, type JsonOption, print, run } from "./run.js";

interface CreateOptions extends JsonOption {
  readonly description?: string;
  readonly metadata?: string;
  readonly scope?: string;
}

/** `edgeplane keys`: API keys, also while servers run. */
export function keysCommand(): Command {
  return new Command("keys")
    .description("create, list and revoke API keys")
    .addCommand(createCommand())
    .addCommand(listCommand())
    .addCommand(revokeCommand());
}

function createCommand(): Command {
  return new Command("create")
    .description("create an API key and print its token, which is shown this once")
    .addOption(
      new Option("--scope <scope>", "what it may do").choices(apiKeyScope.options).default("write"),
    )
    .option("--description <text>", "what it is for")
    .option("--metadata <text>", "data of your own")
    .addOption(JSON_OPTION)
    .action(
      run((config, { json, ...given }: CreateOptions) =>
        withInstallation(config, createCommandLog(), async (context) => {
          const key = await createApiKey(context, checked(apiKeyInputs.create, given));
          print({ json }, { ...shown(key), token: key.token }, () => [String(key.token)]);
        }),
      ),
    );
}

function listCommand(): Command {
  return new Command("list")
    .description("list the API keys, newest first")
    .addOption(JSON_OPTION)
    .action(
      run((config, options: JsonOption) =>
        withInstallation(config, createCommandLog(), async (context) => {
          const keys = (await readKeys(context)).map(shown);
          print(options, { keys }, () =>
            keys.map(({ id, scope, createdAt, description }) =>
              [id, scope.padEnd(5), createdAt.toISOString(), onOneLine(description)]
                .join("  ")
                .trimEnd(),
            ),
          );
        }),
      ),
    );
}

function revokeCommand(): Command {
  return new Command("revoke")
    .description("revoke API keys at once: all of them or none")
    .argument("<id...>", "such as ak_2fTPu8xHvZZ5dGNGtRQ1lhjZqYw")
    .addOption(JSON_OPTION)
    .action(
      run((config, ids: string[], options: JsonOption) =>
        withInstallation(config, createCommandLog(), async (context) => {
          const revoked = [...new Set(ids)];
          await inTransaction(context, async (transaction) => {
            for (const id of revoked) await deleteApiKey(transaction, id);
          });
          print(options, { revoked }, () => revoked.map((id) => `revoked ${id}`));
        }),
      ),
    );
}

async function readKeys(context: Context): Promise<ApiKey[]> {
  const keys: ApiKey[] = [];
  for (;;) {
    const after = keys.at(-1)?.id;
    const page = await readPage(context, {
      limit: MAX_PAGE_SIZE,
      ...(after !== undefined && { after }),
    });
    keys.push(...page);
    if (page.length < MAX_PAGE_SIZE) return keys;
  }
}

const readPage = listReader(sequenceOf("apiKey"));

/** What would move the cursor, begin a line or turn the direction is written as an escape. */
function onOneLine(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function shown({ id, scope, description, metadata, createdAt }: ApiKey) {
  return { id, scope, description, metadata, createdAt };
}
