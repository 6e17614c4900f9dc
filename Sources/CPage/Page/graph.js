// The graph of the speed during the last minute or hour.

import { el, setAttribute, setText, svg } from "./dom.js";
import * as format from "./format.js";
import { hour, minute } from "./history.js";
import { t } from "./i18n.js";

const width = 480, height = 72;

// The points of the line as "x,y", the newest at the right.
export function points(history, now, top, span) {
  return history.map(([at, speed]) => {
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
  // `changed` is called when the user has chosen another span; `heading` is the tag of the heading.
  constructor(changed, { span = minute, heading = "h3", title = t("graph.title") } = {}) {
    this.span = span;
    this.line = svg("polyline", { class: "speed-line" });
    this.area = svg("polygon", { class: "speed-area" });
    this.picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", role: "img", class: "graph" }, this.area, this.line);
    this.top = el("span", { class: "scale" });
    this.spans = [[minute, "graph.minute"], [hour, "graph.hour"]].map(([span, key]) => {
      const button = el("button", { type: "button", class: "link", onclick: () => { this.span = span; changed(); } }, t(key));
      return { span, button };
    });
    this.element = el("section", { class: "speeds", "aria-label": title },
      el("div", { class: "speeds-head" }, el(heading, {}, title),
        el("div", { role: "group", "aria-label": t("graph.span") }, ...this.spans.map(({ button }) => button))),
      el("div", { class: "frame" }, this.picture, this.top));
  }

  show(history, now = Date.now()) {
    const seen = history.points(this.span, now);
    const top = scale(seen);
    const line = points(seen, now, top, this.span);
    setAttribute(this.line, "points", line.join(" "));
    const [first] = line[0]?.split(",") ?? [0];
    const [last] = line.at(-1)?.split(",") ?? [0];
    setAttribute(this.area, "points", line.length ? `${first},${height} ${line.join(" ")} ${last},${height}` : "");
    setText(this.top, format.speed(top));
    const most = seen.reduce((most, [, speed]) => Math.max(most, speed), 0);
    setAttribute(this.picture, "aria-label", t("graph.label", {
      now: format.speed(seen.at(-1)?.[1] ?? 0), most: format.speed(most), top: format.speed(top),
    }));
    for (const { span, button } of this.spans) setAttribute(button, "aria-pressed", String(span === this.span));
  }
}
