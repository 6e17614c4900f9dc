// The columns of the list: which there are, and which the user has chosen.

import * as format from "./format.js";
import { t, word } from "./i18n.js";
import { isEnded } from "./states.js";
import { recall, remember } from "./storage.js";

const running = (download, text) => (download.state === "running" ? text : "");

// The name and the progress are always displayed; the others have a text.
export const columns = [
  { name: "name", width: "minmax(0, 1fr)", isFixed: true },
  { name: "progress", width: "minmax(150px, 24%)", isFixed: true },
  { name: "size", width: "84px", isRight: true, text: ({ totalBytes }) => (totalBytes === undefined ? "" : format.bytes(totalBytes)) },
  { name: "speed", width: "96px", isRight: true, text: (download) => running(download, format.speed(download.bytesPerSecond)) },
  { name: "left", width: "104px", isRight: true, text: format.timeLeft },
  { name: "connections", width: "96px", isRight: true, text: (download) => running(download, String(download.connections ?? "")) },
  { name: "host", width: "minmax(80px, 14%)", text: ({ url }) => format.host(url) },
  { name: "priority", width: "76px", text: (download) => (isEnded(download) ? "" : word("priority", download.priority)) },
  { name: "label", width: "minmax(64px, 10%)", text: ({ label }) => label ?? "" },
  { name: "added", width: "128px", text: ({ createdAt }) => format.time(createdAt) },
  { name: "ended", width: "128px", text: ({ endedAt }) => (endedAt ? format.time(endedAt) : "") },
];

const usual = ["speed", "left"];
let chosen = new Set(recall("columns", usual));

export const isShown = ({ name, isFixed }) => isFixed || chosen.has(name);
export const shownColumns = () => columns.filter(isShown);
export const columnTitle = ({ name }) => t(`column.${name}`);

export function showColumn({ name }, isWanted) {
  if (isWanted) chosen.add(name);
  else chosen.delete(name);
  remember("columns", [...chosen]);
}

export function showUsualColumns() {
  chosen = new Set(usual);
  remember("columns", null);
}

// The value of grid-template-columns: the checkbox, the columns, the buttons.
export const template = () => `28px ${shownColumns().map(({ width }) => width).join(" ")} 72px`;
