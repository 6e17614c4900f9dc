// Builds the request for a URL, as the browser would send it.

// The URL without its fragment, if a program outside of the browser can fetch it; null for `blob:`, `data:` and others.
export function fetchable(url) {
  if (!/^(https?|ftps?|ftpes|sftp):\/\//i.test(url ?? "") || !URL.canParse(url)) return null;
  return url.replace(/#.*$/s, "");
}

const isWeb = (url) => /^https?:/i.test(url);

// The request for the native host. `referrer` is sent as it is; without `cookies`, none are sent.
export function requestFor(url, { referrer, cookies = [], fileName } = {}) {
  const request = { url };
  if (isWeb(url)) {
    request.userAgent = navigator.userAgent;
    if (cookies.length) request.cookies = cookieText(cookies);
    if (referrer && isWeb(referrer)) request.referrer = referrer;
  }
  if (fileName) request.fileName = fileName;
  return request;
}

// The value of the `Cookie` field (RFC 6265 §5.4): longer paths first.
function cookieText(cookies) {
  const ordered = cookies.toSorted((left, right) => right.path.length - left.path.length);
  return ordered.map(({ name, value }) => (name ? `${name}=${value}` : value)).join("; ");
}

// Whether the user lets the extension read the cookies of a URL. Firefox asks; Chromium can restrict it per site.
export async function hasAccess(url) {
  const { protocol, hostname } = new URL(url);
  return chrome.permissions.contains({ origins: [`${protocol}//${hostname}/*`] });
}

// The cookies for a URL, including those that are partitioned by the site at the top: `page`, or that of the URL itself.
// `storeId` names a container of Firefox.
export async function cookiesFor(url, { page = url, storeId } = {}) {
  if (!isWeb(url) || !(await hasAccess(url))) return [];
  const where = storeId ? { url, storeId } : { url };
  const sites = new Set([url, page].filter(isWeb).map((each) => new URL(each).origin));
  const lists = await Promise.all([
    chrome.cookies.getAll(where),
    ...[...sites].map((topLevelSite) => chrome.cookies.getAll({ ...where, partitionKey: { topLevelSite } })),
  ]);
  const key = ({ name, domain, path, partitionKey }) =>
    JSON.stringify([name, domain, path, partitionKey?.topLevelSite]);
  return [...new Map(lists.flat().map((cookie) => [key(cookie), cookie])).values()];
}

// The `Referer` of a link on a page, by the browsers' default policy, `strict-origin-when-cross-origin`.
export function referrerFor(page, url) {
  if (!isWeb(page ?? "") || !isWeb(url)) return undefined;
  const from = new URL(page), to = new URL(url);
  if (from.protocol === "https:" && to.protocol === "http:") return undefined;
  if (from.origin !== to.origin) return `${from.origin}/`;
  from.hash = from.username = from.password = "";
  return from.href;
}
