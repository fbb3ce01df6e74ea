import {
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import {
  type AnyVariables,
  type CombinedError,
  type UseQueryArgs,
  type UseQueryState,
  useClient,
  useQuery,
} from "urql";
import { SessionDocument } from "../generated/operations.js";
import { batchesOf } from "./batches.js";
import type { ChangeEvent } from "./change-stream.js";
import { followChanges } from "./changes.js";
import { isTemporary, type Problem, problemOf } from "./problems.js";
import { pauseAfter, retryAfterOf } from "./retries.js";

// Every page follows the log of changes: what it shows is read again when something has changed.

/** What happened together: changes, in order; or null when so much may have changed that all is to be read again. */
export type Batch = readonly ChangeEvent[] | null;

interface Live {
  readonly isConnected: boolean;
  /** Calls `listener` with what changes, until the function that it returns is called. */
  listen(listener: (batch: Batch) => void): () => void;
}

const LiveContext = createContext<Live | null>(null);

interface LiveProviderProps {
  readonly apiKey: string;
  /** Where the log ended before anything else was read. */
  readonly position: string;
  onRefused(problem: Problem): void;
  readonly children: ReactNode;
}

export function LiveProvider({ apiKey, position, onRefused, children }: LiveProviderProps) {
  const client = useClient();
  const [isConnected, setConnected] = useState(true);
  const listeners = useRef(new Set<(batch: Batch) => void>());

  useEffect(() => {
    const tell = (batch: Batch) => {
      for (const listener of listeners.current) listener(batch);
    };
    const batches = batchesOf<ChangeEvent>(tell);
    const stop = followChanges(apiKey, position, {
      onChange: batches.add,
      onConnection: setConnected,
      readPosition: async () => {
        const { data } = await client
          .query(SessionDocument, {}, { requestPolicy: "network-only" })
          .toPromise();
        return data?.changes?.position ?? null;
      },
      onGap: () => tell(null),
      onRefused,
    });
    return () => {
      batches.stop();
      stop();
    };
  }, [apiKey, position, client, onRefused]);

  const live = useMemo(
    () => ({
      isConnected,
      listen(listener: (batch: Batch) => void) {
        listeners.current.add(listener);
        return () => void listeners.current.delete(listener);
      },
    }),
    [isConnected],
  );
  return <LiveContext value={live}>{children}</LiveContext>;
}

/** Whether the server can be heard. */
export function useIsConnected(): boolean {
  return useLive().isConnected;
}

/** Calls `onBatch` with what changes while the component is there. */
export function useChanges(onBatch: (batch: Batch) => void): void {
  const { listen } = useLive();
  const latest = useRef(onBatch);
  latest.current = onBatch;
  useEffect(() => listen((batch) => latest.current(batch)), [listen]);
}

/** What is known of an answer: also while it is read again. */
export type Answer<Data> = Pick<UseQueryState<Data>, "data" | "error" | "fetching" | "stale">;

/**
 * The answer to a query, which is read again whenever something has changed. A change that comes while it is being read
 * has it read once more, since the answer may be older. While the server cannot answer, the last answer stays beside the
 * error.
 */
export function useLiveQuery<Data, Variables extends AnyVariables>(
  args: UseQueryArgs<Variables, Data>,
): Answer<Data> {
  const { pause = false } = args;
  const [state, execute] = useQuery({ requestPolicy: "cache-and-network", ...args });
  const isReading = state.fetching || state.stale;
  const [isBehind, setBehind] = useState(false);
  useChanges(() => setBehind(true));
  useRetry(state.error, isReading, () => setBehind(true));
  useEffect(() => {
    if (!isBehind || isReading || pause) return;
    setBehind(false);
    execute({ requestPolicy: "network-only" });
  }, [isBehind, isReading, pause, execute]);

  const kept = useRef<{ readonly of: number | undefined; readonly data: Data } | null>(null);
  const of = state.operation?.key;
  if (state.data !== undefined) kept.current = { of, data: state.data };
  const last = kept.current;
  const isUnanswered = state.error && isTemporary(problemOf(state.error));
  if (state.data !== undefined || !isUnanswered || last === null || last.of !== of) return state;
  return { ...state, data: last.data };
}

/** Calls `retry` while an error says that the server cannot answer now: after pauses, and as soon as it is heard again. */
export function useRetry(
  error: CombinedError | null | undefined,
  isReading: boolean,
  retry: () => void,
): void {
  const { isConnected } = useLive();
  const wasConnected = useRef(isConnected);
  const failures = useRef(0);
  const latest = useRef(retry);
  latest.current = retry;
  useEffect(() => {
    const isBack = isConnected && !wasConnected.current;
    wasConnected.current = isConnected;
    if (isReading) return;
    if (!error || !isTemporary(problemOf(error))) {
      failures.current = 0;
      return;
    }
    failures.current = isBack ? 0 : failures.current + 1;
    const pause = isBack ? 0 : pauseAfter(failures.current, retryAfterOf(error.response?.headers));
    const timer = setTimeout(() => latest.current(), pause);
    return () => clearTimeout(timer);
  }, [error, isReading, isConnected]);
}

function useLive(): Live {
  const live = useContext(LiveContext);
  if (!live) throw new Error("There is no LiveProvider.");
  return live;
}
