import path from "node:path";
import { z } from "zod";

const KEY_BYTES = 32;
const DEFAULT_CHANGE_LOG_DAYS = 90;
const DEFAULT_CERTIFICATE_LIFETIME_DAYS = 3650;
const DEFAULT_ROUTES_PER_EDGE = 1_000;
const DEFAULT_RATE_LIMIT = 600;

/** The environment, every variable optional. An empty value means "not set". */
const environment = z.object({
  HOST: z.string().default("127.0.0.1"),
  PORT: integer(0, 65535).default(8080),
  METRICS_HOST: z.string().optional(),
  METRICS_PORT: integer(0, 65535).optional(),
  DATA_DIR: z.string().default("./data"),
  WORKERS: integer(1, 64).default(1),
  DATABASE_URL: postgresqlUrl(),
  DATABASE_DIRECT_URL: postgresqlUrl(),
  DATABASE_READ_URL: postgresqlUrl(),
  BACKUP_DAYS: integer(0, 1_000).default(1),
  BACKUP_DIR: z.string().optional(),
  PUBLIC_URL: httpUrl()
    .transform((url) => url.replace(/\/+$/, ""))
    .optional(),
  TRUST_PROXY: flag(false),
  DASHBOARD: flag(true),
  GRAPHIQL: flag(true),
  CORS_ORIGINS: z
    .string()
    .transform((list) => list.split(",").map((origin) => origin.trim()))
    .superRefine((origins, context) => {
      for (const origin of origins) {
        const message = originProblem(origin, origins.length);
        if (message !== null) context.addIssue({ code: "custom", message });
      }
    })
    .default([]),
  API_KEY: z
    .string()
    .regex(/^[\x21-\x7e]{16,512}$/, "must be 16 to 512 printable ASCII characters without spaces")
    .optional(),
  ENCRYPTION_KEY: z
    .string()
    .transform((list) => list.split(",").map((key) => Buffer.from(key.trim(), "base64")))
    .refine(
      (keys) => keys.every((key) => key.length === KEY_BYTES),
      `must be ${KEY_BYTES} bytes in base64; to rotate the key, give the new key, a comma and the old keys`,
    )
    .optional(),
  BASE_DOMAIN: z
    .string()
    .regex(
      /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/,
      "must be a lower-case domain name",
    )
    .default("edgeplane.localhost"),
  VERSION_HEADERS: z
    .string()
    .transform((list) => list.split(",").map((name) => name.trim()))
    .refine(
      (names) => names.every((name) => /^[A-Za-z0-9-]+$/.test(name)),
      "must be header names separated by commas",
    )
    .default(["Service-Version", "Ngrok-Version"]),
  ERROR_CODES: z
    .enum(["words", "numbered"], { error: "must be words or numbered" })
    .default("words"),
  DRAIN_SECONDS: integer(0, 300).default(0),
  LOG_LEVEL: z
    .enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"], {
      error: "must be one of fatal, error, warn, info, debug, trace, silent",
    })
    .default("info"),
  CHANGE_LOG_DAYS: integer(1, 36_500).default(DEFAULT_CHANGE_LOG_DAYS),
  MAX_CERTIFICATE_LIFETIME_DAYS: integer(1, 36_500).default(DEFAULT_CERTIFICATE_LIFETIME_DAYS),
  MAX_ROUTES_PER_EDGE: integer(1, 100_000).default(DEFAULT_ROUTES_PER_EDGE),
  RATE_LIMIT_REQUESTS: integer(0, 1_000_000).default(DEFAULT_RATE_LIMIT),
  RATE_LIMIT_SECONDS: integer(1, 3_600).default(10),
  RATE_LIMIT_STORE: z
    .enum(["memory", "database"], { error: "must be memory or database" })
    .default("memory"),
  GRAPHQL_MAX_DEPTH: integer(1, 100).default(15),
  GRAPHQL_MAX_ALIASES: integer(0, 1_000).default(30),
  GRAPHQL_MAX_TOKENS: integer(10, 10_000).default(2_000),
  GRAPHQL_MAX_ROOT_FIELDS: integer(1, 1_000).default(20),
  GRAPHQL_MAX_COST: integer(1, 1_000_000).default(300_000),
  GRAPHQL_MAX_ANSWER_MIB: integer(1, 256).default(32),
  GRAPHQL_MAX_BATCH: integer(0, 100).default(10),
  GRAPHQL_MAX_BODY_KIB: integer(1, 10_240).default(256),
  GRAPHQL_DEADLINE_SECONDS: integer(1, 300).default(10),
  GRAPHQL_INTROSPECTION: flag(true),
  PERSISTED_OPERATIONS: z.string().optional(),
  PERSISTED_OPERATIONS_ONLY: flag(false),
  // Standard names of OpenTelemetry, whose packages read further ones by themselves.
  OTEL_SDK_DISABLED: z.string().optional(),
  OTEL_TRACES_EXPORTER: z.enum(["otlp", "none"], { error: "must be otlp or none" }).optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl().optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: httpUrl().optional(),
  OTEL_EXPORTER_OTLP_PROTOCOL: otlpProtocol().optional(),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: otlpProtocol().optional(),
});

