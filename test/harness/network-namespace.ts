import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Another host on this machine, whose network can go away without a word. */
export interface OtherHost {
  /** The address under which it reaches this machine. */
  readonly here: string;
  spawn(command: string, args: readonly string[]): ChildProcess;
  /** Loses all that the host sends from now on, also that its connections end; `false` goes on. */
  silence(isSilent: boolean): Promise<void>;
  remove(): Promise<void>;
}

/** Whether this process may make one. */
export async function hostsCanBeMade(what: string): Promise<boolean> {
  try {
    const host = await makeHost();
    await host.remove();
    return true;
  } catch (error) {
    console.warn(`${what}: not tested, since no network namespace can be made (${error}).`);
    return false;
  }
}

export async function makeHost(): Promise<OtherHost> {
  const id = randomBytes(3).toString("hex");
  const [name, inside, outside] = [`ep-${id}`, `epi-${id}`, `epo-${id}`];
  const subnet = `10.213.${Number.parseInt(id.slice(0, 2), 16)}`;
  const here = `${subnet}.1`;
  const ip = (...args: string[]) => run("ip", args);
  const ipInside = (...args: string[]) => ip("-n", name, ...args);
  const remove = async () => {
    await ip("link", "del", outside).catch(() => {});
    await ip("netns", "del", name);
  };
  await ip("netns", "add", name);
  try {
    await ip("link", "add", outside, "type", "veth", "peer", "name", inside, "netns", name);
    await ip("addr", "add", `${here}/24`, "dev", outside);
    await ip("link", "set", outside, "up");
    await ipInside("addr", "add", `${subnet}.2/24`, "dev", inside);
    await ipInside("link", "set", inside, "up");
  } catch (error) {
    await remove();
    throw error;
  }
  return {
    here,
    spawn: (command, args) =>
      spawn("ip", ["netns", "exec", name, command, ...args], {
        stdio: ["ignore", "pipe", "inherit"],
      }),
    silence: async (isSilent) =>
      void (await ipInside("route", isSilent ? "add" : "del", "blackhole", here)),
    remove,
  };
}
