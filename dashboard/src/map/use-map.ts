import { useCallback, useEffect, useRef, useState } from "react";
import { type Client, CombinedError, useClient } from "urql";
import type { ChangeEvent } from "../api/change-stream.js";
import { useChanges, useRetry } from "../api/live.js";
import { followOnMap } from "./follower.js";
import type { MapData } from "./graph.js";
import { isWhole, type MapQuery, readMap } from "./reader.js";

export interface LiveMap extends MapState {
  /** The beginning of the map is shown: the rest can be read, which would have kept it waiting. */
  goOn(): void;
}

interface MapState {
  readonly data: MapData | null;
  /** Whether there is more to come. */
  readonly isReading: boolean;
  readonly error: CombinedError | null;
}

/** What happened since the map was read; null when all is to be read again. */
type Pending = ChangeEvent[] | null;

const NOTHING: MapState = { data: null, isReading: true, error: null };

/** Reads the map and follows what changes. While all is read again, what was there stays. */
export function useMap(query: MapQuery): LiveMap {
  const client = useClient();
  const key = JSON.stringify(query);
  const [state, setState] = useState<MapState>(NOTHING);
  const [rounds, setRounds] = useState(0);
  const pending = useRef<Pending>([]);
  const hasFailed = useRef(false);
  const isBusy = useRef(true);
  const shownKey = useRef("");
  const waiting = useRef(() => {});

  useChanges((batch) => {
    if (batch === null) pending.current = null;
    else pending.current?.push(...batch);
    if (!isBusy.current) setRounds((count) => count + 1);
  });
  useRetry(state.error, state.isReading, () => {
    if (!isBusy.current) setRounds((count) => count + 1);
  });

  // biome-ignore lint/correctness/useExhaustiveDependencies: the key is the query, and a round begins with changes
  useEffect(() => {
    let isOver = false;
    const isNew = shownKey.current !== key;
    // What was to be followed when a query failed is known to nobody.
    const changes = hasFailed.current ? null : pending.current;
    pending.current = [];
    hasFailed.current = false;
    isBusy.current = true;
    const show = (next: MapState) => {
      if (!isOver) setState(next);
      return !isOver;
    };
    const untilShown = () =>
      new Promise<void>((resolve) => {
        waiting.current = resolve;
      });
    const known = isNew ? null : state.data;
    if (isNew) setState(NOTHING);
    const reading = update({ client, query, known, changes, show, untilShown }).catch(
      (thrown: unknown) => {
        if (!(thrown instanceof CombinedError)) throw thrown;
        if (!isOver) hasFailed.current = true;
        show({ data: known, isReading: false, error: thrown });
      },
    );
    void reading.then(() => {
      if (isOver) return;
      shownKey.current = key;
      isBusy.current = false;
      if (pending.current?.length !== 0) setRounds((count) => count + 1);
    });
    return () => {
      isOver = true;
      waiting.current();
    };
  }, [client, key, rounds]);
  const goOn = useCallback(() => waiting.current(), []);
  return { ...state, goOn };
}

interface Update {
  readonly client: Client;
  readonly query: MapQuery;
  /** What is shown; null when nothing is. */
  readonly known: MapData | null;
  readonly changes: Pending;
  /** Returns whether anybody still wants more. */
  show(state: MapState): boolean;
  untilShown(): Promise<void>;
}

async function update({ client, query, known, changes, show, untilShown }: Update): Promise<void> {
  const isPlain = isWhole(query) && query.orderBy === undefined;
  if (known && changes && isPlain) {
    const followed = await followOnMap(client, known, changes);
    if (followed) {
      show({ data: followed, isReading: false, error: null });
      return;
    }
  }
  let last: MapData | null = null;
  for await (const data of readMap(client, query)) {
    const isFirst = last === null;
    last = data;
    if (known) continue;
    if (!show({ data, isReading: true, error: null })) return;
    // An empty map is never shown.
    if (isFirst && data.sections.length > 0) await untilShown();
  }
  show({ data: last, isReading: false, error: null });
}