export interface Config extends z.output<typeof environment> {
  /** Where the daily backups are: `backups` in `DATA_DIR` when nothing is said. */
  readonly BACKUP_DIR: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the configuration. Throws one error that names every problem. */
export function readConfig(env: Environment): Config {
  const { config, problems } = parseConfig(env);
  if (config) return config;
  throw new Error(`The configuration has problems:\n${problems.map((p) => `  ${p}`).join("\n")}`);
}

export type ParsedConfig =
  | { readonly config: Config; readonly problems: readonly [] }
  | { readonly config: null; readonly problems: readonly string[] };

/** Reads the configuration. Each problem begins with the name of its variable. */
export function parseConfig(env: Environment): ParsedConfig {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ""));
  const result = environment.safeParse(given);
  const problems = result.success
    ? []
    : result.error.issues.map(({ path: [name], message }) => `${String(name)} ${message}`);
  if (given.DATABASE_URL !== undefined && given.ENCRYPTION_KEY === undefined) {
    problems.push(
      "ENCRYPTION_KEY is required with DATABASE_URL: 32 bytes in base64, the same for every process",
    );
  }
  if (given.DATABASE_DIRECT_URL !== undefined && given.DATABASE_URL === undefined) {
    problems.push(
      "DATABASE_URL is required with DATABASE_DIRECT_URL: it leads to the pooler in front of the same database",
    );
  }
  if (given.DATABASE_READ_URL !== undefined && given.DATABASE_URL === undefined) {
    problems.push(
      "DATABASE_URL is required with DATABASE_READ_URL: it leads to a replica of that database",
    );
  }
  // Also when other variables have problems.
  const numberIn = (name: "WORKERS" | "PORT" | "METRICS_PORT") =>
    environment.shape[name].safeParse(given[name]).data;
  if ((numberIn("WORKERS") ?? 1) > 1 && given.DATABASE_URL === undefined) {
    problems.push(
      "DATABASE_URL is required with WORKERS: one process alone can use the embedded database",
    );
  }
  const port = numberIn("PORT");
  if (port !== undefined && port !== 0 && port === numberIn("METRICS_PORT")) {
    problems.push("METRICS_PORT must be another port than PORT");
  }
  const persistedOnly = environment.shape.PERSISTED_OPERATIONS_ONLY.safeParse(
    given.PERSISTED_OPERATIONS_ONLY,
  );
  if (persistedOnly.data && given.PERSISTED_OPERATIONS === undefined) {
    problems.push(
      "PERSISTED_OPERATIONS is required with PERSISTED_OPERATIONS_ONLY: the path of the manifest",
    );
  }
  if (!result.success || problems.length > 0) return { config: null, problems };
  const { DATA_DIR, BACKUP_DIR = path.join(DATA_DIR, "backups") } = result.data;
  const config = {
    ...result.data,
    DATA_DIR: path.resolve(DATA_DIR),
    BACKUP_DIR: path.resolve(BACKUP_DIR),
  };
  return { config, problems: [] };
}

