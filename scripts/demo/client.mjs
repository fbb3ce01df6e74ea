// @ts-check

/** What every resource has; the rest depends on its kind. */
/** @typedef {{ id: string, uri: string, description: string } & Record<string, unknown>} Resource */

/** An answer other than 2xx, with what the service says about it. */
export class ApiError extends Error {
  /**
   * @param {string} request
   * @param {number} status
   * @param {string} text the body
   */
  constructor(request, status, text) {
    const { msg = text, details = {} } = parse(text);
    const lines = Object.entries(details).map(([name, detail]) => `  ${name}: ${detail}`);
    super([`${request} was answered with ${status}: ${msg}`, ...lines].join("\n"));
    this.name = "ApiError";
    this.status = status;
    this.msg = msg;
  }
}

/** A client of the REST API. */
export class Client {
  #url;
  #headers;

  /** Called with the path and the answer of every resource that is created. */
  /** @type {(path: string, resource: Resource) => void} */
  onCreate = () => {};

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
   * @param {string} path of the list that gets one more
   * @param {object} body
   */
  async create(path, body) {
    const resource = await this.#send("POST", path, body);
    this.onCreate(path, resource);
    return resource;
  }

  /**
   * Changes the fields that are given.
   * @param {string} path
   * @param {object} body
   */
  update(path, body) {
    return this.#send("PATCH", path, body);
  }

  /**
   * Sets a whole module.
   * @param {string} path
   * @param {object} body
   */
  replace(path, body) {
    return this.#send("PUT", path, body);
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {object} [body]
   * @returns {Promise<Resource>}
   */
  async #send(method, path, body) {
    const response = await fetch(this.#url + path, {
      method,
      headers: this.#headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new ApiError(`${method} ${path}`, response.status, text);
    return JSON.parse(text);
  }
}

/**
 * @param {string} text
 * @returns {{ msg?: string, details?: Record<string, string> }}
 */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {}; // A proxy in between answers in other formats.
  }
}
