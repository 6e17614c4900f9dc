// What lets the browser install the page: the manifest, and the worker that keeps the page's files.

import { el } from "./dom.js";

let isDone = false;
let prompt = null;
let changed = () => {};

addEventListener("beforeinstallprompt", (event) => {
  event.preventDefault();
  prompt = event;
  changed();
});
addEventListener("appinstalled", () => { prompt = null; changed(); });

// Whether the browser offers to install the page now; `then` is called when that changes.
export const isInstallable = () => prompt !== null;
export const onInstallable = (then) => { changed = then; };
export const install = () => prompt?.prompt();

// Called when the list is complete: neither the manifest nor the worker may delay it. The worker is available only
// after the login.
export async function installApp() {
  if (isDone) return;
  isDone = true;
  document.head.append(el("link", { rel: "manifest", href: "assets/app.webmanifest" }),
    el("link", { rel: "apple-touch-icon", href: "assets/icon-192.png" }));
  try {
    await navigator.serviceWorker.register("worker.js");
    const { active } = await navigator.serviceWorker.ready;
    // This visit's files were loaded before there was a worker.
    const files = performance.getEntriesByType("resource").map(({ name }) => new URL(name));
    const { href } = new URL("assets/", location.href);
    active.postMessage(files.filter((file) => file.href.startsWith(href)).map(({ pathname }) => pathname));
  } catch {
    // A browser without workers, or one that allows none: the page works without it.
  }
}
