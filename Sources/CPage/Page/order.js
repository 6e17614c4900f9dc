// The order of the list: that of the queue, or by a column.

import { fraction, host, secondsLeft } from "./format.js";
import { isActive, isEnded } from "./states.js";

const priorities = { high: 0, normal: 1, low: 2 };

// Running downloads come first, then the queue in its order, then ended downloads, newest first as in the daemon's
// pages.
export function inQueue(a, b) {
  const rank = (download) => (isActive(download) ? 0 : isEnded(download) ? 2 : 1);
  const ranks = rank(a) - rank(b);
  if (ranks) return ranks;
  if (isEnded(a)) return b.id - a.id;
  return priorities[a.priority] - priorities[b.priority] || a.position - b.position || a.id - b.id;
}

// What a name is sorted by, so that file-2 precedes file-10, and an accent does not matter.
const keys = new Map();
function nameKey({ name }) {
  let key = keys.get(name);
  if (key === undefined) {
    key = name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replace(/\d+/g, (digits) => digits.padStart(12, "0"));
    if (keys.size > 50_000) keys.clear();
    keys.set(name, key);
  }
  return key;
}

const date = (text) => (text ? Date.parse(text) : undefined);

// For each column, the value that it is sorted by; undefined values are always last.
const values = {
  name: nameKey,
  progress: fraction,
  size: ({ totalBytes }) => totalBytes,
  speed: ({ state, bytesPerSecond }) => (state === "running" ? bytesPerSecond ?? 0 : undefined),
  left: secondsLeft,
  host: ({ url }) => host(url),
  priority: ({ priority }) => priorities[priority],
  label: ({ label }) => label?.toLowerCase(),
  connections: ({ connections }) => connections,
  added: ({ createdAt }) => date(createdAt),
  ended: ({ endedAt }) => date(endedAt),
};

// Whether the order changes while downloads run.
export const isMoving = ({ column }) => ["progress", "speed", "left", "connections"].includes(column);

// Sorts the downloads. `sort` is { column, descending }; the column `queue` is the order of the queue.
export function sortDownloads(downloads, { column, descending }) {
  const value = values[column];
  if (!value) return downloads.sort(inQueue);
  const rows = downloads.map((download) => ({ download, value: value(download) }));
  const sign = descending ? -1 : 1;
  rows.sort((a, b) => {
    if (a.value === b.value) return inQueue(a.download, b.download);
    if (a.value === undefined) return 1;
    if (b.value === undefined) return -1;
    return a.value < b.value ? -sign : sign;
  });
  return rows.map((row) => row.download);
}
