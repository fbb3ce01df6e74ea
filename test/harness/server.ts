import { randomBytes } from "node:crypto";
import { Client, type ClientConfig } from "pg";
import { type DestinationStream, pino } from "pino";
import { inject } from "vitest";
import { type AppOptions, createApp } from "../../src/app.js";
import { graphqlSettings, readConfig } from "../../src/config.js";
import { type Connection, openDatabase } from "../../src/database/index.js";
import { createApiKey } from "../../src/domain/api-keys.js";
import { followersState } from "../../src/domain/changes/following.js";
import type { Context, Services } from "../../src/domain/core/context.js";
import { newOperationId } from "../../src/domain/core/ids.js";
import { createKeyring } from "../../src/domain/core/keyring.js";
import { createReplica } from "../../src/domain/reads/replica.js";
import { createHttpServer } from "../../src/http/server.js";
import { LOG_OPTIONS } from "../../src/log.js";
import type { GraphqlSettings } from "../../src/schema/transport/server.js";
import { createMetrics } from "../../src/telemetry/metrics.js";
import { createTelemetry } from "../../src/telemetry/telemetry.js";
import { administer, databaseUrl } from "./cluster.js";
import { checkedAgainstContract } from "./contract-checks.js";

export interface TestServer {
  readonly url: string;
  /** A key that may write, and one that may only read. */
  readonly writeKey: string;
  readonly readKey: string;
  /** The URL of its database. */
  readonly databaseUrl: string;
  /** For calling the domain directly, with the right to write. */
  readonly context: Context;
  /** The SQL statements that `action` causes, without those that open and close transactions, or announce changes. */
  statements(action: () => Promise<unknown>): Promise<string[]>;
  /** The same with the values of their parameters. */
  queries(action: () => Promise<unknown>): Promise<Query[]>;
  /** The texts of all values that the database sends meanwhile. */
  received(action: () => Promise<unknown>): Promise<string[]>;
  /** Its metrics as Prometheus reads them; "" when it has none. */
  metrics(): Promise<string>;
  stop(): Promise<void>;
}

/** An SQL statement as it is sent to the database. */
export interface Query {
  readonly text: string;
  readonly values: readonly unknown[];
  /** Under which a connection keeps it; empty or absent when none does. */
  readonly name?: string;
}

export interface TestServerOptions {
  readonly bootstrapKey?: string;
  readonly publicUrl?: string;
  readonly trustProxy?: boolean;
  /** To a database that the caller stops. Default: a fresh one, on the server of all tests. */
  readonly connection?: Connection;
  /** To the fresh database. Default 8; with 1, answers come in the order of their statements, so these can be counted. */
  readonly connections?: number;
  /** Default false. */
  readonly isDiskFull?: () => boolean;
  /** Default true. */
  readonly dashboard?: boolean;
  /** Default true. */
  readonly graphiql?: boolean;
  /** Default none. */
  readonly corsOrigins?: readonly string[];
  /** Default `Service-Version` and `Ngrok-Version`. */
  readonly versionHeaders?: readonly string[];
  /** Default "words". */
  readonly errorCodes?: AppOptions["errorCodes"];
  /** Default a new one. */
  readonly encryptionKeys?: readonly Buffer[];
  /** Default none, since tests send many requests at once. */
  readonly rateLimits?: AppOptions["rateLimits"];
  readonly baseDomain?: string;
  readonly maxCertificateLifetime?: number;
  readonly maxRoutesPerEdge?: number;
  /** What differs from the defaults. */
  readonly graphql?: Partial<GraphqlSettings>;
  /** Whether it has metrics. Default false. */
  readonly metrics?: boolean;
  /** Is told why the replica of the connection is not used, and null when it is. */
  readonly onReplica?: (reason: unknown) => void;
  /** Gets the log of the server, at level trace. */
  readonly log?: DestinationStream;
}

