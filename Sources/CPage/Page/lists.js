// Reads what the Add form accepts: URLs, and lists in the format of aria2. A Metalink is turned into such a list, so
// that the user sees everything before it is added.
//
//     https://one.example/disk.iso<TAB>https://two.example/disk.iso
//       out=disk.iso
//       checksum=sha256=…

import { t } from "./i18n.js";

const mebibyte = 1 << 20;
// `URL` would also accept `http:host`.
const isURL = (text) => /^(https?|ftps?|ftpes|sftp):\/\//i.test(text) && URL.canParse(text);
const isOption = (line) => /^\s+[a-z0-9-]+\s*=/i.test(line) && !isURL(line.trim());

// Whether a destination is in a bucket.
export const isObject = (text) => /^s3:\/\//i.test(text);

// The destination in a folder: a name is not percent-encoded, but the URL of an object is.
export function joined(folder, name) {
  if (isObject(name)) return name;
  return folder + (isObject(folder) ? name.split("/").map(encodeURIComponent).join("/") : name);
}

export class ListError extends Error {}

function rate(text) {
  const match = /^(\d+(?:\.\d+)?)\s*([kmg]?)(?:i?b)?(?:\/s)?$/i.exec(text);
  if (!match) throw new ListError(t("list.rate", { text }));
  return Math.round(Number(match[1]) * 1024 ** " kmg".indexOf(match[2].toLowerCase() || " "));
}

function whole(text) {
  if (!/^\d{1,15}$/.test(text)) throw new ListError(t("list.number", { text }));
  return Number(text);
}

export function headerField(text) {
  const colon = text.indexOf(":");
  if (colon < 1) throw new ListError(t("list.header", { text: text.slice(0, 60) }));
  return { name: text.slice(0, colon).trim(), value: text.slice(colon + 1).trim() };
}

// `sha-256=…` of aria2 is `sha256=…` of the API.
const checksum = (text) => text.replace(/^sha-(\d+)/i, "sha$1");

// What each option of a list does to an entry: the names of aria2, and those of pawl.
const options = {
  out: (entry, text) => { entry.name = text; },
  dir: (entry, text) => { entry.folder = text; },
  header: (entry, text) => { (entry.settings.fields ??= []).push(headerField(text)); },
  checksum: (entry, text) => { entry.settings.checksum = checksum(text); },
  mirror: (entry, text) => { (entry.settings.mirrors ??= []).push(text); },
  referer: (entry, text) => { entry.settings.referer = text; },
  "user-agent": (entry, text) => { entry.settings.userAgent = text; },
  "max-connection-per-server": (entry, text) => { entry.settings.connections = whole(text); },
  "max-download-limit": (entry, text) => { entry.settings.limitBytesPerSecond = rate(text); },
  "all-proxy": (entry, text) => { entry.settings.proxy = text; },
  size: (entry, text) => { entry.settings.expectedSize = whole(text); },
  pause: (entry, text) => { entry.isPaused = text === "true"; },
  "http-user": (entry, text) => { entry.settings.credentials = { password: "", ...entry.settings.credentials, name: text }; },
  "http-passwd": (entry, text) => { entry.settings.credentials = { name: "", ...entry.settings.credentials, password: text }; },
};
Object.assign(options, {
  output: options.out, directory: options.dir, connections: options["max-connection-per-server"],
  limit: options["max-download-limit"], proxy: options["all-proxy"],
  "http-proxy": options["all-proxy"], "https-proxy": options["all-proxy"],
});
// Options of aria2 that Pawl does not need: it decides by itself.
const ignored = new Set(["gid", "split", "max-tries", "continue", "file-allocation", "min-split-size",
  "auto-file-renaming", "always-resume", "allow-piece-length-change", "piece-length", "check-integrity",
  "conditional-get", "uri-selector", "stream-piece-selector"]);

// Reads an option into the entry of an item. The item becomes invalid if the option means nothing.
function addOption(item, line) {
  item.raw += `\n${line.trimEnd()}`;
  if (!item.entry) return;
  const mark = line.indexOf("=");
  const key = line.slice(0, mark).trim().toLowerCase(), value = line.slice(mark + 1).trim();
  try {
    if (Object.hasOwn(options, key)) options[key](item.entry, value);
    else if (!ignored.has(key)) throw new ListError(t("list.option", { text: key }));
  } catch (error) {
    if (!(error instanceof ListError)) throw error;
    Object.assign(item, { entry: null, problem: error.message });
  }
}

function itemOf(raw, urls = [raw]) {
  const bad = urls.find((url) => !isURL(url));
  if (bad !== undefined) return { raw, problem: t("list.notURL", { text: bad.slice(0, 80) }), bad };
  const [url, ...mirrors] = urls;
  return { raw, entry: { url, settings: mirrors.length ? { mirrors } : {} } };
}

