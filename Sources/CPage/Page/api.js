// The daemon's API: each call is one request, and each error says what to do.

export class Problem extends Error {
  constructor(status, body) {
    super(body.title || `the daemon answered ${status}`);
    this.status = status;
    this.code = body.code;
    this.detail = body.detail;
    this.advice = body.advice;
  }

  get text() {
    return [this.message + (this.detail ? ` - while ${this.detail}` : ""), this.advice].filter(Boolean).join("; ");
  }
}

// Called where the daemon wants to know who asks.
let whenLockedOut = () => {};
export const onLockedOut = (handler) => { whenLockedOut = handler; };

export async function request(method, path, body, headers = {}, signal = undefined) {
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
    throw new Problem(0, { title: "the daemon does not answer", advice: "look at pawl daemon status" });
  }
  if (answer.ok) return answer;
  const text = await answer.text();
  let problem = {};
  try { problem = JSON.parse(text); } catch { /* It is no daemon's. */ }
  if (answer.status === 401 && path !== "/v1/login") whenLockedOut();
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
export const login = (credentials) => json("POST", "/v1/login", credentials);
export const list = (query) => json("GET", `/v1/downloads?${new URLSearchParams(query)}`);

const select = (ids) => ({ targets: ids.map(String) });

export const act = (action, ids) => json("POST", `/v1/actions/${action}`, select(ids));

// Throws where something is still there that was to be thrown away.
export function checkRemoved({ notRemoved }) {
  if (!notRemoved) return;
  const reasons = notRemoved.map(({ problem }) => new Problem(0, problem).text);
  throw new Error(`Not all is off the disk: ${reasons.join("; ")}`);
}

export const change = (ids, changes) => json("POST", "/v1/changes", { selection: select(ids), changes });

// In requests that a TCP listener takes: 1 MiB each. With the same key nothing is added twice.
export async function add(downloads, key, whenAdded) {
  for (let index = 0; index < downloads.length; index += 250) {
    const part = downloads.slice(index, index + 250);
    const headers = { "Idempotency-Key": key(JSON.stringify(part)) };
    whenAdded((await json("POST", "/v1/downloads", { downloads: part }, headers)).downloads, part.length);
  }
}
