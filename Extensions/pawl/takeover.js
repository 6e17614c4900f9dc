// Takes over downloads that the browser begins. The browser keeps each of them until the daemon has confirmed that it
// has the download.

import { add } from "./host.js";
import { hostOf, isListed, isPrivate } from "./hosts.js";
import { reportFailure } from "./reports.js";
import { cookiesFor, fetchable, hasAccess, requestFor } from "./request.js";
import { responseFor } from "./responses.js";
import { load } from "./settings.js";

// Chromium warns of the others, or examines them.
const harmless = ["safe", "accepted", "file"];

// Why a download stays with the browser; null if it can be taken over.
export function reasonToKeep(item, settings) {
  if (!settings.takesOver) return "the user has turned this off";
  const url = item.finalUrl || item.url;
  if (!/^https?:\/\//i.test(url)) return "only the browser has the data";
  if (item.byExtensionId) return "another extension has started it";
  if (item.incognito) return "it belongs to a private window";
  if (item.state !== "in_progress" || item.paused) return "it does not run";
  if (item.danger && !harmless.includes(item.danger)) return "the browser warns of it";
  if (/^(text\/html|application\/xhtml\+xml|multipart\/related)\b/i.test(item.mime ?? "")) return "it is a page";
  const size = Math.max(item.totalBytes ?? 0, item.fileSize ?? 0);
  if (size > 0 && size < settings.minimumBytes) return "it is small";
  const hosts = [hostOf(url), hostOf(item.referrer)];
  if (hosts.some((host) => isListed(host, settings.excludedHosts))) return "its host is excluded";
  return null;
}

// Why a download with this response stays with the browser; null if it can be taken over.
export function reasonToKeepResponse(url, response, settings) {
  // It was made by the page's service worker, or began before the extension did.
  if (!response) return "it did not come from the network";
  if (response.method !== "GET") return "it answers a form";
  const addresses = [hostOf(url), response.address].filter(Boolean);
  if (!settings.fromPrivateAddresses && addresses.some(isPrivate)) return "its address is private";
  return null;
}

// The browser does not send these cookies with a request that a page of another site has caused.
function isWithheld(cookie, initiator) {
  if (cookie.sameSite !== "strict" || !initiator) return false;
  const from = hostOf(initiator), domain = cookie.domain.replace(/^\./, "");
  return from !== domain && !from.endsWith(`.${domain}`) && !domain.endsWith(`.${from}`);
}

// Hands a download over; returns whether the browser no longer has it.
export async function takeOver({ id, ...item }, fileName) {
  const settings = await load();
  if (reasonToKeep(item, settings)) return false;
  const url = fetchable(item.finalUrl || item.url);
  const response = await responseFor(url);
  // Without its cookies, the server might send a login page.
  if (reasonToKeepResponse(url, response, settings) || !(await hasAccess(url))) return false;
  const cookies = await cookiesFor(url, { storeId: item.cookieStoreId });
  if (cookies.some((cookie) => isWithheld(cookie, response.initiator))) return false;
  // Firefox learns the size only now.
  const [current] = await chrome.downloads.search({ id });
  if (!current || reasonToKeep(current, settings)) return false;
  try {
    await add([requestFor(url, { referrer: item.referrer, cookies, fileName })]);
  } catch (problem) {
    await reportFailure(problem, { once: true });
    return false;
  }
  return endInBrowser(id);
}

// If the browser has completed the file in the meantime, the user has it twice, and nothing is deleted.
async function endInBrowser(id) {
  try {
    await chrome.downloads.cancel(id);
  } catch { /* It has ended. */ }
  const [item] = await chrome.downloads.search({ id });
  if (item?.state === "complete") return false;
  if (item) await chrome.downloads.erase({ id });
  return true;
}

export function watch() {
  // One that fails stays with the browser.
  const attempt = (item) => takeOver(item, item.filename.split(/[/\\]/).at(-1))
    .catch((error) => { console.error(error); return false; });
  const { onCreated, onDeterminingFilename } = chrome.downloads;
  if (onDeterminingFilename) {
    // Chromium asks for the name before it shows a dialog. For 15 seconds, the download does not complete without it.
    onDeterminingFilename.addListener((item, suggest) => {
      attempt(item).then((isTaken) => { if (!isTaken) suggest(); });
      return true;
    });
  } else {
    onCreated.addListener(attempt);
  }
}
