import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import path from "node:path";

const HAPROXY = "/usr/sbin/haproxy";

export function haproxyIsInstalled(what: string): boolean {
  if (existsSync(HAPROXY)) return true;
  console.warn(`${what}: not tested, since ${HAPROXY} is missing.`);
  return false;
}

/** The load balancer of Debian in front of `ports`, which sends requests to those that say that they are ready. */
export async function startHaproxy(
  folder: string,
  ports: readonly number[],
): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const port = await freePort();
  const configuration = path.join(folder, "haproxy.cfg");
  const servers = ports.map((each) => `  server s${each} 127.0.0.1:${each} check`);
  await writeFile(
    configuration,
    `global
  maxconn 1000
defaults
  mode http
  timeout connect 2s
  timeout client 60s
  timeout server 60s
  timeout check 5s
  option httpchk GET /readyz
  default-server inter 100ms fall 1 rise 1
listen edgeplane
  bind 127.0.0.1:${port}
  balance roundrobin
${servers.join("\n")}
`,
  );
  const child: ChildProcess = spawn(HAPROXY, ["-q", "-db", "-f", configuration], {
    stdio: "inherit",
  });
  const exited = once(child, "exit");
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (typeof address !== "object" || !address) throw new Error("There is no free port.");
  return address.port;
}
