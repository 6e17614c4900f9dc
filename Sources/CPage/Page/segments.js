// The map of a download: the bytes received so far, and the range of each connection.

import { el, setAttribute, setText, svg } from "./dom.js";
import * as format from "./format.js";
import { isolate, t } from "./i18n.js";

const columns = 48, lines = 8, cells = columns * lines, pitch = 10;
// The number of colours; further connections reuse them.
const colours = 6;

// The class of each cell: "" for nothing received, "done", "part" (some bytes received), "done c1" for a part that
// connection 1 has received, "due c1" for one that it still has to receive.
export function cellStates(map) {
  const states = new Array(cells).fill("");
  const total = map.totalBytes;
  if (!total) return states;
  const size = total / cells;
  const written = map.written ?? [{ from: 0, to: map.completedBytes }];
  const counts = new Array(cells).fill(0);
  for (const { from, to } of written) {
    const last = Math.min(cells - 1, Math.floor((to - 1) / size));
    for (let cell = Math.floor(from / size); cell <= last; cell += 1) {
      counts[cell] += Math.min(to, (cell + 1) * size) - Math.max(from, cell * size);
    }
  }
  for (let cell = 0; cell < cells; cell += 1) {
    states[cell] = counts[cell] >= size - 0.5 ? "done" : counts[cell] > 0 ? "part" : "";
  }
  for (const { number, from, position, to } of map.connections) {
    const end = Math.min(cells - 1, Math.floor(((to ?? total) - 1) / size));
    const head = Math.min(cells - 1, Math.floor(position / size));
    for (let cell = Math.min(cells - 1, Math.floor(from / size)); cell <= end; cell += 1) {
      const kind = cell <= head ? "done" : "due";
      if (kind === "done" || states[cell] === "") states[cell] = `${kind} c${number % colours}`;
    }
  }
  return states;
}

export class SegmentsMap {
  #previous = new Map();

  constructor() {
    this.cells = Array.from({ length: cells }, (_, index) => svg("rect", {
      x: (index % columns) * pitch, y: Math.floor(index / columns) * pitch, width: pitch - 1.5, height: pitch - 1.5, rx: 1.5,
    }));
    this.picture = svg("svg", { viewBox: `0 0 ${columns * pitch - 1.5} ${lines * pitch - 1.5}`, role: "img", class: "map" }, ...this.cells);
    this.body = el("tbody");
    this.table = el("table", { class: "connections" },
      el("thead", {}, el("tr", {}, ...["connection", "range", "done", "speed"].map((name) => el("th", { scope: "col" }, t(`map.${name}`))))),
      this.body);
    this.element = el("section", { class: "segments", "aria-label": t("map.title") }, el("h3", {}, t("map.title")), this.picture, this.table);
  }

  // Shows the host of each connection if one of them is not `host`, the host of the download's URL.
  show(map, host) {
    const states = cellStates(map);
    states.forEach((state, index) => setAttribute(this.cells[index], "class", state || null));
    const { connections } = map;
    const done = format.percent(map) || format.bytes(map.completedBytes);
    setAttribute(this.picture, "aria-label", t("map.label", { done, n: connections.length }));
    this.table.hidden = connections.length === 0;
    const hasOtherHosts = connections.some((connection) => connection.host !== host);
    this.#rows(connections, hasOtherHosts, performance.now());
  }

  #rows(connections, showsHosts, now) {
    const kept = new Map();
    while (this.body.rows.length > connections.length) this.body.deleteRow(-1);
    connections.forEach((connection, index) => {
      const row = this.body.rows[index] ?? this.body.insertRow();
      while (row.cells.length < 4) row.insertCell();
      const speed = this.#speed(connection, now, kept);
      const { from, to, position, number } = connection;
      const [name, range, done, rate] = row.cells;
      if (!name.firstChild) {
        name.append(el("span", { "aria-hidden": "true" }), el("span"));
        range.append(el("span"), el("span", { class: "host" }));
      }
      setText(range.lastChild, showsHosts && connection.host ? t("map.host", { host: connection.host }) : "");
      setAttribute(name.firstChild, "class", `key c${number % colours}`);
      setText(name.lastChild, `${number}`);
      setText(range.firstChild, to === undefined ? t("map.from", { from: format.bytes(from) }) : t("map.fromTo", { from: format.bytes(from), to: format.bytes(to) }));
      setText(done, to === undefined ? format.bytes(position - from) : isolate(`${Math.floor((100 * (position - from)) / Math.max(1, to - from))} %`));
      setText(rate, speed === undefined ? "" : format.speed(speed));
    });
    this.#previous = kept;
  }

  // The speed of a connection, from its previous position.
  #speed(connection, now, kept) {
    const before = this.#previous.get(connection.number);
    const seconds = before ? (now - before.at) / 1000 : 0;
    let speed = before?.speed;
    if (before && seconds >= 0.2) {
      const current = Math.max(0, connection.position - before.position) / seconds;
      speed = speed === undefined ? current : speed * 0.6 + current * 0.4;
    } else if (before) {
      kept.set(connection.number, before);
      return speed;
    }
    kept.set(connection.number, { at: now, position: connection.position, speed });
    return speed;
  }
}
