// The daemon's API. Each call is one request; each error has advice.

export class Problem extends Error {
  constructor(status, body) {
    super(body.title || `The daemon returned HTTP status ${status}`);
    this.status = status;
    this.code = body.code;
    this.detail = body.detail;
    this.advice = body.advice;
  }

  get text() {
    return [this.message + (this.detail ? ` - while ${this.detail}` : ""), this.advice].filter(Boolean).join("; ");
  }
}

// Called when the daemon requires a login.
let unauthorized = () => {};
export const onUnauthorized = (handler) => { unauthorized = handler; };

// The login that is under way. Other requests wait for it: without the cookie they would be refused.
let loggingIn = Promise.resolve();

export async function request(method, path, body, headers = {}, signal = undefined) {
  if (path !== "/v1/login") await loggingIn;
  const options = { method, headers: { Accept: "application/json", ...headers }, signal, cache: "no-store" };
  if (body !== undefined) {
    options.body = JSON.stringify(body);
    options.headers["Content-Type"] = "application/json";
  }
  let answer;
  try {
    answer = await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem(0, { title: "The daemon does not respond", advice: "run pawl daemon status" });
  }
  if (answer.ok) return answer;
  const text = await answer.text();
  let problem = {};
  try { problem = JSON.parse(text); } catch { /* Not a response of the daemon. */ }
  if (answer.status === 401 && path !== "/v1/login") unauthorized();
  throw new Problem(answer.status, problem);
}

async function json(method, path, body, headers) {
  const answer = await request(method, path, body, headers);
  return answer.status === 204 ? null : answer.json();
}

export const status = () => json("GET", "/v1/status");
export const segments = (id) => json("GET", `/v1/downloads/${id}/segments`);
export const eventsOf = async (id) => (await json("GET", `/v1/downloads/${id}/events`)).events;
export const settings = () => json("GET", "/v1/settings");
export const changeSettings = (changes) => json("PATCH", "/v1/settings", changes);
export function login(credentials) {
  const answer = json("POST", "/v1/login", credentials);
  loggingIn = answer.catch(() => {});
  return answer;
}
export const list = (query) => json("GET", `/v1/downloads?${new URLSearchParams(query)}`);

const select = (ids) => ({ targets: ids.map(String) });

export const act = (action, ids) => json("POST", `/v1/actions/${action}`, select(ids));

export const actOnAll = (action, states) => json("POST", `/v1/actions/${action}`, { all: true, states });

// Throws if files could not be deleted.
export function checkRemoved({ notRemoved }) {
  if (!notRemoved) return;
  const reasons = notRemoved.map(({ problem }) => new Problem(0, problem).text);
  throw new Error(`Some files were not deleted: ${reasons.join("; ")}`);
}

export const change = (ids, changes) => json("POST", "/v1/changes", { selection: select(ids), changes });

// Splits the downloads into requests below the 1 MiB that the TCP listener accepts. The same key adds nothing twice.
export async function add(downloads, key, whenAdded) {
  for (let index = 0; index < downloads.length; index += 250) {
    const part = downloads.slice(index, index + 250);
    const headers = { "Idempotency-Key": key(JSON.stringify(part)) };
    whenAdded((await json("POST", "/v1/downloads", { downloads: part }, headers)).downloads, part.length);
  }
}
