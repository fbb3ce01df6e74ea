import type { Logger } from "pino";
import type { Config } from "../config.js";
import { readKeyFile, watchKeyFile } from "../database/disk/key-file.js";
import {
  type DatabaseObserver,
  type OpenDatabase,
  type OpenOptions,
  openDatabase,
  type SignalRelay,
} from "../database/index.js";
import { continueLog } from "../domain/changes/continuation.js";
import type { Context, Meter, Services } from "../domain/core/context.js";
import { newOperationId } from "../domain/core/ids.js";
import { createKeyring, type ReplaceableKeyring } from "../domain/core/keyring.js";
import { createReplica } from "../domain/reads/replica.js";
import { checkEncryptionKeys } from "../domain/storage/encryption-keys.js";
import { startDailyBackups } from "./backups.js";
import { startKeeping } from "./programs.js";
import { joinStorage, openStorage, type Storage } from "./storage.js";

const SECONDS_PER_DAY = 86_400;

/** What operators are told when `continueLog` was needed. */
export const CONTINUED =
  "the database has rows of another one: its change log goes on after the last entry";

/** What a server and the commands work on: the database, with the services of the domain. */
export interface Installation {
  readonly database: OpenDatabase;
  readonly services: Services;
  /** The file that the encryption keys come from; null when they come from the configuration. */
  readonly keyFile: string | null;
  close(): Promise<void>;
}

/** Who is told what a server does. */
export interface Observers {
  readonly statements: DatabaseObserver;
  readonly meter: Meter;
}

interface OpenInstallation extends Installation {
  readonly keyring: ReplaceableKeyring;
}

/**
 * Opens the installation of the configuration for the one server of this process, or for the primary of its workers, who
 * has no observers. Brings its tables up to date. `onLost` is called when another process takes over the data directory.
 */
export async function openForServer(
  config: Config,
  log: Logger,
  observers: Observers | null,
  onLost: (error: Error) => void,
): Promise<Installation> {
  const storage = await openStorage(config, log, onLost);
  const installation = await openOn(storage, config, log, { pending: "apply", observers });
  const { keyFile } = installation;
  const { connection, directory } = storage;
  const stopWatching =
    keyFile === null
      ? () => {}
      : watchKeyFile(keyFile, () => void takeNewKeys(installation, keyFile, log));
  const backups =
    directory === null || config.BACKUP_DAYS === 0
      ? null
      : await startDailyBackups(config, { connection, directory }, log);
  const keeping = directory === null ? null : startKeeping(directory, log);
  return {
    ...installation,
    async close() {
      stopWatching();
      await keeping?.stop();
      await backups?.stop();
      await installation.close();
    },
  };
}

/**
 * Opens the installation for a worker, whose primary has it open as its server, and tells the workers of changes by
 * `relay`. Does not wait for the database.
 */
export async function openForWorker(
  config: Config,
  log: Logger,
  observers: Observers,
  relay: SignalRelay,
): Promise<Installation> {
  const storage = await joinStorage(config, log);
  return openOn(storage, config, log, { pending: "leave", observers, relay });
}

/** Goes on with the keys that the file has by now, or with those from before when they do not open the secrets. */
async function takeNewKeys(
  { database, keyring }: OpenInstallation,
  keyFile: string,
  log: Logger,
): Promise<void> {
  try {
    const keys = await readKeyFile(keyFile);
    const ring = createKeyring(keys);
    await database.withoutTimeLimits((db) => checkEncryptionKeys({ db, keyring: ring }));
    keyring.replaceKeys(keys);
    log.info({ fingerprints: ring.fingerprints }, "new encryption keys were read");
  } catch (error) {
    log.error({ err: error }, "the new encryption keys are not used");
  }
}

/**
 * Opens the installation for a command, also while servers run on it, and runs `work` with all rights. Throws when the
 * tables are not those of this version.
 */
export async function withInstallation<Result>(
  config: Config,
  log: Logger,
  work: (context: Context, installation: Installation) => Promise<Result>,
): Promise<Result> {
  const installation = await openOn(await joinStorage(config, log), config, log, {
    pending: "refuse",
  });
  try {
    return await work(operatorContext(installation.services), installation);
  } finally {
    await installation.close();
  }
}

/** The context of the operator, who has all rights without a key. */
export function operatorContext(services: Services): Context {
  return {
    ...services,
    actor: { keyId: null, scope: "write" },
    operationId: newOperationId(),
  };
}

interface How extends Pick<OpenOptions, "relay"> {
  /**
   * What is done about migrations that the database does not have. With "apply" the encryption keys are checked too. Unless
   * they are left, the change log goes on.
   */
  readonly pending: "apply" | "refuse" | "leave";
  readonly observers?: Observers | null;
}

async function openOn(
  storage: Storage,
  config: Config,
  log: Logger,
  { pending, observers, relay }: How,
): Promise<OpenInstallation> {
  const { keyFile } = storage;
  try {
    const keyring = createKeyring(storage.encryptionKeys);
    const database = await openDatabase(storage.connection, {
      pending,
      observer: observers?.statements,
      relay,
      onConnectionError: (error) => log.warn({ err: error }, "database connection lost"),
    });
    const close = async () => {
      await database.close();
      await storage.close();
    };
    if (database.applied.length > 0) log.info({ migrations: database.applied }, "migrated");
    const meter = observers?.meter;
    const withoutReplica = {
      ...servicesOn(storage, database, config),
      keyring,
      ...(meter && { meter }),
    };
    const replica =
      observers && database.replica && createReplica(withoutReplica, database.replica, told(log));
    const services = { ...withoutReplica, ...(replica && { replica }) };
    if (pending !== "leave") {
      await database
        .withoutTimeLimits(async (db) => {
          if (pending === "apply") await checkEncryptionKeys({ db, keyring });
          if (await continueLog(db)) log.warn(CONTINUED);
        })
        .catch(async (error: unknown) => {
          await database.close();
          throw error;
        });
    }
    return { database, services, keyring, keyFile, close };
  } catch (error) {
    await storage.close();
    throw error;
  }
}

/** Tells the log whether queries are read from the replica. */
function told(log: Logger): (reason: unknown) => void {
  return (reason) => {
    if (reason === null) log.info("queries are read from the replica");
    else log.warn({ err: reason }, "queries are read from the primary: the replica is not used");
  };
}

function servicesOn(
  storage: Storage,
  database: OpenDatabase,
  config: Config,
): Omit<Services, "keyring"> {
  return {
    db: database.client,
    readTexts: database.readTexts,
    executeAlone: database.executeAlone,
    changeSignal: database.changeSignal,
    settings: {
      baseDomain: config.BASE_DOMAIN,
      maxCertificateLifetime: config.MAX_CERTIFICATE_LIFETIME_DAYS * SECONDS_PER_DAY,
      maxRoutesPerEdge: config.MAX_ROUTES_PER_EDGE,
    },
    bootstrapKey: config.API_KEY ?? null,
    cancelStatement: database.cancelStatement,
    isDiskFull: storage.isDiskFull,
  };
}
