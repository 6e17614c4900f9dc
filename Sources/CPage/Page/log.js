// The log of a download: its events in words.

import * as api from "./api.js";
import { el } from "./dom.js";
import * as format from "./format.js";
import { hasText, t } from "./i18n.js";

const most = 1000;

// A sentence about an event. `start` is the time of the latest `started` before it.
export function words(event, start) {
  const { kind, problem, completedBytes: done, totalBytes: total, path } = event;
  const key = `log.${kind}`;
  if (problem) {
    const reason = problem.detail ? `${problem.title} - ${t("error.while", { text: problem.detail })}` : problem.title;
    return t(hasText(`${key}.problem`) ? `${key}.problem` : "log.problem", { reason, kind });
  }
  if (kind === "finished") {
    const seconds = start && (new Date(event.at) - new Date(start)) / 1000;
    const values = { size: format.bytes(total ?? done), path: path ?? event.name, time: seconds ? format.duration(seconds) : "" };
    return t(seconds ? "log.finished.time" : "log.finished", values);
  }
  if (done > 0 && hasText(`${key}.amount`)) {
    const amount = total === undefined ? format.bytes(done) : t("amount", { done: format.bytes(done), total: format.bytes(total) });
    return t(`${key}.amount`, { amount });
  }
  return hasText(key) ? t(key) : kind;
}

export class EventLog {
  #events = [];
  #next = undefined;
  #id = null;

  constructor() {
    this.list = el("ol", { class: "events" });
    this.earlier = el("button", { type: "button", class: "link", onclick: () => this.#loadEarlier() }, t("log.earlier"));
    this.earlier.hidden = true;
    this.element = el("section", { "aria-label": t("log.title") }, el("h3", {}, t("log.title")), this.list, this.earlier);
  }

  // Loads the newest events of a download.
  async load(id) {
    this.#id = id;
    const { events, next } = await api.eventsOf(id);
    // Another download may be displayed by now.
    if (this.#id !== id) return;
    this.#events = events;
    this.#next = next;
    this.#draw();
  }

  add(event) {
    if (event.id <= (this.#events.at(-1)?.id ?? 0)) return;
    this.#events.push(event);
    if (this.#events.length > most) this.#events.shift();
    this.#draw();
  }

  async #loadEarlier() {
    const id = this.#id;
    try {
      const { events, next } = await api.eventsOf(id, this.#next);
      if (this.#id !== id) return;
      this.#events = [...events, ...this.#events];
      this.#next = next;
      this.#draw();
    } catch {
      // The button stays, so that the user can try again.
    }
  }

  // The newest event is at the top.
  #draw() {
    let start = null;
    const lines = this.#events.map((event) => {
      const text = words(event, start);
      if (event.kind === "started") start = event.at;
      return el("li", {}, el("time", { datetime: event.at }, format.time(event.at, true)), el("span", {}, text));
    });
    this.list.replaceChildren(...lines.reverse());
    this.earlier.hidden = this.#next === undefined;
  }
}
