import cluster, { type Worker } from "node:cluster";
import type { Logger } from "pino";
import { startHeartbeats } from "./heartbeats.js";
import { type FromPrimary, type FromWorker, messageOfWorker, NUMBER_VARIABLE } from "./messages.js";

/** One that has served for so long has not failed at its start. */
const STEADY_MS = 30_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** Questions, one every ten seconds. One that starts hears none before its modules are loaded: long, with little of a core. */
const PATIENCE = { serves: 3, starts: 30 };

/** Who is told of workers. */
export interface WorkersListener {
  message(worker: Worker, message: FromWorker): void;
  /** The process has ended; `wasTold` when it should. */
  ended(worker: Worker, wasTold: boolean): void;
}

/** The workers of this primary. */
export interface Workers {
  /** The port, once all of them serve. Rejects with the reason when none can start. */
  readonly started: Promise<number>;
  /** Those that serve now. */
  serving(): readonly Worker[];
  /** Tells all to stop. Resolves when they have ended, with whether all that served have ended well. */
  stop(): Promise<boolean>;
  /** Ends all at once. */
  kill(): void;
}

interface Running {
  readonly worker: Worker;
  /** Null until it serves. */
  servesSince: number | null;
  /** Why it cannot start. */
  reason: string | null;
}

/**
 * Starts `count` workers that listen at `port`, and replaces each that ends or hangs: at once, and one that fails again and
 * again ever later, up to 30 seconds.
 */
export function startWorkers(
  count: number,
  port: number,
  log: Logger,
  listener: WorkersListener,
): Workers {
  const numbers = Array.from({ length: count }, (_, index) => index + 1);
  const running = new Map<number, Running>();
  /** How often each has failed since it served for long. */
  const failures = new Map<number, number>();
  const pauses = new Set<NodeJS.Timeout>();
  let asked = port;
  let taken: number | null = null;
  let isStopping = false;
  let isWell = true;
  let onStarted: (port: number) => void = () => {};
  let onFailed: (error: Error) => void = () => {};
  let onStopped: (isWell: boolean) => void = () => {};
  const started = new Promise<number>((resolve, reject) => {
    onStarted = resolve;
    onFailed = reject;
  });

  const serving = () => [...running.values()].filter(({ servesSince }) => servesSince !== null);

  const heartbeats = startHeartbeats(() => [...running.values()], {
    ask: ({ worker }) => tellWorker(worker, { edgeplane: "ask whether it is there" }),
    patience: ({ servesSince }) => (servesSince === null ? PATIENCE.starts : PATIENCE.serves),
    lost(own) {
      const { worker } = own;
      own.reason = "The worker did not answer.";
      log.error({ hangingPid: worker.process.pid }, "a worker does not answer and is killed");
      worker.process.kill("SIGKILL");
    },
  });

  function start(number: number): void {
    // The port that the system has chosen is theirs who listen at it, and of nobody when all of these have ended.
    if (taken !== null && serving().length === 0) asked = taken;
    const worker = cluster.fork({ [NUMBER_VARIABLE]: String(number), PORT: String(asked) });
    const own: Running = { worker, servesSince: null, reason: null };
    running.set(number, own);
    worker.on("message", (sent) => {
      const message = messageOfWorker(sent);
      heartbeats.heard(own);
      if (message?.edgeplane === "failed") own.reason = message.reason;
      if (message?.edgeplane === "serves") serves(own, message.port);
      if (message) listener.message(worker, message);
    });
    worker.on("error", (error) => {
      log.debug({ err: error, toWorker: number }, "a message to a worker was lost");
      // The system has no room for another process: nothing ends that has not begun.
      if (worker.process.pid === undefined) ended(number, own, error.message);
    });
    worker.once("exit", (code, signal) => ended(number, own, signal ?? code));
  }

  function serves(own: Running, at: number): void {
    // It asked for any port, and those with whom it would have shared theirs have ended meanwhile.
    if (taken !== null && at !== taken) return void own.worker.process.kill("SIGKILL");
    own.servesSince = performance.now();
    if (taken === null) {
      taken = at;
      for (const number of numbers) if (!running.has(number)) startAgain(number);
    }
    if (serving().length === count) onStarted(taken);
  }

  function ended(number: number, own: Running, by: number | string): void {
    if (running.get(number) !== own) return;
    running.delete(number);
    listener.ended(own.worker, isStopping);
    if (isStopping) {
      if (own.servesSince !== null && by !== 0) isWell = false;
      if (running.size === 0) onStopped(isWell);
      return;
    }
    const { servesSince, reason } = own;
    const isSteady = servesSince !== null && performance.now() - servesSince >= STEADY_MS;
    failures.set(number, isSteady ? 1 : (failures.get(number) ?? 0) + 1);
    const why = reason ?? `it ended with ${by}`;
    log.error(
      { endedWorker: number, endedPid: own.worker.process.pid, reason: why },
      "a worker has ended",
    );
    if (taken !== null) startAgain(number);
    // Until one can serve, the others are not tried again.
    else if (running.size === 0) onFailed(new Error(reason ?? `No worker can start: ${why}.`));
  }

  function startAgain(number: number): void {
    const pause = pauseAfter(failures.get(number) ?? 1);
    const timer = setTimeout(() => {
      pauses.delete(timer);
      start(number);
    }, pause);
    pauses.add(timer);
  }

  // Each worker takes connections from the port itself. Where the primary deals them out, those are lost that a worker
  // was given and had not taken when it was killed: they stay open, and nobody answers them.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  for (const number of numbers) start(number);
  return {
    started,
    serving: () => serving().map(({ worker }) => worker),
    stop() {
      isStopping = true;
      heartbeats.stop();
      for (const pause of pauses) clearTimeout(pause);
      if (running.size === 0) return Promise.resolve(true);
      for (const { worker, servesSince } of running.values()) {
        // By no signal: a terminal sends it to all processes, and the second one would end a worker at once.
        tellWorker(worker, { edgeplane: "stop" });
        // But one that starts hears no messages yet, and has nothing to finish.
        if (servesSince === null) worker.process.kill("SIGTERM");
      }
      return new Promise((resolve) => {
        onStopped = resolve;
      });
    },
    kill() {
      for (const { worker } of running.values()) worker.process.kill("SIGKILL");
    },
  };
}

/** Does nothing when the worker has gone. */
export function tellWorker(worker: Worker, message: FromPrimary): void {
  if (worker.isConnected()) worker.send(message);
}

/** Milliseconds before a worker is started again that has failed so often. */
export function pauseAfter(failures: number): number {
  return failures < 2 ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** (failures - 2), LONGEST_PAUSE_MS);
}