/** The limits of requests to `/graphql`. `persistedOperations` is the text of the manifest, null without one. */
export function graphqlSettings(config: Config, persistedOperations: string | null) {
  return {
    maxDepth: config.GRAPHQL_MAX_DEPTH,
    maxAliases: config.GRAPHQL_MAX_ALIASES,
    maxTokens: config.GRAPHQL_MAX_TOKENS,
    maxRootFields: config.GRAPHQL_MAX_ROOT_FIELDS,
    maxCost: config.GRAPHQL_MAX_COST,
    maxAnswerBytes: config.GRAPHQL_MAX_ANSWER_MIB * 1024 * 1024,
    maxBatch: config.GRAPHQL_MAX_BATCH,
    maxBodyBytes: config.GRAPHQL_MAX_BODY_KIB * 1024,
    deadlineMs: config.GRAPHQL_DEADLINE_SECONDS * 1000,
    introspection: config.GRAPHQL_INTROSPECTION,
    persistedOperations,
    persistedOperationsOnly: config.PERSISTED_OPERATIONS_ONLY,
  };
}

/** The limits of requests over both transports; null for none. */
export function rateLimitSettings(config: Config) {
  if (config.RATE_LIMIT_REQUESTS === 0) return null;
  return {
    requests: config.RATE_LIMIT_REQUESTS,
    seconds: config.RATE_LIMIT_SECONDS,
    store: config.RATE_LIMIT_STORE,
  };
}

function postgresqlUrl() {
  return z
    .string()
    .refine(
      (url) => /^postgres(ql)?:\/\//.test(url) && URL.canParse(url),
      "must be a URL that starts with postgresql://, in which the password has no characters such as / and @ but as %2F and %40",
    )
    .optional();
}

/** How requests are traced; null where nobody asks for it. */
export function tracingSettings(config: Config) {
  const endpoint = config.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? config.OTEL_EXPORTER_OTLP_ENDPOINT;
  const exporter = config.OTEL_TRACES_EXPORTER ?? (endpoint === undefined ? "none" : "otlp");
  if (exporter === "none" || config.OTEL_SDK_DISABLED?.toLowerCase() === "true") return null;
  const protocol = config.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL ?? config.OTEL_EXPORTER_OTLP_PROTOCOL;
  return { protocol: protocol ?? "http/protobuf" };
}

function httpUrl() {
  return z.string().refine(isHttpUrl, "must be an http or https URL without query or fragment");
}

function otlpProtocol() {
  return z.enum(["http/protobuf", "http/json"], { error: "must be http/protobuf or http/json" });
}

/** These two words alone, of all that mean yes and no: what is misspelt is refused. */
function flag(fallback: boolean) {
  return z
    .stringbool({
      truthy: ["true"],
      falsy: ["false"],
      case: "sensitive",
      error: "must be true or false",
    })
    .default(fallback);
}

function integer(min: number, max: number) {
  return z
    .string()
    .refine(
      (value) => /^\d{1,10}$/.test(value) && Number(value) >= min && Number(value) <= max,
      `must be a whole number from ${min} to ${max}`,
    )
    .transform(Number);
}

/** What is wrong with one of `count` origins; null when nothing is. Browsers send origins in just one spelling. */
function originProblem(origin: string, count: number): string | null {
  if (origin === "*") return count === 1 ? null : "must be * alone, or origins without *";
  const url = URL.canParse(origin) && !origin.includes("*") ? new URL(origin) : null;
  if (url?.protocol !== "http:" && url?.protocol !== "https:") {
    return `must be *, or origins such as https://dash.example separated by commas; "${origin}" is none`;
  }
  return url.origin === origin ? null : `must be origins: write ${url.origin} for "${origin}"`;
}

function isHttpUrl(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, search, hash } = new URL(value);
  return (protocol === "http:" || protocol === "https:") && search === "" && hash === "";
}