// Returns the items of a text in their order: { raw, entry } or { raw, problem }. An entry is { url, settings, name,
// folder, isPaused }. Comments are left out, and so is what is there twice.
export function parseList(text) {
  const items = [];
  for (const line of text.split(/\r?\n/)) {
    const content = line.trim();
    if (!content || content.startsWith("#")) continue;
    if (items.length && isOption(line)) { addOption(items.at(-1), line); continue; }
    const cells = content.split("\t").map((cell) => cell.trim()).filter(Boolean);
    // URLs that tabs separate are of one file.
    if (cells.length > 1 && !cells.some((cell) => /\s/.test(cell))) items.push(itemOf(cells.join("\t"), cells));
    else for (const each of content.split(/\s+/)) items.push(itemOf(each));
  }
  const seen = new Set();
  return items.filter(({ raw }) => !seen.has(raw) && seen.add(raw));
}

export const listText = (items) => items.map(({ raw }) => raw).join("\n");

// MARK: Files

const strength = ["md5", "sha1", "sha256", "sha384", "sha512"];
const mostMirrors = 20;

const children = (node, name) => [...node.children].filter((child) => child.localName === name);
const descendants = (node, name) => [...node.getElementsByTagNameNS("*", name)];

// The name of a file within the folder; one that leads out of it is reduced to its last part.
function safeName(name) {
  const parts = name.split("/").filter((part) => part && part !== ".");
  return name.startsWith("/") || parts.includes("..") ? parts.at(-1) : parts.join("/");
}

// The file's URLs, best first: version 4 has `priority`, 1 is best; version 3 has `preference`, 100 is best.
function sources(file) {
  const rank = (node) => {
    if (node.hasAttribute("priority")) return Number(node.getAttribute("priority")) || 999_999;
    return node.hasAttribute("preference") ? 101 - (Number(node.getAttribute("preference")) || 0) : 999_999;
  };
  return descendants(file, "url")
    .filter((node) => isURL(node.textContent.trim()) && !/torrent/i.test(node.getAttribute("type") ?? ""))
    .map((node, index) => ({ url: node.textContent.trim(), rank: rank(node), index }))
    .sort((a, b) => a.rank - b.rank || a.index - b.index)
    .map(({ url }) => url);
}

function digest(file) {
  const hashes = [...children(file, "hash"), ...children(file, "verification").flatMap((node) => children(node, "hash"))]
    .map((node) => [node.getAttribute("type")?.toLowerCase().replace("-", ""), node.textContent.trim().toLowerCase()])
    .filter(([type, text]) => strength.includes(type) && /^[0-9a-f]+$/.test(text));
  return hashes.sort(([a], [b]) => strength.indexOf(b) - strength.indexOf(a))[0];
}

// Turns a Metalink (version 3 or 4) into a list.
export function readMetalink(text) {
  const { documentElement: root } = new DOMParser().parseFromString(text, "text/xml");
  // A parser reports an error as an element, in place of the document or within it.
  const isBroken = descendants(root, "parsererror").length > 0;
  if (root.localName !== "metalink" || isBroken) throw new ListError(t("list.metalink"));
  const lines = [];
  for (const file of descendants(root, "file")) {
    const urls = sources(file);
    if (!urls.length) continue;
    lines.push(urls.slice(0, 1 + mostMirrors).join("\t"));
    const name = safeName(file.getAttribute("name") ?? "");
    if (name) lines.push(`  out=${name.replace(/[\r\n]/g, " ")}`);
    const size = children(file, "size")[0]?.textContent.trim() ?? "";
    if (/^\d+$/.test(size)) lines.push(`  size=${size}`);
    const best = digest(file);
    if (best) lines.push(`  checksum=${best.join("=")}`);
  }
  if (!lines.length) throw new ListError(t("list.noFiles"));
  return lines.join("\n");
}

// Reads dropped or chosen files: Metalinks, lists of aria2, lists of URLs, shortcuts to web pages.
export async function readFiles(files) {
  const texts = [];
  for (const file of files) {
    if (file.size > 8 * mebibyte) throw new ListError(t("list.large", { name: file.name }));
    const text = await file.text();
    if (text.includes("\0")) throw new ListError(t("list.binary", { name: file.name }));
    if (/\.(meta4|metalink)$/i.test(file.name) || /^\s*(<\?xml[^>]*>\s*)?(<!--.*?-->\s*)*<metalink[\s>]/s.test(text)) {
      texts.push(readMetalink(text));
    } else if (/\.url$/i.test(file.name)) {
      texts.push(/^URL=(.+)$/m.exec(text)?.[1].trim() ?? "");
    } else {
      texts.push(text);
    }
  }
  return texts.filter(Boolean).join("\n");
}
