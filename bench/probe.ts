// Loaded into a measured server with --import: answers over the channel to the process that started it
// what the server has used so far, and ends with that process.

export interface Usage {
  /** Microseconds of CPU, user and system, of all threads. */
  readonly cpu: number;
  /** Bytes of resident memory. */
  readonly memory: number;
}

process.on("message", () => {
  const { user, system } = process.cpuUsage();
  const usage: Usage = { cpu: user + system, memory: process.memoryUsage.rss() };
  process.send?.(usage);
});
process.on("disconnect", () => process.exit(1));
process.channel?.unref();
