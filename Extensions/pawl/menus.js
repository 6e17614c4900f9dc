// The context menu and the button: what the user hands over.

import { add, Problem } from "./host.js";
import { reportFailure, reportSuccess } from "./reports.js";
import { cookiesFor, fetchable, referrerFor, requestFor } from "./request.js";

const fetchablePatterns = ["http://*/*", "https://*/*", "ftp://*/*"];

const entries = [
  { id: "link", title: "Download link with Pawl", targetUrlPatterns: fetchablePatterns },
  { id: "image", title: "Download image with Pawl", targetUrlPatterns: fetchablePatterns },
  { id: "video", title: "Download video with Pawl", targetUrlPatterns: fetchablePatterns },
  { id: "audio", title: "Download audio with Pawl", targetUrlPatterns: fetchablePatterns },
  { id: "selection", title: "Download links in selection with Pawl" },
  { id: "page", title: "Download page with Pawl", documentUrlPatterns: fetchablePatterns },
];

export async function create() {
  await chrome.contextMenus.removeAll();
  for (const entry of entries) chrome.contextMenus.create({ ...entry, contexts: [entry.id] });
}

export function watch() {
  chrome.contextMenus.onClicked.addListener((info, tab) => attempt(() => chosen(info, tab)));
  chrome.action.onClicked.addListener((tab) => attempt(() => handOver([tab.url], { storeId: tab.cookieStoreId })));
}

async function attempt(work) {
  try {
    await work();
  } catch (problem) {
    await reportFailure(problem);
  }
}

async function chosen(info, tab) {
  const storeId = tab?.cookieStoreId;
  const from = info.frameUrl || info.pageUrl;
  switch (info.menuItemId) {
    case "link": return handOver([info.linkUrl], { from, storeId });
    case "page": return handOver([from], { storeId });
    case "selection": return handOver(await selectedURLs(info, tab), { from, storeId });
    // The page at the top decides which partitioned cookies its images and videos get.
    default: return handOver([info.srcUrl], { from, page: info.pageUrl, storeId });
  }
}

async function handOver(urls, { from, page, storeId } = {}) {
  const usable = [...new Set(urls.map(fetchable).filter(Boolean))];
  if (!usable.length) {
    throw new Problem({
      title: "There is nothing that Pawl can download", advice: "choose a link that begins with http",
    });
  }
  const requests = await Promise.all(usable.map(async (url) => requestFor(url, {
    referrer: referrerFor(from, url), cookies: await cookiesFor(url, { page, storeId }),
  })));
  const added = await add(requests);
  await reportSuccess(added.length);
}

// MARK: The selection

// Runs in the page: the links that the selection touches, and its text.
function readSelection() {
  const selection = getSelection();
  const all = [...document.querySelectorAll("a[href], area[href]")];
  const links = all.filter((link) => selection.containsNode(link, true)).map((link) => link.href);
  return { links, text: selection.toString() };
}

async function selectedURLs(info, tab) {
  let found = { links: [], text: info.selectionText ?? "" };
  try {
    const target = { tabId: tab.id, frameIds: [info.frameId ?? 0] };
    const [{ result }] = await chrome.scripting.executeScript({ target, func: readSelection });
    found = { links: result.links, text: result.text || found.text };
  } catch { /* The extension may not read this page: the browser has given the text. */ }
  return [...found.links, ...urlsIn(found.text)];
}

// The URLs in a text, without the punctuation of the sentence around them.
export function urlsIn(text) {
  const found = text.match(/\b(?:https?|ftps?|ftpes|sftp):\/\/[^\s<>"“”]+/gi) ?? [];
  return found.map((url) => {
    const end = url.includes("(") ? /[.,;:!?'\]}]+$/ : /[.,;:!?'\]})]+$/;
    return url.replace(end, "");
  });
}
