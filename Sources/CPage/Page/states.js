// The states of a download, and the filters of the list.

export const filters = [
  { name: "all", states: null },
  { name: "active", states: ["running", "waitingForConnectivity"] },
  { name: "queued", states: ["waiting"] },
  { name: "paused", states: ["paused", "suspended"] },
  { name: "finished", states: ["finished"] },
  { name: "failed", states: ["failed", "cancelled"] },
];

const active = new Set(filters[1].states);
export const endedStates = ["finished", "failed", "cancelled"];
const ended = new Set(endedStates);

export const isActive = (download) => active.has(download.state);
export const isEnded = (download) => ended.has(download.state);

// The action of a row's button.
export function mainAction(download) {
  if (isActive(download) || download.state === "waiting") return { name: "pause", icon: "pause" };
  if (download.state === "finished") return null;
  return isEnded(download) ? { name: "resume", label: "retry", icon: "retry" } : { name: "resume", icon: "resume" };
}
