import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useState,
} from "react";
import { type Client, Provider } from "urql";
import { createClient } from "../api/client.js";
import { LiveProvider } from "../api/live.js";
import { type Problem, problemOf } from "../api/problems.js";
import { SessionDocument, type SessionQuery } from "../generated/operations.js";
import { Reading } from "../shell/reading.js";
import { forgetKey, keepKey, readKey } from "./key.js";
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
}

/** Asks for a key until the server knows it, then shows `children` with what it may do. */
export function SessionProvider({ children }: { readonly children: ReactNode }) {
  const [begun, setBegun] = useState<Begun | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isBeginning, setBeginning] = useState(false);
  // The key is there already: nothing is asked before the server has said whether it knows it.
  const [isResuming, setResuming] = useState(() => readKey() !== null);

  const refuse = useCallback(() => {
    forgetKey();
    setBegun(null);
    setProblem(REVOKED);
  }, []);
  const begin = useCallback(
    async (key: string) => {
      setBeginning(true);
      const client = createClient(key, refuse);
      const { data, error } = await client
        .query(SessionDocument, {}, { requestPolicy: "network-only" })
        .toPromise();
      setBeginning(false);
      if (!data?.self || !data.changes) {
        return setProblem(error ? problemOf(error) : REVOKED);
      }
      keepKey(key);
      setProblem(null);
      setBegun({ key, client, self: data.self, position: data.changes.position });
    },
    [refuse],
  );
  useEffect(() => {
    const key = readKey();
    if (key !== null) void begin(key).finally(() => setResuming(false));
  }, [begin]);

  const beginAgain = useCallback(() => {
    if (begun) void begin(begun.key);
  }, [begun, begin]);

  const session = useMemo(
    () =>
      begun && {
        canWrite: begun.self.scope === "WRITE",
        keyId: begun.self.apiKey?.id ?? null,
        keyName: begun.self.apiKey?.description || begun.self.apiKey?.id || "the configured key",
        signOut() {
          forgetKey();
          setBegun(null);
          setProblem(null);
        },
      },
    [begun],
  );

  if (!begun && isResuming) return <Reading />;
  if (!begun || !session) {
    return <SignIn problem={problem} isBusy={isBeginning} onKey={begin} />;
  }
  return (
    <SessionContext value={session}>
      <Provider value={begun.client}>
        <LiveProvider
          apiKey={begun.key}
          position={begun.position}
          onRefused={refuse}
          onGone={beginAgain}
        >
          {children}
        </LiveProvider>
      </Provider>
    </SessionContext>
  );
}

const REVOKED: Problem = {
  code: "UNAUTHENTICATED",
  message: "The server does not know this key. It may have been revoked.",
  issues: [],
  operationId: null,
  currentVersion: null,
};
