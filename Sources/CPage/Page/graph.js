// The graph of the speed during the last minute.

import { el, setAttribute, setText, svg } from "./dom.js";
import * as format from "./format.js";

const width = 480, height = 72, span = 60_000;

// The points of the line as "x,y", the newest at the right.
export function points(history, now, top) {
  const seen = history.filter(([at]) => now - at <= span);
  return seen.map(([at, speed]) => {
    const x = width - ((now - at) / span) * width;
    return `${x.toFixed(1)},${(height - (speed / top) * (height - 4)).toFixed(1)}`;
  });
}

// The top of the scale: the next power of two, at least 1 KiB/s.
export function scale(history) {
  const most = history.reduce((most, [, speed]) => Math.max(most, speed), 0);
  let top = 1024;
  while (top < most) top *= 2;
  return top;
}

export class SpeedGraph {
  constructor() {
    this.line = svg("polyline", { class: "speed-line" });
    this.area = svg("polygon", { class: "speed-area" });
    this.picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", role: "img", class: "graph" }, this.area, this.line);
    this.top = el("span", { class: "scale" });
    this.element = el("section", { class: "speeds", "aria-label": "Speed" }, el("h3", {}, "Speed, last minute"), el("div", { class: "frame" }, this.picture, this.top));
  }

  show(history, now = performance.now()) {
    const top = scale(history);
    const line = points(history, now, top);
    setAttribute(this.line, "points", line.join(" "));
    const [first] = line[0]?.split(",") ?? [0];
    const [last] = line.at(-1)?.split(",") ?? [0];
    setAttribute(this.area, "points", line.length ? `${first},${height} ${line.join(" ")} ${last},${height}` : "");
    setText(this.top, format.speed(top));
    const speed = history.at(-1)?.[1] ?? 0;
    setAttribute(this.picture, "aria-label", `Now ${format.speed(speed)}; the scale ends at ${format.speed(top)}`);
  }
}
