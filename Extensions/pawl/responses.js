// The responses that the browser has just received. A download says neither with which method it was requested nor
// from which address it comes.

const most = 50;
const patienceMilliseconds = 500;
const recent = new Map();
// The functions to call with the next response for a URL.
const waiting = new Map();

const key = (url) => url.replace(/#.*$/s, "");

export function watch() {
  // A link with the attribute `download` causes a request of the type `other`.
  const filter = { urls: ["http://*/*", "https://*/*"], types: ["main_frame", "sub_frame", "other"] };
  // The page of a form may have the same URL as the response to the form.
  chrome.webRequest.onBeforeRequest.addListener(({ url }) => { recent.delete(key(url)); }, filter);
  chrome.webRequest.onResponseStarted.addListener(record, filter);
}

// Chromium names the page that sent the request `initiator`, and Firefox `originUrl`. Without one, the user did it.
function record({ url, method, ip, initiator, originUrl }) {
  const response = { method, address: ip, initiator: initiator ?? originUrl };
  recent.delete(key(url));
  recent.set(key(url), response);
  if (recent.size > most) recent.delete(recent.keys().next().value);
  waiting.get(key(url))?.(response);
}

// The response for a URL; undefined if the network has sent none, but, for example, a service worker of the page.
// Firefox reports a download before its response.
export function responseFor(url) {
  if (recent.has(key(url))) return recent.get(key(url));
  return new Promise((resolve) => {
    const timer = setTimeout(() => finish(undefined), patienceMilliseconds);
    const previous = waiting.get(key(url));
    const finish = (response) => {
      clearTimeout(timer);
      if (waiting.get(key(url)) === finish) waiting.delete(key(url));
      previous?.(response);
      resolve(response);
    };
    waiting.set(key(url), finish);
  });
}
