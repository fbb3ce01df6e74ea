import {
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { type AnyVariables, type UseQueryArgs, type UseQueryState, useQuery } from "urql";
import { type ChangeEvent, followChanges } from "./changes.js";

// Every page follows the log of changes: what it shows is read again when something has changed.

/** What happened together: changes, in order; or null when so much may have changed that all is to be read again. */
export type Batch = readonly ChangeEvent[] | null;

interface Live {
  readonly isConnected: boolean;
  /** Calls `listener` with what changes, until the function that it returns is called. */
  listen(listener: (batch: Batch) => void): () => void;
}

const LiveContext = createContext<Live | null>(null);

/** Changes that come within this time are one batch. */
const BATCH_MS = 200;
/** Where changes come all the time, pages are read again so often. */
const PAUSE_MS = 1000;

interface LiveProviderProps {
  readonly apiKey: string;
  /** Where the log ended before anything else was read. */
  readonly position: string;
  onRefused(): void;
  /** The log no longer reaches back: the position is to be read again, after which this is rendered with it. */
  onGone(): void;
  readonly children: ReactNode;
}

export function LiveProvider({ apiKey, position, onRefused, onGone, children }: LiveProviderProps) {
  const [isConnected, setConnected] = useState(true);
  const listeners = useRef(new Set<(batch: Batch) => void>());

  useEffect(() => {
    let changes: ChangeEvent[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const flush = () => {
      const batch = changes;
      changes = [];
      timer = batch.length === 0 ? undefined : setTimeout(flush, PAUSE_MS);
      if (batch.length > 0) for (const listener of listeners.current) listener(batch);
    };
    const stop = followChanges(apiKey, position, {
      onChange(change) {
        changes.push(change);
        timer ??= setTimeout(flush, BATCH_MS);
      },
      onConnection: setConnected,
      onGone() {
        for (const listener of listeners.current) listener(null);
        onGone();
      },
      onRefused,
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [apiKey, position, onRefused, onGone]);

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
 * has it read once more, since the answer may be older.
 */
export function useLiveQuery<Data, Variables extends AnyVariables>(
  args: UseQueryArgs<Variables, Data>,
): Answer<Data> {
  const { pause = false } = args;
  const [state, execute] = useQuery({ requestPolicy: "cache-and-network", ...args });
  const isReading = state.fetching || state.stale;
  const [isBehind, setBehind] = useState(false);
  useChanges(() => setBehind(true));
  useEffect(() => {
    if (!isBehind || isReading || pause) return;
    setBehind(false);
    execute({ requestPolicy: "network-only" });
  }, [isBehind, isReading, pause, execute]);
  return state;
}

function useLive(): Live {
  const live = useContext(LiveContext);
  if (!live) throw new Error("There is no LiveProvider.");
  return live;
}
