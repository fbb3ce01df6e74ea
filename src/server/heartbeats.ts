/** The interval in which each is asked whether it is there. */
const ASK_EVERY_MS = 10_000;
/** Watches whether others answer, who may hang without ending. */
export interface Heartbeats<Member> {
  heard(member: Member): void;
  stop(): void;
}

/** What is done with members. */
export interface HeartbeatsListener<Member> {
  /** Asks a member whether it is there. */
  ask(member: Member): void;
  /** How many questions in a row a member may leave unanswered. */
  patience(member: Member): number;
  /** The member has not been heard of after so many. */
  lost(member: Member): void;
}

/**
 * Has each of `members` asked every ten seconds whether it is there. Questions are counted, and not seconds: a machine that
 * slept has lost nobody.
 */
export function startHeartbeats<Member extends object>(
  members: () => readonly Member[],
  { ask, patience, lost }: HeartbeatsListener<Member>,
): Heartbeats<Member> {
  const unanswered = new WeakMap<Member, number>();
  const timer = setInterval(() => {
    for (const member of members()) {
      const count = unanswered.get(member) ?? 0;
      const most = patience(member);
      unanswered.set(member, count + 1);
      if (count === most) lost(member);
      if (count < most) ask(member);
    }
  }, ASK_EVERY_MS);
  return {
    heard: (member) => void unanswered.delete(member),
    stop: () => clearInterval(timer),
  };
}
