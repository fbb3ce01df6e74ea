import { Command } from "commander";
import { run } from "./run.js";

/** `edgeplane serve`: what a start without a command does, too. */
export function serveCommand(): Command {
  return new Command("serve")
    .description("serve REST and GraphQL until SIGTERM or SIGINT; the default")
    .action(() =>
      run(async (config) => {
        // No other command needs the transports, which take long to load.
        const { serve } = await import("../server/serve.js");
        await serve(config);
      })().then(() => {
        // A start that failed may have left timers.
        if (process.exitCode === 1) process.exit();
      }),
    );
}