/** The real server over HTTP on a fresh database of its own. */
export async function startServer(options: TestServerOptions = {}): Promise<TestServer> {
  const storage = options.connection ? null : await freshDatabase();
  const connection = options.connection ?? {
    ...(storage && addressOf(storage.url)),
    max: options.connections ?? 8,
    // A busy machine is no fault of what is tested.
    connectionTimeoutMillis: 20_000,
  };
  const metrics = options.metrics ? createMetrics() : null;
  const telemetry = createTelemetry(metrics, null);
  const sent: Query[] = [];
  const watches = new Set<string[]>();
  const database = await openDatabase(
    { ...connection, Client: watchedClient(sent, watches) },
    { observer: telemetry.statements, onConnectionError: () => {} },
  );
  const withoutReplica = {
    db: database.client,
    readTexts: database.readTexts,
    executeAlone: database.executeAlone,
    changeSignal: database.changeSignal,
    keyring: createKeyring(options.encryptionKeys ?? [randomBytes(32)]),
    settings: {
      baseDomain: options.baseDomain ?? "edgeplane.test",
      maxCertificateLifetime: options.maxCertificateLifetime ?? 10 * 365 * 86_400,
      maxRoutesPerEdge: options.maxRoutesPerEdge ?? readConfig({}).MAX_ROUTES_PER_EDGE,
    },
    bootstrapKey: options.bootstrapKey ?? null,
    cancelStatement: database.cancelStatement,
    isDiskFull: options.isDiskFull ?? (() => false),
    meter: telemetry.meter,
  };
  const { replica } = database;
  const services: Services = {
    ...withoutReplica,
    ...(replica && {
      replica: createReplica(withoutReplica, replica, options.onReplica ?? (() => {})),
    }),
  };
  const context: Context = {
    ...services,
    actor: { keyId: null, scope: "write" },
    operationId: newOperationId(),
  };
  const [writeKey, readKey] = await Promise.all([
    createApiKey(context, { scope: "write" }),
    createApiKey(context, { scope: "read" }),
  ]);
  const errorCodes = options.errorCodes ?? "words";
  const { app, problems } = checkedAgainstContract(
    createApp(services, {
      publicUrl: options.publicUrl ?? null,
      trustProxy: options.trustProxy ?? false,
      dashboard: options.dashboard ?? true,
      graphiql: options.graphiql ?? true,
      corsOrigins: options.corsOrigins ?? [],
      rateLimits: options.rateLimits ?? null,
      versionHeaders: options.versionHeaders ?? ["Service-Version", "Ngrok-Version"],
      errorCodes,
      graphql: { ...graphqlSettings(readConfig({}), null), ...options.graphql },
      logger: options.log
        ? pino({ ...LOG_OPTIONS, level: "trace" }, options.log)
        : pino({ level: process.env.TEST_LOG_LEVEL ?? "silent" }),
      telemetry,
      ready: database.ping,
    }),
    errorCodes,
  );
  metrics?.watch({
    ready: database.ping,
    pool: database.poolState,
    followers: () => followersState(services),
  });
  const server = createHttpServer(app);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const queries = async (action: () => Promise<unknown>) => {
    const from = sent.length;
    await action();
    return sent.slice(from).filter(({ text }) => !/^(BEGIN|COMMIT|ROLLBACK|NOTIFY)/i.test(text));
  };
  const address = server.address();
  if (typeof address !== "object" || !address) throw new Error("The server has no port.");
  return {
    url: `http://127.0.0.1:${address.port}`,
    databaseUrl: storage?.url ?? connection.connectionString ?? "",
    writeKey: writeKey.token ?? "",
    readKey: readKey.token ?? "",
    context,
    statements: async (action) => (await queries(action)).map(({ text }) => text),
    queries,
    async received(action) {
      const values: string[] = [];
      watches.add(values);
      await action();
      watches.delete(values);
      return values;
    },
    metrics: async () => (await metrics?.text()) ?? "",
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await database.close();
      await storage?.stop();
      if (problems.length > 0) {
        throw new Error(`REST is not as openapi.json says:\n${problems.slice(0, 20).join("\n")}`);
      }
    },
  };
}

/** Through the pooler of `TEST_POOLER_URL`, which leads to the databases of the server of all tests, where there is one. */
function addressOf(url: string): Connection {
  const pooler = process.env.TEST_POOLER_URL;
  if (!pooler) return { connectionString: url };
  const name = new URL(url).pathname.slice(1);
  return { connectionString: databaseUrl(pooler, name), directUrl: url };
}

interface FreshDatabase {
  readonly url: string;
  /** Runs `sql` on it, over a connection of its own. */
  administer(sql: string): Promise<void>;
  stop(): Promise<void>;
}

/** A migrated and empty database of its own, on the server of all tests. */
export async function freshDatabase(): Promise<FreshDatabase> {
  const { url, migrated } = inject("cluster");
  const name = `edgeplane_test_${randomBytes(6).toString("hex")}`;
  await administer(url, `CREATE DATABASE "${name}" TEMPLATE "${migrated}"`);
  const own = databaseUrl(url, name);
  return {
    url: own,
    administer: (sql) => administer(own, sql),
    stop: () => administer(url, `DROP DATABASE "${name}" WITH (FORCE)`),
  };
}

/** A client that tells what it sends, and to all `watches` what it receives. */
function watchedClient(sent: Query[], watches: ReadonlySet<string[]>) {
  return class WatchedClient extends Client {
    constructor(config?: string | ClientConfig) {
      super(config);
      this.connection.on("dataRow", ({ fields }: { readonly fields: readonly unknown[] }) => {
        for (const values of watches) values.push(...fields.map(String));
      });
      const query = this.query.bind(this) as (...args: unknown[]) => unknown;
      Object.assign(this, {
        query: (...args: unknown[]) => {
          const [first, second] = args;
          const text = typeof first === "string" ? first : Reflect.get(Object(first), "text");
          const values = Reflect.get(Object(first), "values") ?? second;
          const name = String(Reflect.get(Object(first), "name") ?? "");
          if (typeof text === "string") {
            sent.push({ text, values: Array.isArray(values) ? values : [], name });
          }
          return query(...args);
        },
      });
    }
  };
}
