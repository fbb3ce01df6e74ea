import { SingleBar } from "cli-progress";

/** A bar on the terminal, for work that takes long. */
interface Progress {
  /** `all` is absent where the end is not known. */
  show(done: number, all?: number): void;
  end(): void;
}

/** Shows how far `work` has come; where the standard error is no terminal, nothing. */
export async function withProgress<Result>(
  unit: string,
  work: (show: Progress["show"]) => Promise<Result>,
): Promise<Result> {
  const progress = showProgress(unit);
  return work(progress.show).finally(progress.end);
}

function showProgress(unit: string): Progress {
  const bar = new SingleBar({
    format: `{bar} {value} of {total} ${unit}, {duration_formatted}`,
    stream: process.stderr,
    clearOnComplete: true,
    hideCursor: true,
    noTTYOutput: false,
  });
  let isStarted = false;
  return {
    show(done, all = done) {
      if (!isStarted) bar.start(all, done);
      isStarted = true;
      bar.setTotal(all);
      bar.update(done);
    },
    end: () => bar.stop(),
  };
}
