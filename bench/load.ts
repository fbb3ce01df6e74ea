import autocannon from "autocannon";

// The load, in a process of its own: takes a job from the process that started it and answers the result.

export interface LoadRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: string;
}

export interface Job {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent in turn, by each connection. */
  readonly requests: readonly LoadRequest[];
  readonly connections: number;
  readonly seconds: number;
}

export interface Load {
  readonly requests: number;
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Answers other than 2xx, and requests without an answer. */
  readonly failures: number;
}

process.on("message", async (job: Job) => process.send?.(await run(job)));
process.on("disconnect", () => process.exit());

async function run({ url, headers, requests, connections, seconds }: Job): Promise<Load> {
  const times: number[] = [];
  let failures = 0;
  const start = performance.now();
  await new Promise<void>((resolve, reject) => {
    const instance = autocannon(
      {
        url,
        connections,
        duration: seconds,
        headers: { ...headers },
        requests: requests.map((request) => ({ ...request })),
      },
      (error) => (error ? reject(error) : resolve()),
    );
    // Its own histogram counts whole milliseconds.
    instance.on("response", (_, status, __, time) => {
      if (status >= 200 && status < 300) times.push(time);
      else failures++;
    });
    instance.on("reqError", () => failures++);
  });
  const elapsed = (performance.now() - start) / 1000;
  times.sort((a, b) => a - b);
  const quantile = (share: number) => times[Math.floor(share * (times.length - 1))] ?? 0;
  return {
    requests: times.length,
    perSecond: times.length / elapsed,
    p50: quantile(0.5),
    p99: quantile(0.99),
    failures,
  };
}
