import { type ChangeEvent, type Ending, openChangeStream } from "./change-stream.js";
import type { Problem } from "./problems.js";
import { pauseAfter } from "./retries.js";

interface Follower {
  /** What was changed, in order and without a gap. */
  onChange(change: ChangeEvent): void;
  /** Whether the server can be heard. */
  onConnection(isConnected: boolean): void;
  /** Where the log ends now; null when the server does not say. Rejects never. */
  readPosition(): Promise<string | null>;
  /** The log no longer reached back. It is followed from its end, after which everything is to be read again. */
  onGap(): void;
  /** The server does not know the key, or no longer. Nothing follows. */
  onRefused(problem: Problem): void;
}

/** A stream that lived for so long was no failure. */
const STEADY_MS = 10_000;

/**
 * Follows all changes after `position`, however often the connection is cut. While the tab is hidden it rests, since a
 * browser has few connections for all tabs of an origin. Returns a function that stops it.
 */
export function followChanges(key: string, position: string, follower: Follower): () => void {
  let last: string | null = position;
  let failures = 0;
  let retry: ReturnType<typeof setTimeout> | undefined;
  /** Ends what is under way; null when nothing is. */
  let close: (() => void) | null = null;

  const connect = () => {
    clearTimeout(retry);
    if (document.hidden || close) return;
    close = last === null ? findEnd() : follow(last);
  };
  const again = (retryAfter: number) => {
    close = null;
    failures += 1;
    follower.onConnection(false);
    retry = setTimeout(connect, pauseAfter(failures, retryAfter));
  };
  const disconnect = () => {
    clearTimeout(retry);
    close?.();
    close = null;
  };
  const connectAnew = () => {
    disconnect();
    failures = 0;
    connect();
  };

  const follow = (after: string) => {
    let openedAt: number | null = null;
    return openChangeStream(key, after, {
      onOpen() {
        openedAt = performance.now();
        follower.onConnection(true);
      },
      onEvent(position, change) {
        failures = 0;
        last = position ?? last;
        if (change) follower.onChange(change);
      },
      onEnd(ending: Ending) {
        if (ending.kind === "refused") {
          stop();
          return follower.onRefused(ending.problem);
        }
        if (ending.kind === "gone") last = null;
        else if (openedAt !== null && performance.now() - openedAt > STEADY_MS) failures = 0;
        again(ending.kind === "lost" ? ending.retryAfter : 0);
      },
    });
  };
  const findEnd = () => {
    let isOver = false;
    void follower.readPosition().then((position) => {
      if (isOver) return;
      if (position === null) return again(0);
      last = position;
      close = null;
      follower.onGap();
      connect();
    });
    return () => {
      isOver = true;
    };
  };

  const onVisibility = () => (document.hidden ? disconnect() : connect());
  document.addEventListener("visibilitychange", onVisibility);
  // What was open before another network was there is dead, and nobody says so.
  window.addEventListener("online", connectAnew);
  const stop = () => {
    document.removeEventListener("visibilitychange", onVisibility);
    window.removeEventListener("online", connectAnew);
    disconnect();
  };
  connect();
  return stop;
}
