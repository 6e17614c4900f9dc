// Keeps the files of the page itself, so that the installed page opens while the daemon does not run. It keeps no
// response of the API, and does not touch requests to it.

const shell = "pawl-shell";
// The path of the page, which may be below that of a proxy.
const base = new URL("./", location.href).pathname;

async function keep(path) {
  const answer = await fetch(path, { cache: "no-cache" });
  if (answer.ok) {
    const copy = answer.clone();
    await caches.open(shell).then((cache) => cache.put(path, copy)).catch(() => {});
  }
  return answer;
}

// The newest version; the kept one if the daemon does not respond.
async function load(path) {
  try {
    return await keep(path);
  } catch {
    return (await caches.match(path)) ?? Response.error();
  }
}

self.addEventListener("install", (event) => {
  self.skipWaiting();
  event.waitUntil(keep(base));
});

self.addEventListener("message", (event) => {
  if (Array.isArray(event.data)) event.waitUntil(Promise.allSettled(event.data.map((path) => keep(path))));
});

self.addEventListener("fetch", (event) => {
  const { method, url, mode } = event.request;
  const { origin, pathname } = new URL(url);
  if (method !== "GET" || origin !== location.origin) return;
  if (pathname.startsWith(`${base}assets/`) || (mode === "navigate" && pathname === base)) event.respondWith(load(pathname));
});
