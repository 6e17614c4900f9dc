// Keeps the files of the page itself, so that the installed page opens while the daemon does not run. It keeps no
// response of the API, and does not touch requests to it.

const shell = "pawl-shell";
// The path of the page, which may be below that of a proxy.
const base = new URL("./", location.href).pathname;
// The time that the daemon has to send the page before the kept one is shown.
const patienceMilliseconds = 5_000;

async function keep(path, signal) {
  const answer = await fetch(path, { cache: "no-cache", signal });
  if (answer.ok) {
    const copy = answer.clone();
    // If the body breaks off, the kept copy is better.
    await answer.clone().arrayBuffer();
    await caches.open(shell).then((cache) => cache.put(path, copy)).catch(() => {});
  }
  return answer;
}

// The pages that were opened while the daemon did not respond. They get all files as they were kept, without asking the
// daemon for each one.
const alone = new Set();

const kept = async (path) => (await caches.match(path)) ?? Response.error();

// The newest version of the page; the kept one if the daemon does not respond.
async function open(path, client) {
  try {
    return await keep(path, AbortSignal.timeout(patienceMilliseconds));
  } catch {
    alone.add(client);
    return kept(path);
  }
}

async function load(path, client) {
  const copy = alone.has(client) ? await caches.match(path) : null;
  return copy ?? keep(path).catch(() => kept(path));
}

self.addEventListener("install", () => self.skipWaiting());

// Keeps the files that a page has loaded before there was a worker; the page itself last, because it is of no use without
// its files.
self.addEventListener("message", (event) => {
  if (!Array.isArray(event.data)) return;
  event.waitUntil(Promise.all(event.data.map((path) => keep(path))).then(() => keep(base)).catch(() => {}));
});

self.addEventListener("fetch", (event) => {
  const { method, url, mode } = event.request;
  const { origin, pathname } = new URL(url);
  if (method !== "GET" || origin !== location.origin) return;
  if (mode === "navigate" && pathname === base) event.respondWith(open(pathname, event.resultingClientId));
  else if (pathname.startsWith(`${base}assets/`)) event.respondWith(load(pathname, event.clientId));
});
