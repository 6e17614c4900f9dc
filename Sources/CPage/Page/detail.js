// The details of one download.

import * as api from "./api.js";
import { $, el, icon, inFrame, setAttribute, setText } from "./dom.js";
import * as format from "./format.js";
import { mainAction } from "./list.js";
import { SegmentsMap } from "./segments.js";
import { SpeedGraph } from "./graph.js";
import { isActive, isEnded } from "./store.js";

const retries = {
  now: "You can retry immediately.",
  later: "Retry later.",
  elsewhere: "Try another URL of the same file.",
  never: "Retrying will not help until the cause is removed.",
};
const eventNames = {
  added: "Added", started: "Started", retrying: "Failed, will retry", paused: "Paused", resumed: "Queued",
  changed: "Changed", finished: "Finished", failed: "Failed", cancelled: "Cancelled",
};

// Whether a part of the file may be on disk.
const isPartial = (download) => download.totalBytes > 0 && (!isEnded(download) || download.state === "failed");

export class Detail {
  id = null;
  #isLoading = false;
  #needsReload = false;
  #lastEvent = 0;

  // actions: toggle(id), cancel(ids), remove(ids), change(id), move(id, direction), closed(hadFocus)
  constructor(store, actions) {
    this.store = store;
    this.actions = actions;
    this.element = $("detail");
    this.draw = inFrame(() => this.#draw());
    this.element.addEventListener("keydown", (event) => {
      if (event.key === "Escape") { event.preventDefault(); this.close(); }
    });
  }

  open(id, focuses) {
    if (this.id !== id) {
      this.id = id;
      this.#build();
      this.#loadEvents();
      this.loadSegments();
    }
    if (this.element.hidden) this.#pushHistory();
    this.element.hidden = false;
    document.body.classList.add("has-detail");
    this.#draw();
    if (focuses) this.element.focus();
  }

  // Lets the browser's Back button return from the details to the list instead of leaving the page. The history has
  // one entry for the details; after they were closed on the page, the next download reuses it.
  #pushHistory() {
    if (history.state?.shows) history.replaceState({ shows: "detail" }, "");
    else history.pushState({ shows: "detail" }, "");
  }

  // Handles the Back and Forward buttons.
  historyChanged(state) {
    if (state?.shows !== "detail") this.#hide();
    else if (this.id === null) history.replaceState({ shows: "list" }, "");
  }

  close() {
    if (this.id === null) return;
    if (history.state?.shows === "detail") history.replaceState({ shows: "list" }, "");
    this.#hide();
  }

