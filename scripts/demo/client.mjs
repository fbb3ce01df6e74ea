// @ts-check

/** What every resource has; the rest depends on its kind. */
/** @typedef {{ id: string, description: string, metadata: string } & Record<string, unknown>} Resource */

/** What a resource is made of, in the spelling of REST. */
/** @typedef {{ description: string, metadata?: object } & Record<string, unknown>} Fields */

/** What happened to one resource: `type` and `action` as GraphQL names them. */
/** @typedef {{ action: "CREATED" | "UPDATED" | "DELETED", type: string, resourceId: string, label: string }} Change */

/** A refusal, with what the service says about it. */
export class ApiError extends Error {
  /**
   * @param {string} request
   * @param {number} status
   * @param {string} msg
   * @param {string[]} [details]
   */
  constructor(request, status, msg, details = []) {
    const lines = details.map((detail) => `  ${detail}`);
    super([`${request} was answered with ${status}: ${msg}`, ...lines].join("\n"));
    this.name = "ApiError";
    this.status = status;
    this.msg = msg;
  }
}

/** A client of both transports that makes only what is not there yet. */
export class Client {
  #url;
  #headers;
  /** @type {Map<string, Promise<Resource[]>>} */
  #lists = new Map();

  /** Called with every change that was made. */
  /** @type {(change: Change) => void} */
  onChange = () => {};

  /**
   * @param {string} url where the service is, without a slash at the end
   * @param {string} apiKey
   */
  constructor(url, apiKey) {
    this.#url = url;
    this.#headers = {
      Authorization: `Bearer ${apiKey}`,
      "Content-Type": "application/json",
      "Service-Version": "2",
    };
  }

  /** @param {string} path */
  get(path) {
    return this.#send("GET", path);
  }

  /**
   * Brings a resource and its parts into a state, under a key. Returns its id.
   * @param {"Backend" | "HttpsEdge" | "TlsEdge" | "TcpEdge" | "IpPolicy"} kind
   * @param {string} key
   * @param {object} input
   */
  async apply(kind, key, input) {
    const field = kind.charAt(0).toLowerCase() + kind.slice(1);
    const { resource, changes } = await this.#mutate(
      `mutation Apply($key: String!, $input: Apply${kind}Input!) {
        result: apply${kind}(key: $key, input: $input) {
          resource: ${field} { id }
          changes { action type resourceId label }
        }
      }`,
      { key: `demo/${key}`, input },
    );
    for (const change of changes) this.onChange(change);
    return resource.id;
  }

  /**
   * The resource that an earlier run made as `name`, which it finds by its metadata, or else a new one.
   * @param {string} path of the list
   * @param {string} type as GraphQL names it
   * @param {string} name unique in the list
   * @param {Fields} fields
   */
  async ensure(path, type, name, fields) {
    const list = this.#lists.get(path) ?? this.#listOf(path);
    this.#lists.set(path, list);
    const known = (await list).find(({ metadata }) => nameIn(metadata) === name);
    if (known) return known;
    const body = { ...fields, metadata: JSON.stringify({ demo: name, ...fields.metadata }) };
    /** @type {Resource} */
    const made = await this.#send("POST", path, body);
    this.onChange({ action: "CREATED", type, resourceId: made.id, label: made.description });
    return made;
  }

  /**
   * The result of a mutation under the alias `result`.
   * @param {string} query
   * @param {object} variables
   * @returns {Promise<{ resource: { id: string }, changes: Change[] }>}
   */
  async #mutate(query, variables) {
    const { data, errors } = await this.#send("POST", "/graphql", { query, variables });
    if (!errors) return data.result;
    const [{ message, extensions }] = errors;
    const [name] = /\bapply\w+/.exec(query) ?? [];
    throw new Error(`${name} was refused with ${extensions.code}: ${message}`);
  }

  /**
   * All pages of a list.
   * @param {string} path
   * @returns {Promise<Resource[]>}
   */
  async #listOf(path) {
    const resources = [];
    for (let query = "?limit=100"; ; ) {
      const page = await this.#send("GET", path + query);
      resources.push(...Object.values(page).filter(Array.isArray).flat());
      if (page.next_page_uri === null) return resources;
      query = new URL(page.next_page_uri).search;
    }
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {object} [body]
   */
  async #send(method, path, body) {
    const response = await fetch(this.#url + path, {
      method,
      headers: this.#headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (response.ok) return JSON.parse(text);
    const { msg, details } = refusalIn(text);
    throw new ApiError(`${method} ${path}`, response.status, msg, details);
  }
}

/**
 * The name under which the demo has made a resource.
 * @param {string} metadata
 */
function nameIn(metadata) {
  try {
    return JSON.parse(metadata)?.demo;
  } catch {
    return undefined;
  }
}

/**
 * What a refusal says over either transport. A proxy in between answers in other formats.
 * @param {string} text
 */
function refusalIn(text) {
  try {
    const { msg, details = {}, errors } = JSON.parse(text);
    if (errors) return { msg: errors[0].message };
    return {
      msg: msg ?? text,
      details: Object.entries(details).map(([name, detail]) => `${name}: ${detail}`),
    };
  } catch {
    return { msg: text };
  }
}
