// Formats numbers, dates and states for display.

import { fixed, isolate, language, t } from "./i18n.js";

const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

function amountOf(count) {
  let value = count, unit = 0;
  while (value >= 1000 && unit < units.length - 1) { value /= 1024; unit += 1; }
  const digits = unit === 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return `${fixed(value, digits)} ${units[unit]}`;
}

export const bytes = (count) => (count === undefined || count === null ? "?" : isolate(amountOf(count)));

export const speed = (perSecond) => isolate(`${amountOf(Math.max(0, perSecond || 0))}/s`);

const s = t("unit.s"), min = t("unit.min"), h = t("unit.h"), d = t("unit.d");

export const duration = (seconds) => (!isFinite(seconds) || seconds < 0 ? "" : isolate(durationOf(Math.ceil(seconds))));

function durationOf(whole) {
  if (whole < 60) return `${whole} ${s}`;
  if (whole < 3600) return `${Math.floor(whole / 60)} ${min} ${whole % 60} ${s}`;
  if (whole < 86400) return `${Math.floor(whole / 3600)} ${h} ${Math.floor((whole % 3600) / 60)} ${min}`;
  const days = Math.floor(whole / 86400);
  return days > 999 ? t("time.endless") : `${days} ${d} ${Math.floor((whole % 86400) / 3600)} ${h}`;
}

// The seconds that are left; undefined if they are not known.
export function secondsLeft({ totalBytes, completedBytes, bytesPerSecond, state }) {
  if (state !== "running" || totalBytes === undefined || !(bytesPerSecond > 0)) return undefined;
  return (totalBytes - completedBytes) / bytesPerSecond;
}

export function timeLeft(download) {
  const left = secondsLeft(download);
  return left === undefined ? "" : duration(left);
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
  return part === undefined ? "" : isolate(`${part === 1 ? 100 : part < 0.1 ? fixed(part * 100, 1) : Math.floor(part * 100)} %`);
}

export function amount(download) {
  const { state, completedBytes, totalBytes } = download;
  if (state === "finished") return bytes(totalBytes ?? completedBytes);
  if (totalBytes === undefined) return completedBytes ? bytes(completedBytes) : "";
  return t("amount", { done: bytes(completedBytes), total: bytes(totalBytes) });
}

const dates = (parts) => new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit", ...parts });
const clock = dates({}), seconds = dates({ second: "2-digit" }), day = dates({ month: "short", day: "numeric" });

export function time(text, precise = false) {
  const date = new Date(text);
  if (isNaN(date)) return "";
  if (date.toDateString() !== new Date().toDateString()) return day.format(date);
  return (precise ? seconds : clock).format(date);
}

export function stateName(download) {
  const { state, notBefore, failures } = download;
  // A time in the past is not shown: the download waits for its turn.
  if (state === "waiting" && new Date(notBefore) > Date.now()) {
    return t(failures ? "state.retries" : "state.starts", { time: time(notBefore) });
  }
  return t(`state.${state}`);
}

// The icon for a state.
export const stateIcon = (state) => ({
  running: "running", finished: "finished", failed: "failed", cancelled: "cancelled",
  paused: "pause", suspended: "pause",
})[state] ?? "waiting";

export function host(address) {
  try { return new URL(address).host; } catch { return ""; }
}
