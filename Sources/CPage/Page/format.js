// Formats numbers, dates and states for display.

const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

export function bytes(count) {
  if (count === undefined || count === null) return "?";
  let value = count, unit = 0;
  while (value >= 1000 && unit < units.length - 1) { value /= 1024; unit += 1; }
  const digits = unit === 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return `${value.toFixed(digits)} ${units[unit]}`;
}

export const speed = (perSecond) => `${bytes(Math.max(0, perSecond || 0))}/s`;

export function duration(seconds) {
  if (!isFinite(seconds) || seconds < 0) return "";
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  if (whole < 86400) return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
  const days = Math.floor(whole / 86400);
  return days > 999 ? "over 999 d" : `${days} d ${Math.floor((whole % 86400) / 3600)} h`;
}

export function timeLeft(download) {
  const { totalBytes, completedBytes, bytesPerSecond, state } = download;
  if (state !== "running" || totalBytes === undefined || !(bytesPerSecond > 0)) return "";
  return duration((totalBytes - completedBytes) / bytesPerSecond);
}

// From 0 to 1; undefined if the size is unknown.
export function fraction(download) {
  if (download.state === "finished") return 1;
  if (download.totalBytes === undefined) return undefined;
  if (download.totalBytes === 0) return 0;
  return Math.min(1, download.completedBytes / download.totalBytes);
}

export function percent(download) {
  const part = fraction(download);
  // 100 only if the file is complete.
  return part === undefined ? "" : `${part === 1 ? 100 : part < 0.1 ? (part * 100).toFixed(1) : Math.floor(part * 100)} %`;
}

export function amount(download) {
  const { state, completedBytes, totalBytes } = download;
  if (state === "finished") return bytes(totalBytes ?? completedBytes);
  if (totalBytes === undefined) return completedBytes ? bytes(completedBytes) : "";
  return `${bytes(completedBytes)} of ${bytes(totalBytes)}`;
}

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const seconds = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const day = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" });

export function time(text, precise = false) {
  const date = new Date(text);
  if (isNaN(date)) return "";
  if (date.toDateString() !== new Date().toDateString()) return day.format(date);
  return (precise ? seconds : clock).format(date);
}

const names = {
  running: "Downloading", waiting: "Queued", waitingForConnectivity: "Waiting for network",
  paused: "Paused", suspended: "Suspended", finished: "Finished", failed: "Failed", cancelled: "Cancelled",
};

export function stateName(download) {
  const { state, notBefore, failures } = download;
  // A time in the past is not shown: the download waits for its turn.
  if (state === "waiting" && new Date(notBefore) > Date.now()) return `${failures ? "Retries" : "Starts"} at ${time(notBefore)}`;
  return names[state] ?? state;
}

// The icon for a state.
export const stateIcon = (state) => ({
  running: "running", finished: "finished", failed: "failed", cancelled: "cancelled",
  paused: "pause", suspended: "pause",
})[state] ?? "waiting";

export function host(address) {
  try { return new URL(address).host; } catch { return ""; }
}

export const plural = (count, one, many = `${one}s`) => `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
