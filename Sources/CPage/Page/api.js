// The daemon's API. Each call is one request; each error has advice.

import { t } from "./i18n.js";

export class Problem extends Error {
  constructor(status, body) {
    super(body.title || t("error.status", { text: String(status) }));
    this.status = status;
    this.code = body.code;
    this.detail = body.detail;
    this.advice = body.advice;
  }

  get text() {
    return [this.message + (this.detail ? ` - ${t("error.while", { text: this.detail })}` : ""), this.advice].filter(Boolean).join("; ");
  }
}

// Called when the daemon requires a login.
let unauthorized = () => {};
export const onUnauthorized = (handler) => { unauthorized = handler; };

// The login that is under way. Other requests wait for it: without the cookie they would be refused.
let loggingIn = Promise.resolve();

// `path` is that of the API. The page may be served under a path of a proxy, so the request is relative to the page.
export async function request(method, path, body, headers = {}, signal = undefined) {
  if (path !== "/v1/login") await loggingIn;
  const options = { method, headers: { Accept: "application/json", ...headers }, signal, cache: "no-store" };
  if (body !== undefined) {
    options.body = JSON.stringify(body);
    options.headers["Content-Type"] = "application/json";
  }
  let answer;
  try {
    answer = await fetch(`.${path}`, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem(0, { title: t("error.silent"), advice: t("error.silentAdvice") });
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
// The newest events of a download, or those before another event; `next` is the value of `before` for earlier ones.
export const eventsOf = (id, before) => json("GET", `/v1/downloads/${id}/events${before ? `?before=${before}` : ""}`);
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
  throw new Error(t("remove.kept", { text: reasons.join("; ") }));
}

// Puts back the downloads or the feed of the newest removal; nothing if it is too late.
export const undo = () => json("POST", "/v1/undo");

export const change = (ids, changes) => json("POST", "/v1/changes", { selection: select(ids), changes });

// All labels, sorted by name.
export async function labels() {
  const found = [];
  let after = "";
  do {
    const page = await json("GET", `/v1/labels?${new URLSearchParams({ limit: 1000, ...(after && { after }) })}`);
    found.push(...page.labels);
    after = page.next;
  } while (after !== undefined);
  return found;
}
export const setLabel = (settings) => json("POST", "/v1/labels", settings);
export const removeLabel = (name) => json("DELETE", `/v1/labels?${new URLSearchParams({ label: name })}`);

export const fleet = () => json("GET", "/v1/fleet");
export const drainNode = (name) => json("POST", `/v1/fleet/drain?${new URLSearchParams({ node: name })}`);

export const feeds = async () => (await json("GET", "/v1/feeds")).feeds;
export const addFeed = (feed, key) => json("POST", "/v1/feeds", feed, { "Idempotency-Key": key });
export const changeFeed = (id, changes) => json("PATCH", `/v1/feeds/${id}`, changes);
export const removeFeed = (id) => json("DELETE", `/v1/feeds/${id}`);
// Responds when the check is done, even if the feed cannot be read.
export const checkFeed = (id) => json("POST", `/v1/feeds/${id}/check`);

// Adds all of these downloads or none. The same key adds nothing twice.
export const add = (downloads, key) => json("POST", "/v1/downloads", { downloads }, { "Idempotency-Key": key(JSON.stringify(downloads)) });
