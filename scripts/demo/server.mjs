// @ts-check
import { spawn } from "node:child_process";
import { once } from "node:events";
import { isIPv6 } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const SERVER = fileURLToPath(new URL("../../dist/edgeplane.js", import.meta.url));
const ANSWER_LIMIT_MS = 5000;

/**
 * Where a server that listens as HOST says is reached from here.
 * @param {string | number} port
 */
export function localUrl(port) {
  const { HOST = "" } = process.env;
  const host = ["", "0.0.0.0", "::"].includes(HOST) ? "127.0.0.1" : HOST;
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

/**
 * Why `url` cannot be reached, or null when an Edgeplane answers there. Throws when something else does.
 * @param {string} url
 */
export async function whyUnreachable(url) {
  let response;
  try {
    response = await fetch(`${url}/livez`, { signal: AbortSignal.timeout(ANSWER_LIMIT_MS) });
  } catch (error) {
    return reasonOf(error);
  }
  if (response.ok && (await response.text()).trim() === "ok") return null;
  throw new Error(`What answers at ${url} is no Edgeplane.`);
}

/**
 * In words; of a failed `fetch`, its cause, since it says nothing itself.
 * @param {unknown} error
 */
export function reasonOf(error) {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  return cause.message || String(Reflect.get(cause, "code"));
}

/**
 * Starts a server as a child process, with the environment of this one and `apiKey`. Throws when it ends
 * before it listens, with a sentence about another server at whose data it is, which is not at `url`.
 * @param {string} apiKey
 * @param {string} url
 */
export async function startServer(apiKey, url) {
  const child = spawn(process.execPath, [SERVER], {
    env: { ...process.env, API_KEY: apiKey, LOG_LEVEL: process.env.LOG_LEVEL || "warn" },
    stdio: ["ignore", "inherit", "pipe"],
    // Out of the terminal's process group, so that Ctrl-C reaches it through `stop` alone.
    detached: true,
  });
  const ended = once(child, "close");
  let directory = "";
  let isPortInUse = false;
  const stop = async () => {
    // A second signal would cut its orderly end short.
    if (!child.killed) child.kill("SIGTERM");
    await ended;
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, stop);

  /** @type {Promise<string | undefined>} */
  const listening = new Promise((resolve) => {
    createInterface({ input: child.stderr }).on("line", (line) => {
      const [, inUse] =
        /^The data directory (.+) is in use by another Edgeplane process\./.exec(line) ?? [];
      const port = /^Edgeplane listens on \S+:(\d+) /.exec(line)?.[1];
      if (inUse) directory = inUse;
      else if (line.includes("EADDRINUSE")) isPortInUse = true;
      else if (port) resolve(port);
      else console.error(line);
    });
  });
  const port = await Promise.race([listening, ended.then(() => undefined)]);
  if (directory !== "") {
    throw new Error(
      `The data directory ${directory} is in use by a server that does not answer at ${url}: set PORT to the port on which it listens, or stop it, or set DATA_DIR to another directory.`,
    );
  }
  if (isPortInUse) {
    throw new Error(
      `Something listens at ${url} and does not answer yet: try again in a moment, or set PORT to another port.`,
    );
  }
  if (port === undefined) throw new Error("The server did not start.");
  return { url: localUrl(port), ended, stop };
}
