#!/usr/bin/env node
import { readFile } from "node:fs/promises";
import { setFlagsFromString } from "node:v8";
import { pino } from "pino";
import { pruneRateLimits } from "./admission/shared-counters.js";
import { createApp } from "./app.js";
import { type Config, graphqlSettings, rateLimitSettings, readConfig } from "./config.js";
import { openDataDirectory } from "./database/disk/data-directory.js";
import { type Connection, openDatabase, startEmbedded, watchFreeSpace } from "./database/index.js";
import { createApiKey, hasApiKeys } from "./domain/api-keys.js";
import { pruneChanges } from "./domain/changes/log.js";
import { forgetOutcomes } from "./domain/changes/repeatable-requests.js";
import type { Services } from "./domain/core/context.js";
import { newOperationId } from "./domain/core/ids.js";
import { createKeyring } from "./domain/core/keyring.js";
import { checkEncryptionKeys } from "./domain/storage/encryption-keys.js";
import { createHttpServer } from "./http/server.js";

const SECONDS_PER_DAY = 86_400;
const MS_PER_DAY = 1000 * SECONDS_PER_DAY;
const PRUNE_EVERY_MS = 3_600_000;
const SHUTDOWN_LIMIT_MS = 15_000;
const SWEEP_EVERY_MS = 100;
const LOG_BUFFER_BYTES = 4 * 1024;
const LOG_FLUSH_MS = 500;

// By default the heap may come to four times what is in use before it is swept. Lists make much garbage: so a busy
// process would keep 100 MB more than it needs, and be hardly faster for it.
setFlagsFromString("--heap-growing-percent=150");

const config = readConfigOrExit();
// Lines are written together: one by one they would cost more than most requests.
const logger = pino(
  { level: config.LOG_LEVEL },
  pino.destination({ sync: false, minLength: LOG_BUFFER_BYTES }),
);
setInterval(() => logger.flush(), LOG_FLUSH_MS).unref();
// A defect that strands one request, which its deadline answers, is no reason to drop all others.
process.on("unhandledRejection", (error) => logger.error({ err: error }, "an unhandled defect"));
await start(config).catch((error: unknown) => {
  logger.flush();
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});

async function start(config: Config): Promise<void> {
  const { PERSISTED_OPERATIONS: manifest } = config;
  const persistedOperations = manifest === undefined ? null : await readFile(manifest, "utf8");
  const storage = await openStorage(config);
  const database = await openDatabase(storage.connection, {
    onConnectionError: (error) => logger.warn({ err: error }, "database connection lost"),
  });
  if (database.applied.length > 0) logger.info({ migrations: database.applied }, "migrated");

  const services: Services = {
    db: database.client,
    readTexts: database.readTexts,
    executeAlone: database.executeAlone,
    changeSignal: database.changeSignal,
    keyring: createKeyring(storage.encryptionKeys),
    settings: {
      baseDomain: config.BASE_DOMAIN,
      maxCertificateLifetime: config.MAX_CERTIFICATE_LIFETIME_DAYS * SECONDS_PER_DAY,
      maxRoutesPerEdge: config.MAX_ROUTES_PER_EDGE,
    },
    bootstrapKey: config.API_KEY ?? null,
    cancelStatement: database.cancelStatement,
    isDiskFull: storage.isDiskFull,
  };
  const { keyring } = services;
  await database.withoutTimeLimits((db) => checkEncryptionKeys({ db, keyring }));
  await makeFirstKey(services);
  const pruning = forgetWhatIsOld(services, config.CHANGE_LOG_DAYS);

  const server = createHttpServer(
    createApp(services, {
      publicUrl: config.PUBLIC_URL ?? null,
      trustProxy: config.TRUST_PROXY,
      graphiql: config.GRAPHIQL,
      corsOrigins: config.CORS_ORIGINS,
      rateLimits: rateLimitSettings(config),
      versionHeaders: config.VERSION_HEADERS,
      errorCodes: config.ERROR_CODES,
      graphql: graphqlSettings(config, persistedOperations),
      logger,
      ready: database.ping,
    }),
  );
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(config.PORT, config.HOST, resolve);
  });
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : config.PORT;
  console.log(`Edgeplane listens on http://${config.HOST}:${port} (REST, and GraphQL at /graphql)`);

  const stop = async () => {
    logger.info("stopping");
    setTimeout(() => process.exit(1), SHUTDOWN_LIMIT_MS).unref();
    clearInterval(pruning);
    // Running requests are answered; followers of the change log are disconnected.
    await database.changeSignal.close();
    const sweeping = setInterval(() => server.closeIdleConnections(), SWEEP_EVERY_MS);
    await new Promise((resolve) => {
      server.close(resolve);
      server.closeIdleConnections();
    });
    clearInterval(sweeping);
    await database.close();
    await storage.close();
    logger.flush();
    process.exit(0);
  };
  process.once("SIGTERM", stop);
  process.once("SIGINT", stop);
}

interface Storage {
  readonly connection: Connection;
  readonly encryptionKeys: readonly Buffer[];
  isDiskFull(): boolean;
  close(): Promise<void>;
}

/** PostgreSQL when `DATABASE_URL` says where, else the embedded database in `DATA_DIR`. */
async function openStorage(config: Config): Promise<Storage> {
  if (config.DATABASE_URL !== undefined) {
    return {
      connection: { connectionString: config.DATABASE_URL },
      encryptionKeys: config.ENCRYPTION_KEY ?? [],
      // A separate database server reports a full disk when a change fails.
      isDiskFull: () => false,
      close: async () => {},
    };
  }
  const directory = await openDataDirectory(config.DATA_DIR, (error) => {
    logger.fatal({ err: error }, "another process has taken over the data directory");
    process.exit(1);
  });
  const encryptionKeys = config.ENCRYPTION_KEY ?? [await directory.encryptionKey()];
  const space = await watchFreeSpace(directory.path, (isFull) => {
    if (isFull) logger.error(`the disk of ${directory.path} is full: changes are refused`);
    else logger.warn(`the disk of ${directory.path} has free space again: changes are accepted`);
  });
  const embedded = await startEmbedded(directory, { log: logger });
  return {
    connection: embedded.connection,
    encryptionKeys,
    isDiskFull: space.isFull,
    async close() {
      space.stop();
      await embedded.stop();
      await directory.release();
    },
  };
}

/**
 * Forgets, at start and every hour, what was changed longer ago than `days`, answers that are not kept any more, and how
 * many requests came before.
 */
function forgetWhatIsOld(services: Services, days: number): NodeJS.Timeout {
  const prune = async () => {
    try {
      const entries = await pruneChanges(services, new Date(Date.now() - days * MS_PER_DAY));
      if (entries > 0) logger.info({ entries }, "change log pruned");
      const outcomes = await forgetOutcomes(services);
      if (outcomes > 0) logger.info({ outcomes }, "kept answers forgotten");
      await pruneRateLimits(services);
    } catch (error) {
      logger.warn({ err: error }, "what is old could not be forgotten");
    }
  };
  void prune();
  return setInterval(prune, PRUNE_EVERY_MS);
}

/** Nobody could create the first key without a key, so the first start creates it and shows it once. */
async function makeFirstKey(services: Services): Promise<void> {
  if (services.bootstrapKey !== null || (await hasApiKeys(services))) return;
  const key = await createApiKey(
    { ...services, actor: { keyId: null, scope: "write" }, operationId: newOperationId() },
    { description: "Made by the first start", scope: "write" },
  );
  console.log(`The first API key, shown this once: ${key.token}`);
}

function readConfigOrExit(): Config {
  try {
    return readConfig(process.env);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
}
