/** The interval in which each is asked whether it is there. */
const ASK_EVERY_MS = 10_000;
/** Who leaves so many questions unanswered is lost. */
const MOST_UNANSWERED = 3;

/** Watches whether others answer, who may hang without ending. */
export interface Heartbeats<Member> {
  heard(member: Member): void;
  stop(): void;
}

/**
 * Has `ask` ask each of `members` every ten seconds whether it is there. `lost` gets one that has not been heard of
 * after three questions. Questions are counted, and not seconds: a machine that slept has lost nobody.
 */
export function startHeartbeats<Member extends object>(
  members: () => readonly Member[],
  { ask, lost }: { ask(member: Member): void; lost(member: Member): void },
): Heartbeats<Member> {
  const unanswered = new WeakMap<Member, number>();
  const timer = setInterval(() => {
    for (const member of members()) {
      const count = unanswered.get(member) ?? 0;
      unanswered.set(member, count + 1);
      if (count === MOST_UNANSWERED) lost(member);
      if (count < MOST_UNANSWERED) ask(member);
    }
  }, ASK_EVERY_MS);
  return {
    heard: (member) => void unanswered.delete(member),
    stop: () => clearInterval(timer),
  };
}
