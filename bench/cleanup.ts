/** What undoes the steps taken so far, the last first. */
export type Cleanup = (() => Promise<void>)[];

/** Runs `main`, and undoes its steps once: when it ends, when it fails, and when it is stopped. */
export async function withCleanup(main: (cleanup: Cleanup) => Promise<void>): Promise<void> {
  const cleanup: Cleanup = [];
  let cleaning: Promise<void> | undefined;
  const cleanUp = (): Promise<void> => {
    cleaning ??= (async () => {
      for (const undo of cleanup.reverse()) await undo().catch(console.error);
    })();
    return cleaning;
  };
  process.once("SIGINT", () => void cleanUp().then(() => process.exit(130)));
  process.once("SIGTERM", () => void cleanUp().then(() => process.exit(143)));
  try {
    await main(cleanup);
  } catch (error) {
    if (!cleaning) console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  } finally {
    await cleanUp();
  }
}