  #hide() {
    if (this.id === null) return;
    // If the download disappears by itself, the focus may be elsewhere and must stay there.
    const { activeElement } = document;
    const hadFocus = activeElement === document.body || this.element.contains(activeElement);
    this.id = null;
    this.element.hidden = true;
    document.body.classList.remove("has-detail");
    this.actions.closed(hadFocus);
  }

  // Loads the download's segments. It is called when the download advances, not by a timer.
  async loadSegments() {
    const { id } = this;
    const download = this.store.get(id);
    if (!download || document.hidden || !isPartial(download)) return;
    if (this.#isLoading) { this.#needsReload = true; return; }
    this.#isLoading = true;
    try {
      const map = await api.segments(id);
      // Another download may be displayed by now.
      if (this.id === id) { this.map = map; this.draw(); }
    } catch {
      // The event stream reports a lost connection.
    } finally {
      this.#isLoading = false;
      if (this.#needsReload) { this.#needsReload = false; this.loadSegments(); }
    }
  }

  handleEvent(event) {
    if (event.download !== this.id) return;
    if (event.kind === "removed") { this.close(); return; }
    if (event.id > this.#lastEvent) this.#addEvent(event);
    this.loadSegments();
  }

  async reload() {
    if (this.id === null) return;
    if (!this.store.get(this.id)) { this.close(); return; }
    await Promise.all([this.#loadEvents(), this.loadSegments()]);
  }

  async #loadEvents() {
    const { id } = this;
    try {
      const events = await api.eventsOf(id);
      if (this.id !== id) return;
      this.events.replaceChildren();
      this.#lastEvent = 0;
      for (const event of events) this.#addEvent(event);
    } catch {
      // The other details are shown without the events.
    }
  }

  #addEvent(event) {
    this.#lastEvent = event.id;
    const reason = event.problem ? `: ${event.problem.title}` : "";
    this.events.prepend(el("li", {}, el("time", { datetime: event.at }, format.time(event.at, true)),
      el("span", {}, `${eventNames[event.kind] ?? event.kind}${reason}`)));
    while (this.events.childElementCount > 200) this.events.lastChild.remove();
  }

  // MARK: Building

  #button(label, name, handler, className) {
    return el("button", { type: "button", class: className, onclick: handler }, name ? icon(name) : null, el("span", {}, label));
  }

  #build() {
    const { actions } = this;
    const id = this.id;
    this.map = null;
    this.#lastEvent = 0;
    this.name = el("h2", { id: "detail-name" });
    this.state = el("span", { class: "badge" });
    this.main = this.#button("", "pause", () => actions.toggle(id), "primary");
    this.cancel = this.#button("Cancel…", "", () => actions.cancel([id]));
    this.change = this.#button("Change…", "", () => actions.change(id));
    const remove = this.#button("Remove…", "", () => actions.remove([id]));
    const moves = [["first", "Move to the start"], ["up", "Move up"], ["down", "Move down"], ["last", "Move to the end"]];
    this.position = el("div", { class: "position", role: "group", "aria-label": "Queue position" },
      el("span", { class: "label", "aria-hidden": "true" }, "Queue position"),
      ...moves.map(([direction, label]) => el("button", {
        type: "button", class: "small", title: label, "aria-label": label, onclick: () => actions.move(id, direction),
      }, { first: "⤒", up: "↑", down: "↓", last: "⤓" }[direction])));
    this.problem = el("section", { class: "problem", "aria-label": "Problem" });
    this.fill = el("span", { class: "fill" });
    this.bar = el("div", { class: "progress large", role: "progressbar", "aria-label": "Progress", "aria-valuemin": "0", "aria-valuemax": "100" }, this.fill);
    this.rate = el("p", { class: "rate" });
    this.figures = el("p", { class: "figures" });
    this.segments = new SegmentsMap();
    this.graph = new SpeedGraph();
    this.properties = el("dl", { class: "properties" });
    this.events = el("ol", { class: "events" });
    this.element.replaceChildren(
      el("div", { class: "heading" }, this.name,
        el("button", { type: "button", class: "small", "aria-label": "Close details", title: "Close (Esc)", onclick: () => this.close() }, icon("close"))),
      el("div", { class: "body" },
        // Nothing above the buttons changes its height: a button that moves is missed by the mouse.
        el("div", { class: "summary" }, this.state, this.rate), this.bar, this.figures,
        el("div", { class: "buttons left" }, this.main, this.cancel, this.change, remove), this.position,
        this.problem, this.segments.element, this.graph.element,
        el("section", { "aria-label": "Details" }, el("h3", {}, "Details"), this.properties),
        el("section", { "aria-label": "Events" }, el("h3", {}, "Events"), this.events)));
    this.element.dataset.id = id;
    // These elements are new, so everything has to be drawn once.
    this.action = this.problemText = this.propertiesText = null;
  }

  // MARK: Drawing

  #draw() {
    const download = this.store.get(this.id);
    if (!download) return;
    const isRunning = isActive(download);
    setText(this.name, download.name || format.host(download.url));
    setText(this.state, format.stateName(download));
    this.element.dataset.state = download.state;
    this.#drawActions(download);
    const part = format.fraction(download);
    this.fill.style.transform = `scaleX(${(part ?? 0).toFixed(4)})`;
    setAttribute(this.bar, "aria-valuenow", part === undefined ? null : Math.floor(part * 100));
    const left = format.timeLeft(download);
    const speed = download.state === "running" ? format.speed(download.bytesPerSecond) : "";
    setText(this.rate, [speed, left && `${left} left`].filter(Boolean).join(" · "));
    const percent = download.state === "finished" ? "" : format.percent(download);
    setText(this.figures, [format.amount(download), percent].filter(Boolean).join(" · "));
    this.#drawProblem(download.problem);
    this.segments.element.hidden = !isPartial(download);
    if (isPartial(download)) {
      const map = this.map ?? { ...download, connections: [] };
      this.segments.show(isRunning ? map : { ...map, connections: [] }, format.host(download.url));
    }
    const history = this.store.histories.get(download.id) ?? [];
    this.graph.element.hidden = !isRunning || history.length < 2;
    if (isRunning) this.graph.show(history);
    this.#drawProperties(download);
  }

  #drawActions(download) {
    const action = mainAction(download);
    this.main.hidden = !action;
    if (action && this.action !== action.icon + this.id) {
      this.action = action.icon + this.id;
      this.main.replaceChildren(icon(action.icon), el("span", {}, action.label));
    }
    const hasEnded = isEnded(download);
    this.cancel.hidden = hasEnded && download.state !== "failed";
    this.change.hidden = download.state === "finished";
    this.position.hidden = hasEnded;
  }

  #drawProblem(problem) {
    this.problem.hidden = !problem;
    const text = JSON.stringify(problem ?? null);
    if (this.problemText === text + this.id) return;
    this.problemText = text + this.id;
    if (!problem) return;
    this.problem.replaceChildren(
      el("h3", {}, problem.title),
      problem.detail ? el("p", {}, `While ${problem.detail}.`) : "",
      el("p", { class: "advice" }, [problem.advice && `What to do: ${problem.advice}.`, retries[problem.retry]].filter(Boolean).join(" ")),
      el("p", { class: "hint" }, "Code ", el("code", {}, problem.code)));
  }

  #drawProperties(download) {
    const { response } = download;
    const limit = download.limitBytesPerSecond;
    const field = (name) => response?.fields.find((field) => field.name.toLowerCase() === name)?.value;
    const properties = [
      ["Source", download.url], ...(download.mirrors ?? []).map((url) => ["Mirror", url]),
      ...(response?.redirects ?? []).map((url) => ["Redirected via", url]),
      ["Served by", response && response.url !== download.url ? response.url : null],
      [download.path || !download.destination.endsWith("/") ? "File" : "Folder", download.path ?? download.destination],
      ["Priority", isEnded(download) ? null : download.priority],
      ["Connections", download.connections], ["Speed limit", limit ? format.speed(limit) : null],
      ["Not before", download.notBefore ? format.time(download.notBefore) : null],
      ["Consecutive failures", download.failures], ["Type", field("content-type")], ["Last modified", field("last-modified")],
      ["Session", download.session], ["Added", format.time(download.createdAt)],
      ["Ended", download.endedAt ? format.time(download.endedAt) : null], ["ID", download.id],
    ].filter(([, value]) => value !== undefined && value !== null && value !== "");
    const text = JSON.stringify(properties);
    if (this.propertiesText === text) return;
    this.propertiesText = text;
    this.properties.replaceChildren(...properties.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, String(value))]));
  }
}
