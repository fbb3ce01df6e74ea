// @ts-check
// What the page adds to GraphiQL: the field for the API key, the examples, and nothing in the URL.

const KEY_ITEM = "edgeplane.api-key";
const NO_KEY = "This needs an API key: paste one into the field at the top of the page.";
const WHERE_FROM = "The server printed one at its first start, unless API_KEY was set.";
const ENDPOINT = location.pathname;

const form = element("key-form", HTMLFormElement);
const field = element("key", HTMLInputElement);
const state = element("key-state", HTMLOutputElement);

/** @type {{ workers: Record<string, string>, examples: { query: string, variables?: string }[] }} */
const settings = JSON.parse(element("settings", HTMLScriptElement).text);

Object.assign(globalThis, {
  MonacoEnvironment: {
    globalAPI: false,
    /** @type {(module: string, label: string) => string | undefined} */
    getWorkerUrl: (_module, label) => settings.workers[label],
  },
});

// Gone with the browser tab, and never sent but in the header.
const key = sessionStorage.getItem(KEY_ITEM) ?? "";

const send = globalThis.fetch;
/**
 * Everything that GraphiQL sends, with the key. A header of the tab's own goes first.
 * @type {typeof fetch}
 */
globalThis.fetch = async (input, init) => {
  const request = new Request(input, init);
  if (!request.headers.has("Authorization")) {
    if (key === "") {
      return Response.json(
        { errors: [{ message: NO_KEY, extensions: { code: "UNAUTHENTICATED" } }] },
        { status: 401 },
      );
    }
    request.headers.set("Authorization", `Bearer ${key}`);
  }
  return send(request);
};

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const accepted = await check(field.value.trim());
  if (accepted) keep(field.value.trim());
});
element("forget", HTMLButtonElement).addEventListener("click", () => keep(""));
element("restore", HTMLButtonElement).addEventListener("click", () => {
  localStorage.removeItem("graphiql:tabState");
  location.reload();
});
// Deferred scripts run in order before this, so GraphiQL is there then.
document.addEventListener("DOMContentLoaded", async () => {
  field.value = key;
  renderGraphiql();
  await check(key);
});

/**
 * Begins anew with another key, so that GraphiQL reads the schema with it. Its tabs outlast that.
 * @param {string} newKey empty for none
 */
function keep(newKey) {
  if (newKey === "") sessionStorage.removeItem(KEY_ITEM);
  else sessionStorage.setItem(KEY_ITEM, newKey);
  location.reload();
}

/**
 * Asks the server about a key, and shows what it says. Resolves with whether it is a valid one.
 * @param {string} candidate
 */
async function check(candidate) {
  if (candidate === "") return show("missing", WHERE_FROM);
  if (!/^[\x21-\x7e]+$/.test(candidate)) {
    return show("refused", "A key is ASCII without spaces: was it copied whole?");
  }
  try {
    const answer = await send(ENDPOINT, {
      method: "POST",
      headers: {
        Accept: "application/json",
        Authorization: `Bearer ${candidate}`,
        "Content-Type": "application/json",
      },
      body: JSON.stringify({ query: "{ __typename }" }),
    });
    if (answer.status === 401) {
      return show("refused", "Key refused: this server has no such key, or it was revoked.");
    }
    if (answer.status >= 500) throw new Error(`the server answered with ${answer.status}`);
    return show("accepted", "Key accepted. It is kept until this tab closes.");
  } catch (error) {
    const reason = error instanceof Error ? error.message : error;
    return show("refused", `The key could not be checked: ${reason}.`);
  }
}

/**
 * @param {"missing" | "refused" | "accepted"} name
 * @param {string} text
 */
function show(name, text) {
  form.dataset.state = name;
  state.value = text;
  return name === "accepted";
}

function renderGraphiql() {
  const shared = new URLSearchParams(location.search).get("query");
  history.replaceState(null, "", ENDPOINT);
  const tab = shared === null ? activeTab() : { query: shared };
  // Kept besides its tabs. They are of the tab that was edited last, and would open as one more.
  for (const item of ["query", "variables"]) localStorage.removeItem(`graphiql:${item}`);

  Reflect.get(globalThis, "YogaGraphiQL").renderYogaGraphiQL(element("graphiql", HTMLElement), {
    endpoint: ENDPOINT,
    title: "Edgeplane",
    logo: "",
    defaultTabs: [...(shared === null ? [] : [{ query: shared }]), ...settings.examples],
    query: tab?.query ?? undefined,
    variables: tab?.variables ?? undefined,
    // Headers may hold a key, so they are not kept; and queries stay out of the URL.
    shouldPersistHeaders: false,
    onEditQuery: () => {},
  });
}

/**
 * The tab of GraphiQL's that was open last.
 * @returns {{ query?: string | null, variables?: string | null } | undefined}
 */
function activeTab() {
  try {
    const { tabs, activeTabIndex } = JSON.parse(localStorage.getItem("graphiql:tabState") ?? "{}");
    return tabs?.[activeTabIndex];
  } catch {
    return undefined;
  }
}

/**
 * @template {HTMLElement} T
 * @param {string} id
 * @param {new () => T} type
 * @returns {T}
 */
function element(id, type) {
  const found = document.getElementById(id);
  if (found instanceof type) return found;
  throw new Error(`The page has no ${id}.`);
}
