import { randomBytes } from "node:crypto";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { graphqlSettings, rateLimitSettings, readConfig, tracingSettings } from "../src/config.js";
import { LARGEST_BATCH } from "../src/schema/transport/limits/settings.js";

const KEY = randomBytes(32).toString("base64");

/** The lines of the refusal, without its first; [] when there is none. */
function problems(env: Record<string, string>): string[] {
  try {
    readConfig(env);
    return [];
  } catch (error) {
    const [first, ...lines] = (error as Error).message.split("\n");
    expect(first).toBe("The configuration has problems:");
    return lines.map((line) => line.trim());
  }
}

it("takes batches up to the largest that is answered operation by operation", () => {
  const take = (size: number) => readConfig({ GRAPHQL_MAX_BATCH: String(size) });
  expect(take(LARGEST_BATCH).GRAPHQL_MAX_BATCH).toBe(LARGEST_BATCH);
  expect(() => take(LARGEST_BATCH + 1)).toThrow("GRAPHQL_MAX_BATCH");
});

describe("the configuration", () => {
  it("has a default for every variable", () => {
    expect(readConfig({})).toEqual({
      HOST: "127.0.0.1",
      PORT: 8080,
      WORKERS: 1,
      DATA_DIR: path.resolve("data"),
      BACKUP_DAYS: 1,
      BACKUP_DIR: path.resolve("data/backups"),
      TRUST_PROXY: false,
      DASHBOARD: true,
      GRAPHIQL: true,
      CORS_ORIGINS: [],
      BASE_DOMAIN: "edgeplane.localhost",
      VERSION_HEADERS: ["Service-Version", "Ngrok-Version"],
      ERROR_CODES: "words",
      DRAIN_SECONDS: 0,
      LOG_LEVEL: "info",
      CHANGE_LOG_DAYS: 90,
      MAX_CERTIFICATE_LIFETIME_DAYS: 3650,
      MAX_ROUTES_PER_EDGE: 1000,
      RATE_LIMIT_REQUESTS: 600,
      RATE_LIMIT_SECONDS: 10,
      RATE_LIMIT_STORE: "memory",
      GRAPHQL_MAX_DEPTH: 15,
      GRAPHQL_MAX_ALIASES: 30,
      GRAPHQL_MAX_TOKENS: 2000,
      GRAPHQL_MAX_ROOT_FIELDS: 20,
      GRAPHQL_MAX_COST: 300_000,
      GRAPHQL_MAX_ANSWER_MIB: 32,
      GRAPHQL_MAX_BATCH: 10,
      GRAPHQL_MAX_BODY_KIB: 256,
      GRAPHQL_DEADLINE_SECONDS: 10,
      GRAPHQL_INTROSPECTION: true,
      PERSISTED_OPERATIONS_ONLY: false,
    });
  });

  it("takes an empty value as not set, and ignores other variables", () => {
    const names = [
      "CHANGE_LOG_DAYS",
      ...["METRICS_HOST", "METRICS_PORT"],
      ...[
        "HOST",
        "PORT",
        "WORKERS",
        "DATA_DIR",
        "DATABASE_URL",
        "PUBLIC_URL",
        "TRUST_PROXY",
        "GRAPHIQL",
      ],
      ...["BACKUP_DAYS", "BACKUP_DIR"],
      ...["CORS_ORIGINS", "API_KEY", "ENCRYPTION_KEY", "BASE_DOMAIN", "VERSION_HEADERS"],
      ...["ERROR_CODES", "DRAIN_SECONDS", "LOG_LEVEL", "DATABASE_DIRECT_URL", "DATABASE_READ_URL"],
      "MAX_CERTIFICATE_LIFETIME_DAYS",
      "MAX_ROUTES_PER_EDGE",
      ...["RATE_LIMIT_REQUESTS", "RATE_LIMIT_SECONDS", "RATE_LIMIT_STORE"],
      ...["GRAPHQL_MAX_DEPTH", "GRAPHQL_MAX_ALIASES", "GRAPHQL_MAX_TOKENS"],
      ...[
        "GRAPHQL_MAX_ROOT_FIELDS",
        "GRAPHQL_MAX_COST",
        "GRAPHQL_MAX_ANSWER_MIB",
        "GRAPHQL_MAX_BATCH",
      ],
      ...["GRAPHQL_MAX_BODY_KIB", "GRAPHQL_DEADLINE_SECONDS", "GRAPHQL_INTROSPECTION"],
      ...["PERSISTED_OPERATIONS", "PERSISTED_OPERATIONS_ONLY"],
      ...["OTEL_SDK_DISABLED", "OTEL_TRACES_EXPORTER", "OTEL_EXPORTER_OTLP_ENDPOINT"],
      ...["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_PROTOCOL"],
      "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL",
    ];
    const empty = Object.fromEntries(names.map((name) => [name, ""]));
    expect(readConfig({ ...empty, HOME: "/root", PORTS: "x" })).toEqual(readConfig({}));
  });

  it("is read from the environment", () => {
    const old = randomBytes(32);
    const config = readConfig({
      HOST: "::",
      PORT: "0",
      DATA_DIR: "/var/lib/edgeplane",
      WORKERS: "4",
      DATABASE_URL: "postgresql://edge@db.example/edgeplane",
      DATABASE_DIRECT_URL: "postgresql://edge@primary.example/edgeplane",
      DATABASE_READ_URL: "postgresql://edge@replica.example/edgeplane",
      BACKUP_DAYS: "7",
      BACKUP_DIR: "/var/backups/edgeplane",
      PUBLIC_URL: "https://api.example.com/edge//",
      TRUST_PROXY: "true",
      DASHBOARD: "false",
      GRAPHIQL: "false",
      CORS_ORIGINS: "https://dash.example , http://localhost:5173",
      API_KEY: "a-key-of-sixteen",
      ENCRYPTION_KEY: `${KEY}, ${old.toString("base64")}`,
      BASE_DOMAIN: "edge.example.com",
      VERSION_HEADERS: "Service-Version , X-Version",
      ERROR_CODES: "numbered",
      DRAIN_SECONDS: "5",
      LOG_LEVEL: "trace",
      CHANGE_LOG_DAYS: "7",
      MAX_CERTIFICATE_LIFETIME_DAYS: "30",
      MAX_ROUTES_PER_EDGE: "40",
      RATE_LIMIT_REQUESTS: "120",
      RATE_LIMIT_SECONDS: "60",
      RATE_LIMIT_STORE: "database",
      GRAPHQL_MAX_DEPTH: "100",
      GRAPHQL_MAX_ALIASES: "0",
      GRAPHQL_MAX_TOKENS: "10000",
      GRAPHQL_MAX_ROOT_FIELDS: "1",
      GRAPHQL_MAX_COST: "1000000",
      GRAPHQL_MAX_ANSWER_MIB: "256",
      GRAPHQL_MAX_BATCH: "0",
      GRAPHQL_MAX_BODY_KIB: "1",
      GRAPHQL_DEADLINE_SECONDS: "300",
      GRAPHQL_INTROSPECTION: "false",
      PERSISTED_OPERATIONS: "operations.json",
      PERSISTED_OPERATIONS_ONLY: "true",
    });
    expect(config).toEqual({
      HOST: "::",
      PORT: 0,
      WORKERS: 4,
      DATA_DIR: "/var/lib/edgeplane",
      DATABASE_URL: "postgresql://edge@db.example/edgeplane",
      DATABASE_DIRECT_URL: "postgresql://edge@primary.example/edgeplane",
      DATABASE_READ_URL: "postgresql://edge@replica.example/edgeplane",
      BACKUP_DAYS: 7,
      BACKUP_DIR: "/var/backups/edgeplane",
      PUBLIC_URL: "https://api.example.com/edge",
      TRUST_PROXY: true,
      DASHBOARD: false,
      GRAPHIQL: false,
      CORS_ORIGINS: ["https://dash.example", "http://localhost:5173"],
      API_KEY: "a-key-of-sixteen",
      ENCRYPTION_KEY: [Buffer.from(KEY, "base64"), old],
      BASE_DOMAIN: "edge.example.com",
      VERSION_HEADERS: ["Service-Version", "X-Version"],
      ERROR_CODES: "numbered",
      DRAIN_SECONDS: 5,
      LOG_LEVEL: "trace",
      CHANGE_LOG_DAYS: 7,
      MAX_CERTIFICATE_LIFETIME_DAYS: 30,
      MAX_ROUTES_PER_EDGE: 40,
      RATE_LIMIT_REQUESTS: 120,
      RATE_LIMIT_SECONDS: 60,
      RATE_LIMIT_STORE: "database",
      GRAPHQL_MAX_DEPTH: 100,
      GRAPHQL_MAX_ALIASES: 0,
      GRAPHQL_MAX_TOKENS: 10_000,
      GRAPHQL_MAX_ROOT_FIELDS: 1,
      GRAPHQL_MAX_COST: 1_000_000,
      GRAPHQL_MAX_ANSWER_MIB: 256,
      GRAPHQL_MAX_BATCH: 0,
      GRAPHQL_MAX_BODY_KIB: 1,
      GRAPHQL_DEADLINE_SECONDS: 300,
      GRAPHQL_INTROSPECTION: false,
      PERSISTED_OPERATIONS: "operations.json",
      PERSISTED_OPERATIONS_ONLY: true,
    });
    expect(graphqlSettings(config, "{}")).toEqual({
      maxDepth: 100,
      maxAliases: 0,
      maxTokens: 10_000,
      maxRootFields: 1,
      maxCost: 1_000_000,
      maxAnswerBytes: 256 * 1024 * 1024,
      maxBatch: 0,
      maxBodyBytes: 1024,
      deadlineMs: 300_000,
      introspection: false,
      persistedOperations: "{}",
      persistedOperationsOnly: true,
    });
  });

  it("traces requests where a standard variable names an exporter", () => {
    const settings = (env: Record<string, string>) => tracingSettings(readConfig(env));
    const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector.example:4318" };
    expect(settings({})).toBeNull();
    expect(settings(endpoint)).toEqual({ protocol: "http/protobuf" });
    expect(settings({ OTEL_TRACES_EXPORTER: "otlp" })).toEqual({ protocol: "http/protobuf" });
    expect(settings({ ...endpoint, OTEL_TRACES_EXPORTER: "none" })).toBeNull();
    expect(settings({ ...endpoint, OTEL_SDK_DISABLED: "True" })).toBeNull();
    const protocols = {
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf",
      OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "http/json",
    };
    expect(settings({ ...endpoint, ...protocols })).toEqual({ protocol: "http/json" });
  });

  it("has no limits of rates with 0 requests", () => {
    const limits = (env: Record<string, string>) => rateLimitSettings(readConfig(env));
    expect(limits({})).toEqual({ requests: 600, seconds: 10, store: "memory" });
    expect(limits({ RATE_LIMIT_REQUESTS: "0", RATE_LIMIT_STORE: "database" })).toBeNull();
  });

  it("names every problem at once", () => {
    const found = problems({
      PORT: "65536",
      METRICS_PORT: "metrics",
      DATABASE_URL: "mysql://db.example/edgeplane",
      BACKUP_DAYS: "-1",
      PUBLIC_URL: "https://api.example.com/?a=b",
      TRUST_PROXY: "yes",
      GRAPHIQL: "off",
      CORS_ORIGINS: "https://a.example/,https://b.example,dash",
      API_KEY: "too short",
      BASE_DOMAIN: "Edge.example.com",
      VERSION_HEADERS: "Service Version",
      ERROR_CODES: "Numbered",
      LOG_LEVEL: "loud",
      CHANGE_LOG_DAYS: "0",
      MAX_CERTIFICATE_LIFETIME_DAYS: "0",
      MAX_ROUTES_PER_EDGE: "0",
      RATE_LIMIT_REQUESTS: "-1",
      RATE_LIMIT_SECONDS: "0",
      RATE_LIMIT_STORE: "redis",
      GRAPHQL_MAX_DEPTH: "0",
      GRAPHQL_MAX_ALIASES: "-1",
      GRAPHQL_MAX_TOKENS: "9",
      GRAPHQL_MAX_ROOT_FIELDS: "0",
      GRAPHQL_MAX_COST: "1000001",
      GRAPHQL_MAX_ANSWER_MIB: "0",
      GRAPHQL_MAX_BATCH: "101",
      GRAPHQL_MAX_BODY_KIB: "0",
      GRAPHQL_DEADLINE_SECONDS: "0.5",
      GRAPHQL_INTROSPECTION: "off",
      PERSISTED_OPERATIONS_ONLY: "true",
    });
    expect(found.map((line) => line.split(" ", 1)[0])).toEqual([
      "PORT",
      "METRICS_PORT",
      "DATABASE_URL",
      "BACKUP_DAYS",
      "PUBLIC_URL",
      "TRUST_PROXY",
      "GRAPHIQL",
      "CORS_ORIGINS",
      "CORS_ORIGINS",
      "API_KEY",
      "BASE_DOMAIN",
      "VERSION_HEADERS",
      "ERROR_CODES",
      "LOG_LEVEL",
      "CHANGE_LOG_DAYS",
      "MAX_CERTIFICATE_LIFETIME_DAYS",
      "MAX_ROUTES_PER_EDGE",
      "RATE_LIMIT_REQUESTS",
      "RATE_LIMIT_SECONDS",
      "RATE_LIMIT_STORE",
      "GRAPHQL_MAX_DEPTH",
      "GRAPHQL_MAX_ALIASES",
      "GRAPHQL_MAX_TOKENS",
      "GRAPHQL_MAX_ROOT_FIELDS",
      "GRAPHQL_MAX_COST",
      "GRAPHQL_MAX_ANSWER_MIB",
      "GRAPHQL_MAX_BATCH",
      "GRAPHQL_MAX_BODY_KIB",
      "GRAPHQL_DEADLINE_SECONDS",
      "GRAPHQL_INTROSPECTION",
      "ENCRYPTION_KEY",
      "PERSISTED_OPERATIONS",
    ]);
  });

  it.each([
    ["PORT", "-1"],
    ["METRICS_PORT", "65536"],
    ["OTEL_TRACES_EXPORTER", "zipkin"],
    ["OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"],
    ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "collector:4318"],
    ["PORT", "80a"],
    ["PORT", "1e3"],
    ["PUBLIC_URL", "api.example.com"],
    ["PUBLIC_URL", "ftp://api.example.com"],
    ["PUBLIC_URL", "https://api.example.com/#a"],
    ["CORS_ORIGINS", "https://a.example/"],
    ["CORS_ORIGINS", "https://a.example/path"],
    ["CORS_ORIGINS", "https://a.example?b"],
    ["CORS_ORIGINS", "https://a.example:443"],
    ["CORS_ORIGINS", "https://A.example"],
    ["CORS_ORIGINS", "https://user@a.example"],
    ["CORS_ORIGINS", "a.example"],
    ["CORS_ORIGINS", "https://*.example"],
    ["CORS_ORIGINS", "null"],
    ["CORS_ORIGINS", "file:///"],
    ["CORS_ORIGINS", "https://a.example,"],
    ["CORS_ORIGINS", "https://a.example,*"],
    ["API_KEY", "fifteen-letters"],
    ["API_KEY", "with a space in it"],
    ["ENCRYPTION_KEY", Buffer.alloc(31).toString("base64")],
    ["ENCRYPTION_KEY", `${KEY},`],
    ["ENCRYPTION_KEY", "nonsense"],
    ["BASE_DOMAIN", "-edge.example.com"],
    ["VERSION_HEADERS", "Service-Version,,"],
    ["BACKUP_DAYS", "1001"],
    ["MAX_CERTIFICATE_LIFETIME_DAYS", "36501"],
    ["MAX_ROUTES_PER_EDGE", "100001"],
    ["RATE_LIMIT_REQUESTS", "1000001"],
    ["RATE_LIMIT_SECONDS", "3601"],
    ["RATE_LIMIT_STORE", "Database"],
  ])("refuses %s=%s, and says what it must be", (name, value) => {
    const [problem, ...others] = problems({ [name]: value });
    expect(problem).toMatch(new RegExp(`^${name} must be `));
    expect(others).toEqual([]);
  });

  it.each([
    "TRUST_PROXY",
    "DASHBOARD",
    "GRAPHIQL",
    "GRAPHQL_INTROSPECTION",
    "PERSISTED_OPERATIONS_ONLY",
  ])("takes for %s true and false, and no other word for either", (name) => {
    for (const value of ["yes", "1", "TRUE", "off", " true"]) {
      expect(problems({ [name]: value })).toEqual([`${name} must be true or false`]);
    }
    expect(problems({ [name]: "true", PERSISTED_OPERATIONS: "operations.json" })).toEqual([]);
    expect(problems({ [name]: "false" })).toEqual([]);
  });

  it("says how to write an origin, and reports each one that is none", () => {
    expect(
      problems({ CORS_ORIGINS: "https://a.example/b, https://b.example, HTTP://c.example:80" }),
    ).toEqual([
      'CORS_ORIGINS must be origins: write https://a.example for "https://a.example/b"',
      'CORS_ORIGINS must be origins: write http://c.example for "HTTP://c.example:80"',
    ]);
    expect(readConfig({ CORS_ORIGINS: "*" }).CORS_ORIGINS).toEqual(["*"]);
  });

  it("takes an origin in the one spelling that browsers send, and names it for every other", () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true }), (url) => {
        const { origin } = new URL(url);
        expect(readConfig({ CORS_ORIGINS: origin }).CORS_ORIGINS).toEqual([origin]);
        if (url === origin || /[,*]/.test(url)) return;
        expect(problems({ CORS_ORIGINS: url })).toEqual([
          `CORS_ORIGINS must be origins: write ${origin} for "${url}"`,
        ]);
      }),
    );
  });

  it("does not repeat a secret in its refusal", () => {
    const secrets = { API_KEY: "k€y-that-is-wrong-somehow", ENCRYPTION_KEY: "c2VjcmV0IGtleQ==" };
    const text = problems(secrets).join("\n");
    for (const secret of Object.values(secrets)) expect(text).not.toContain(secret);
  });

  it("needs ENCRYPTION_KEY with DATABASE_URL, since each process would make its own", () => {
    const DATABASE_URL = "postgres://db.example/edgeplane";
    expect(problems({ DATABASE_URL })).toEqual([
      expect.stringMatching(/^ENCRYPTION_KEY is required with DATABASE_URL/),
    ]);
    expect(problems({ DATABASE_URL, ENCRYPTION_KEY: KEY })).toEqual([]);
  });

  it("needs a port of their own for the metrics", () => {
    expect(problems({ PORT: "9000", METRICS_PORT: "9000" })).toEqual([
      "METRICS_PORT must be another port than PORT",
    ]);
    expect(problems({ METRICS_PORT: "8080" })).toHaveLength(1);
    expect(problems({ METRICS_PORT: "8080", TRUST_PROXY: "yes" })).toHaveLength(2);
    expect(problems({ PORT: "0", METRICS_PORT: "0" })).toEqual([]);
  });

  it.each(["DATABASE_DIRECT_URL", "DATABASE_READ_URL"])(
    "needs DATABASE_URL with %s, which belongs to the same database",
    (name) => {
      expect(problems({ [name]: "postgresql://edge@db.example/edgeplane" })).toEqual([
        expect.stringMatching(`^DATABASE_URL is required with ${name}`),
      ]);
    },
  );

  it("needs DATABASE_URL with more than one worker, since one process has the embedded database", () => {
    const given = { DATABASE_URL: "postgres://db.example/edgeplane", ENCRYPTION_KEY: KEY };
    expect(problems({ WORKERS: "2" })).toEqual([
      "DATABASE_URL is required with WORKERS: one process alone can use the embedded database",
    ]);
    expect(problems({ WORKERS: "1" })).toEqual([]);
    for (const WORKERS of ["1", "2", "64"]) expect(problems({ ...given, WORKERS })).toEqual([]);
    for (const WORKERS of ["0", "65", "-1", "two", "1.5"]) {
      expect(problems({ ...given, WORKERS })).toEqual([
        "WORKERS must be a whole number from 1 to 64",
      ]);
    }
  });
});
