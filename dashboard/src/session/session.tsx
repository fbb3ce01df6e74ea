import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { type Client, Provider } from "urql";
import { createClient } from "../api/client.js";
import { LiveProvider } from "../api/live.js";
import { type Problem, problemOf } from "../api/problems.js";
import { SessionDocument, type SessionQuery } from "../generated/operations.js";
import { Reading } from "../shell/reading.js";
import { firstText } from "../words.js";
import { forgetKey, keepKey, readKey } from "./key.js";
import { NoAnswer } from "./no-answer.js";
import { SignIn } from "./sign-in.js";

interface Session {
  /** Whether the key may change anything. */
  readonly canWrite: boolean;
  /** The id of the key; null for the one from the server's configuration. */
  readonly keyId: string | null;
  readonly keyName: string;
  signOut(): void;
}

const SessionContext = createContext<Session | null>(null);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error("There is no session.");
  return session;
}

interface Begun {
  readonly key: string;
  readonly client: Client;
  readonly self: NonNullable<SessionQuery["self"]>;
  readonly position: string;
  /** Ends this session; does nothing once another one has begun. */
  refuse(problem: Problem): void;
}

/** Asks for a key until the server knows it, then shows `children` with what it may do. */
export function SessionProvider({ children }: { readonly children: ReactNode }) {
  const [begun, setBegun] = useState<Begun | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isBeginning, setBeginning] = useState(false);
  /** The key that the tab had before the page was loaded, until the server has said whether it knows it. */
  const [resumed, setResumed] = useState(readKey);
  /** Which of the keys that were given is the last one: answers about others come late. */
  const attempts = useRef(0);

  const end = useCallback((problem: Problem | null) => {
    attempts.current += 1;
    forgetKey();
    setBegun(null);
    setResumed(null);
    setBeginning(false);
    setProblem(problem);
  }, []);
  const begin = useCallback(
    async (key: string) => {
      attempts.current += 1;
      const attempt = attempts.current;
      const isLast = () => attempts.current === attempt;
      const refuse = (problem: Problem) => {
        if (isLast()) end(problem);
      };
      setBeginning(true);
      const client = createClient(key, refuse);
      const { data, error } = await client
        .query(SessionDocument, {}, { requestPolicy: "network-only" })
        .toPromise();
      if (!isLast()) return;
      setBeginning(false);
      if (!data?.self || !data.changes) return setProblem(error ? problemOf(error) : NO_ANSWER);
      keepKey(key);
      setProblem(null);
      setResumed(null);
      setBegun({ key, client, self: data.self, position: data.changes.position, refuse });
    },
    [end],
  );
  useEffect(() => {
    if (resumed !== null) void begin(resumed);
  }, [resumed, begin]);

  const session = useMemo(
    () =>
      begun && {
        canWrite: begun.self.scope === "WRITE",
        keyId: begun.self.apiKey?.id ?? null,
        keyName: firstText(
          begun.self.apiKey?.description,
          begun.self.apiKey?.id,
          "the configured key",
        ),
        signOut: () => end(null),
      },
    [begun, end],
  );

  if (resumed !== null) {
    if (!problem) return <Reading />;
    return (
      <NoAnswer problem={problem} onRetry={() => void begin(resumed)} onForget={() => end(null)} />
    );
  }
  if (!begun || !session) {
    return <SignIn problem={problem} isBusy={isBeginning} onKey={(key) => void begin(key)} />;
  }
  return (
    <SessionContext value={session}>
      <Provider value={begun.client}>
        <LiveProvider apiKey={begun.key} position={begun.position} onRefused={begun.refuse}>
          {children}
        </LiveProvider>
      </Provider>
    </SessionContext>
  );
}

const NO_ANSWER: Problem = {
  code: "UNREACHABLE",
  message: "The server did not say what this key may do.",
  issues: [],
  operationId: null,
  currentVersion: null,
};
