// The details of one download.

import * as api from "./api.js";
import { $, el, icon, inFrame, setAttribute, setText } from "./dom.js";
import * as format from "./format.js";
import { SpeedGraph } from "./graph.js";
import { hasText, t, word } from "./i18n.js";
import { isObject } from "./lists.js";
import { EventLog } from "./log.js";
import { may } from "./rights.js";
import { actionLabel } from "./row.js";
import { SegmentsMap } from "./segments.js";
import { isActive, isEnded, mainAction } from "./states.js";

// Whether a part of the file may be on disk.
const isPartial = (download) => download.totalBytes > 0 && (!isEnded(download) || download.state === "failed");

// The property that names where the bytes go.
function place(download) {
  if (isObject(download.path ?? download.destination)) return "object";
  return download.path || !download.destination.endsWith("/") ? "file" : "folder";
}

export class Detail {
  id = null;
  #isLoading = false;
  #needsReload = false;

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
    this.log.add(event);
    this.loadSegments();
  }

  async reload() {
    if (this.id === null) return;
    if (!this.store.get(this.id)) { this.close(); return; }
    await Promise.all([this.#loadEvents(), this.loadSegments()]);
  }

  // The other details are shown even if the events cannot be loaded.
  #loadEvents() { return this.log.load(this.id).catch(() => {}); }

  // MARK: Building

  #button(label, name, handler, className) {
    return el("button", { type: "button", class: className, onclick: handler }, name ? icon(name) : null, el("span", {}, label));
  }

  #build() {
    const { actions } = this;
    const id = this.id;
    this.map = null;
    this.name = el("h2", { id: "detail-name", dir: "auto" });
    this.state = el("span", { class: "badge" });
    this.main = this.#button("", "pause", () => actions.toggle(id), "primary");
    this.cancel = this.#button(t("action.cancel"), "", () => actions.cancel([id]));
    this.change = this.#button(t("action.change"), "", () => actions.change(id));
    this.remove = this.#button(t("action.remove"), "", () => actions.remove([id]));
    const arrows = { first: "⤒", up: "↑", down: "↓", last: "⤓" };
    this.position = el("div", { class: "position", role: "group", "aria-label": t("detail.position") },
      el("span", { class: "label", "aria-hidden": "true" }, t("detail.position")),
      ...Object.entries(arrows).map(([direction, arrow]) => el("button", {
        type: "button", class: "small", title: t(`move.${direction}`), "aria-label": t(`move.${direction}`), onclick: () => actions.move(id, direction),
      }, arrow)));
    this.problem = el("section", { class: "problem", "aria-label": t("detail.problem") });
    this.fill = el("span", { class: "fill" });
    this.bar = el("div", { class: "progress large", role: "progressbar", "aria-label": t("column.progress"), "aria-valuemin": "0", "aria-valuemax": "100" }, this.fill);
    this.rate = el("p", { class: "rate" });
    this.figures = el("p", { class: "figures" });
    this.segments = new SegmentsMap();
    this.graph = new SpeedGraph(() => this.draw(), { span: this.graph?.span });
    this.properties = el("dl", { class: "properties" });
    this.log = new EventLog();
    this.element.replaceChildren(
      el("div", { class: "heading" }, this.name,
        el("button", { type: "button", class: "small", "aria-label": t("detail.close"), title: t("detail.closeKey"), onclick: () => this.close() }, icon("close"))),
      el("div", { class: "body" },
        // Nothing above the buttons changes its height: a button that moves is missed by the mouse.
        el("div", { class: "summary" }, this.state, this.rate), this.bar, this.figures,
        el("div", { class: "buttons left" }, this.main, this.cancel, this.change, this.remove), this.position,
        this.problem, this.segments.element, this.graph.element,
        el("section", { "aria-label": t("detail.title") }, el("h3", {}, t("detail.title")), this.properties),
        this.log.element));
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
    setText(this.rate, [speed, left && t("detail.left", { time: left })].filter(Boolean).join(" · "));
    const percent = download.state === "finished" ? "" : format.percent(download);
    setText(this.figures, [format.amount(download), percent].filter(Boolean).join(" · "));
    this.#drawProblem(download.problem);
    this.segments.element.hidden = !isPartial(download);
    if (isPartial(download)) {
      const map = this.map ?? { ...download, connections: [] };
      this.segments.show(isRunning ? map : { ...map, connections: [] }, format.host(download.url));
    }
    const history = this.store.histories.get(download.id);
    this.graph.element.hidden = !isRunning || !history;
    if (isRunning && history) this.graph.show(history);
    this.#drawProperties(download);
  }

  #drawActions(download) {
    const controls = may("control", download);
    const action = controls ? mainAction(download) : null;
    this.main.hidden = !action;
    if (action && this.action !== action.icon + this.id) {
      this.action = action.icon + this.id;
      this.main.replaceChildren(icon(action.icon), el("span", {}, actionLabel(action)));
    }
    const hasEnded = isEnded(download);
    this.cancel.hidden = !controls || (hasEnded && download.state !== "failed");
    this.change.hidden = !controls || download.state === "finished";
    this.remove.hidden = !controls;
    this.position.hidden = !controls || hasEnded;
    // In another order than that of the queue, up and down mean nothing.
    for (const button of [...this.position.children].slice(2, 4)) button.hidden = !this.store.isQueueOrder;
  }

  #drawProblem(problem) {
    this.problem.hidden = !problem;
    const text = JSON.stringify(problem ?? null);
    if (this.problemText === text + this.id) return;
    this.problemText = text + this.id;
    if (!problem) return;
    this.problem.replaceChildren(
      el("h3", {}, problem.title),
      problem.detail ? el("p", {}, t("problem.while", { text: problem.detail })) : "",
      el("p", { class: "advice" }, [problem.advice && t("problem.advice", { text: problem.advice }),
        hasText(`retry.${problem.retry}`) && t(`retry.${problem.retry}`)].filter(Boolean).join(" ")),
      el("p", { class: "hint" }, `${t("problem.code")} `, el("code", {}, problem.code)));
  }

  #drawProperties(download) {
    const { response } = download;
    const limit = download.limitBytesPerSecond;
    const field = (name) => response?.fields.find((field) => field.name.toLowerCase() === name)?.value;
    const properties = [
      ["source", download.url], ...(download.mirrors ?? []).map((url) => ["mirror", url]),
      ...(response?.redirects ?? []).map((url) => ["redirect", url]),
      ["servedBy", response && response.url !== download.url ? response.url : null],
      [place(download), download.path ?? download.destination],
      ["label", download.label], ["priority", isEnded(download) ? null : word("priority", download.priority)],
      ["connections", download.connections], ["limit", limit ? format.speed(limit) : null],
      ["notBefore", download.notBefore ? format.time(download.notBefore) : null],
      ["failures", download.failures], ["type", field("content-type")], ["modified", field("last-modified")],
      ["session", download.session], ["owner", download.owner], ["added", format.time(download.createdAt)],
      ["ended", download.endedAt ? format.time(download.endedAt) : null], ["id", download.id],
    ].filter(([, value]) => value !== undefined && value !== null && value !== "");
    const text = JSON.stringify(properties);
    if (this.propertiesText === text) return;
    this.propertiesText = text;
    this.properties.replaceChildren(...properties.flatMap(([name, value]) => [el("dt", {}, t(`property.${name}`)), el("dd", { dir: "auto" }, String(value))]));
  }
}
