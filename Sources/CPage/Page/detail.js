// One download, as it is.

import * as api from "./api.js";
import { $, el, icon, inFrame, setAttribute, setText } from "./dom.js";
import * as format from "./format.js";
import { mainAction } from "./list.js";
import { SegmentsMap } from "./segments.js";
import { SpeedGraph } from "./graph.js";
import { isActive, isEnded } from "./store.js";

const retries = {
  now: "Trying again makes sense at once.",
  later: "Trying again makes sense after some time.",
  elsewhere: "Another address of the same file may serve.",
  never: "Trying again makes no sense before something was changed.",
};
const eventNames = {
  added: "Added", started: "Began", retrying: "Failed, tries again", paused: "Paused", resumed: "Put in line",
  changed: "Changed", finished: "Finished", failed: "Failed", cancelled: "Cancelled",
};

// Of which a part may be there.
const isPartial = (download) => download.totalBytes > 0 && (!isEnded(download) || download.state === "failed");

export class Detail {
  id = null;
  #isAsking = false;
  #asksAgain = false;
  #lastEvents = 0;

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
      this.follow();
    }
    if (this.element.hidden) this.#remember();
    this.element.hidden = false;
    document.body.classList.add("has-detail");
    this.#draw();
    if (focuses) this.element.focus();
  }

  // The browser's way back leads from the detail to the list, and not away from the page. There is one entry of the
  // history for it: closed by hand, it is left for the next one.
  #remember() {
    if (history.state?.shows) history.replaceState({ shows: "detail" }, "");
    else history.pushState({ shows: "detail" }, "");
  }

  // The browser went back, or forward.
  wentTo(state) {
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
    // Somebody may be typing elsewhere when it goes by itself.
    const { activeElement } = document;
    const hadFocus = activeElement === document.body || this.element.contains(activeElement);
    this.id = null;
    this.element.hidden = true;
    document.body.classList.remove("has-detail");
    this.actions.closed(hadFocus);
  }

  // The download's segments, while somebody looks: asked for when something has moved, not by a clock.
  async follow() {
    const { id } = this;
    const download = this.store.get(id);
    if (!download || document.hidden || !isPartial(download)) return;
    if (this.#isAsking) { this.#asksAgain = true; return; }
    this.#isAsking = true;
    try {
      const map = await api.segments(id);
      // What is shown may be another one by now.
      if (this.id === id) { this.map = map; this.draw(); }
    } catch {
      // The stream tells of it.
    } finally {
      this.#isAsking = false;
      if (this.#asksAgain) { this.#asksAgain = false; this.follow(); }
    }
  }

  // Something happened to it.
  happened(event) {
    if (event.download !== this.id) return;
    if (event.kind === "removed") { this.close(); return; }
    if (event.id > this.#lastEvents) this.#addEvent(event);
    this.follow();
  }

  async reload() {
    if (this.id === null) return;
    if (!this.store.get(this.id)) { this.close(); return; }
    await Promise.all([this.#loadEvents(), this.follow()]);
  }

  async #loadEvents() {
    const { id } = this;
    try {
      const events = await api.eventsOf(id);
      if (this.id !== id) return;
      this.events.replaceChildren();
      this.#lastEvents = 0;
      for (const event of events) this.#addEvent(event);
    } catch {
      // The rest of it is shown all the same.
    }
  }

  #addEvent(event) {
    this.#lastEvents = event.id;
    const why = event.problem ? `: ${event.problem.title}` : "";
    this.events.prepend(el("li", {}, el("time", { datetime: event.at }, format.time(event.at, true)),
      el("span", {}, `${eventNames[event.kind] ?? event.kind}${why}`)));
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
    this.#lastEvents = 0;
    this.name = el("h2", { id: "detail-name" });
    this.state = el("span", { class: "badge" });
    this.main = this.#button("", "pause", () => actions.toggle(id), "primary");
    this.cancel = this.#button("Cancel…", "", () => actions.cancel([id]));
    this.change = this.#button("Change…", "", () => actions.change(id));
    const remove = this.#button("Remove…", "", () => actions.remove([id]));
    const places = [["first", "To the beginning"], ["up", "One up"], ["down", "One down"], ["last", "To the end"]];
    this.places = el("div", { class: "places", role: "group", "aria-label": "Place in the queue" },
      el("span", { class: "label", "aria-hidden": "true" }, "Place"),
      ...places.map(([direction, label]) => el("button", {
        type: "button", class: "small", title: label, "aria-label": label, onclick: () => actions.move(id, direction),
      }, { first: "⤒", up: "↑", down: "↓", last: "⤓" }[direction])));
    this.problem = el("section", { class: "problem", "aria-label": "Problem" });
    this.fill = el("span", { class: "fill" });
    this.bar = el("div", { class: "progress large", role: "progressbar", "aria-label": "Progress", "aria-valuemin": "0", "aria-valuemax": "100" }, this.fill);
    this.figures = el("p", { class: "figures" });
    this.segments = new SegmentsMap();
    this.graph = new SpeedGraph();
    this.facts = el("dl", { class: "facts" });
    this.events = el("ol", { class: "events" });
    this.element.replaceChildren(
      el("div", { class: "heading" }, this.name,
        el("button", { type: "button", class: "small", "aria-label": "Close details", title: "Close (Esc)", onclick: () => this.close() }, icon("close"))),
      el("div", { class: "body" },
        el("div", { class: "summary" }, this.state, this.figures), this.bar,
        el("div", { class: "buttons left" }, this.main, this.cancel, this.change, remove), this.places,
        this.problem, this.segments.element, this.graph.element,
        el("section", { "aria-label": "Facts" }, el("h3", {}, "Facts"), this.facts),
        el("section", { "aria-label": "Events" }, el("h3", {}, "Events"), this.events)));
    this.element.dataset.id = id;
    // What is drawn again only where it has changed is new here.
    this.action = this.problemText = this.factsText = null;
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
    setText(this.figures, [
      format.amount(download), download.state === "finished" ? "" : format.percent(download),
      download.state === "running" ? format.speed(download.bytesPerSecond) : "", left && `${left} left`,
    ].filter(Boolean).join(" · "));
    this.#drawProblem(download.problem);
    this.segments.element.hidden = !isPartial(download);
    if (isPartial(download)) {
      const map = this.map ?? { ...download, connections: [] };
      this.segments.show(isRunning ? map : { ...map, connections: [] }, format.host(download.url));
    }
    const history = this.store.histories.get(download.id) ?? [];
    this.graph.element.hidden = !isRunning || history.length < 2;
    if (isRunning) this.graph.show(history);
    this.#drawFacts(download);
  }

  #drawActions(download) {
    const action = mainAction(download);
    this.main.hidden = !action;
    if (action && this.action !== action.icon + this.id) {
      this.action = action.icon + this.id;
      this.main.replaceChildren(icon(action.icon), el("span", {}, action.label));
    }
    const isOver = isEnded(download);
    this.cancel.hidden = isOver && download.state !== "failed";
    this.change.hidden = download.state === "finished";
    this.places.hidden = isOver;
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

  #drawFacts(download) {
    const { response } = download;
    const limit = download.limitBytesPerSecond;
    const field = (name) => response?.fields.find((field) => field.name.toLowerCase() === name)?.value;
    const facts = [
      ["Source", download.url], ...(download.mirrors ?? []).map((url) => ["Mirror", url]),
      ...(response?.redirects ?? []).map((url) => ["By way of", url]),
      ["Served by", response && response.url !== download.url ? response.url : null],
      [download.path || !download.destination.endsWith("/") ? "File" : "Folder", download.path ?? download.destination],
      ["Priority", isEnded(download) ? null : download.priority],
      ["Connections", download.connections], ["Speed limit", limit ? format.speed(limit) : null],
      ["Not before", download.notBefore ? format.time(download.notBefore) : null],
      ["Failures in a row", download.failures], ["Type", field("content-type")], ["Changed on server", field("last-modified")],
      ["Session", download.session], ["Added", format.time(download.createdAt)],
      ["Ended", download.endedAt ? format.time(download.endedAt) : null], ["Id", download.id],
    ].filter(([, value]) => value !== undefined && value !== null && value !== "");
    const text = JSON.stringify(facts);
    if (this.factsText === text) return;
    this.factsText = text;
    this.facts.replaceChildren(...facts.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, String(value))]));
  }
}
