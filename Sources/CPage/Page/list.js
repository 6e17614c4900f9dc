// The list of downloads: a grid that has elements for the visible rows only.

import { $, el, icon, inFrame, setAttribute, setText } from "./dom.js";
import * as format from "./format.js";
import { isActive, isEnded } from "./store.js";

// The number of rows that are drawn beyond each edge of the visible part.
const margin = 4;

export class List {
  current = null;
  selected = new Set();
  // Returns the id of the download whose details are displayed.
  opened = () => null;
  #pool = [];
  #drag = null;

  // actions: open(id), toggle(id), remove(ids), move(id, direction), moveBefore(id, other), selectionChanged()
  constructor(store, actions) {
    this.store = store;
    this.actions = actions;
    this.grid = $("grid");
    this.viewport = $("viewport");
    this.rows = $("rows");
    this.line = el("div", { class: "line", role: "presentation", hidden: true });
    this.rows.append(this.line);
    this.grid.tabIndex = 0;
    this.draw = inFrame(() => this.#draw());
    this.viewport.addEventListener("scroll", this.draw, { passive: true });
    new ResizeObserver(() => { this.height = 0; this.draw(); }).observe(this.viewport);
    this.grid.addEventListener("keydown", (event) => this.#key(event));
    this.grid.addEventListener("focus", () => { this.#ensureCurrent(); this.draw(); });
    this.rows.addEventListener("click", (event) => this.#click(event));
    this.#listenToDrags();
  }

  // MARK: Drawing

  #draw() {
    const { view } = this.store;
    // The grid may have received the focus before it had rows.
    if (this.current === null && document.activeElement === this.grid) this.#ensureCurrent();
    if (!this.height) {
      this.height = parseFloat(getComputedStyle(this.grid).getPropertyValue("--row")) || 56;
      this.seen = this.viewport.clientHeight;
    }
    this.#fitHead(view.length * this.height > this.seen);
    const total = `${view.length * this.height}px`;
    if (this.rows.style.height !== total) this.rows.style.height = total;
    const top = this.viewport.scrollTop;
    const first = Math.max(0, Math.floor(top / this.height) - margin);
    const last = Math.min(view.length, Math.ceil((top + this.seen) / this.height) + margin);
    const count = Math.ceil(this.seen / this.height) + 2 * margin + 1;
    while (this.#pool.length < count) this.#pool.push(new Row(this.rows));
    const used = new Set();
    for (let index = first; index < last; index += 1) {
      const row = this.#pool[index % this.#pool.length];
      used.add(row);
      row.show(view[index], index, this);
    }
    for (const row of this.#pool) if (!used.has(row)) row.hide();
    setAttribute(this.grid, "aria-rowcount", view.length + 1);
    const hasCurrent = this.current !== null && this.#pool.some((row) => row.id === this.current);
    setAttribute(this.grid, "aria-activedescendant", hasCurrent ? `row-${this.current}` : null);
    if (last === view.length) this.store.loadOlder().catch(() => {});
  }

  // Aligns the headings with their columns, with and without a scroll bar.
  #fitHead(scrolls) {
    if (this.scrolls === scrolls) return;
    this.scrolls = scrolls;
    this.viewport.classList.toggle("scrolls", scrolls);
    this.grid.style.setProperty("--bar", `${this.viewport.offsetWidth - this.viewport.clientWidth}px`);
  }

  // MARK: Navigation

  index() { return this.store.view.findIndex((download) => download.id === this.current); }

  #ensureCurrent() {
    if (this.index() < 0) this.current = this.store.view[0]?.id ?? null;
  }

  go(index, extends_ = false) {
    const { view } = this.store;
    if (!view.length) return;
    const target = Math.max(0, Math.min(view.length - 1, index));
    if (extends_) {
      if (this.current !== null) this.selected.add(this.current);
      this.selected.add(view[target].id);
      this.actions.selectionChanged();
    }
    this.current = view[target].id;
    this.reveal(target);
    this.draw();
  }

  reveal(index) {
    const top = index * this.height;
    const { scrollTop } = this.viewport;
    if (top < scrollTop) this.viewport.scrollTop = top;
    else if (top + this.height > scrollTop + this.seen) this.viewport.scrollTop = top + this.height - this.seen;
  }

  // The selected downloads; without a selection, the current one.
  targets() {
    if (this.selected.size) return [...this.selected];
    return this.current === null ? [] : [this.current];
  }

  select(ids) {
    this.selected = new Set(ids);
    this.actions.selectionChanged();
    this.draw();
  }

  #toggleSelection(id) {
    if (!this.selected.delete(id)) this.selected.add(id);
    this.actions.selectionChanged();
    this.draw();
  }

  #key(event) {
    if (event.target !== this.grid) return;
    const page = Math.max(1, Math.floor(this.seen / this.height) - 1);
    const at = this.index();
    const { key, altKey, shiftKey } = event;
    const isCommand = event.ctrlKey || event.metaKey;
    const moves = { ArrowUp: "up", ArrowDown: "down", Home: "first", End: "last" };
    if (altKey && moves[key] && this.current !== null) this.actions.move(this.current, moves[key]);
    else if (altKey) return;
    else if (key === "ArrowDown") this.go(at + 1, shiftKey);
    else if (key === "ArrowUp") this.go(at < 0 ? 0 : at - 1, shiftKey);
    else if (key === "PageDown") this.go(at + page);
    else if (key === "PageUp") this.go(at - page);
    else if (key === "Home") this.go(0);
    else if (key === "End") this.go(this.store.view.length - 1);
    else if (key === "a" && isCommand) this.select(this.store.view.map((download) => download.id));
    else if (isCommand) return;
    else if (key === "Enter" && at >= 0) this.actions.open(this.current, true);
    else if (key === " " && at >= 0) this.#toggleSelection(this.current);
    else if (key === "p" && at >= 0) this.actions.toggle(this.current);
    else if (key === "Delete" && at >= 0) this.actions.remove(this.targets());
    else if (key === "Escape" && this.selected.size) this.select([]);
    else if (key === "n") this.actions.add();
    else if (key === "/") $("search").focus();
    else return;
    event.preventDefault();
  }

  #click(event) {
    const element = event.target.closest(".row");
    if (!element) return;
    const id = Number(element.dataset.id);
    if (event.target.closest("button")) { this.actions.toggle(id); return; }
    // A touch has no modifier keys: it selects on the icon, and anywhere while something is selected.
    const touches = event.pointerType === "touch" && this.selected.size > 0;
    if (event.target.closest(".icon") || touches) {
      this.#toggleSelection(id);
    } else if (event.ctrlKey || event.metaKey) {
      if (!this.selected.size && this.current !== null) this.selected.add(this.current);
      this.#toggleSelection(id);
    } else if (event.shiftKey && this.index() >= 0) {
      const to = this.store.view.findIndex((download) => download.id === id);
      const [low, high] = [this.index(), to].sort((a, b) => a - b);
      this.select(this.store.view.slice(low, high + 1).map((download) => download.id));
    } else {
      if (this.selected.size) this.select([]);
      this.actions.open(id);
    }
    this.current = id;
    this.draw();
  }

  // MARK: Dragging

  #listenToDrags() {
    const { rows } = this;
    rows.addEventListener("dragstart", (event) => {
      const element = event.target.closest?.(".row");
      if (!element) return;
      this.#drag = Number(element.dataset.id);
      event.dataTransfer.effectAllowed = "move";
      event.dataTransfer.setData("application/x-pawl", element.dataset.id);
      element.classList.add("dragged");
    });
    rows.addEventListener("dragover", (event) => {
      if (this.#drag === null) return;
      event.preventDefault();
      const index = this.#dropIndex(event);
      this.line.hidden = false;
      this.line.style.transform = `translateY(${index * this.height - 1}px)`;
    });
    rows.addEventListener("drop", (event) => {
      if (this.#drag === null) return;
      event.preventDefault();
      event.stopPropagation();
      this.actions.moveBefore(this.#drag, this.store.view[this.#dropIndex(event)]);
    });
    rows.addEventListener("dragend", () => {
      this.#drag = null;
      this.line.hidden = true;
      for (const row of this.#pool) row.element.classList.remove("dragged");
    });
  }

  get isDragging() { return this.#drag !== null; }

  // The index of the row that the dragged one would precede. Ended downloads stay behind all others.
  #dropIndex(event) {
    const { view } = this.store;
    const offset = event.clientY - this.rows.getBoundingClientRect().top;
    let index = Math.max(0, Math.min(view.length, Math.round(offset / this.height)));
    while (index > 0 && isEnded(view[index - 1])) index -= 1;
    return index;
  }
}

// The action of a row's button.
export function mainAction(download) {
  if (isActive(download) || download.state === "waiting") return { name: "pause", label: "Pause", icon: "pause" };
  if (download.state === "finished") return null;
  const hasEnded = isEnded(download);
  return { name: "resume", label: hasEnded ? "Retry" : "Resume", icon: hasEnded ? "retry" : "resume" };
}

export function subtitle(download) {
  const parts = [format.stateName(download)];
  if (download.problem) parts.push(download.problem.title);
  else if (format.host(download.url)) parts.push(format.host(download.url));
  if (download.priority !== "normal" && !isEnded(download)) parts.push(`${download.priority} priority`);
  return parts.join(" · ");
}

// The elements of a row. They are reused for other downloads while the list scrolls.
class Row {
  id = null;

  constructor(parent) {
    this.icon = el("span", { class: "icon", title: "Select" });
    this.name = el("span", { class: "name" });
    this.sub = el("span", { class: "sub" });
    this.fill = el("span", { class: "fill" });
    this.bar = el("span", { class: "progress", role: "progressbar", "aria-label": "Progress", "aria-valuemin": "0", "aria-valuemax": "100" }, this.fill);
    this.amount = el("span", { class: "amount" });
    this.percent = el("span", { class: "percent" });
    this.speed = el("span", { class: "speed right", role: "gridcell" });
    this.left = el("span", { class: "left right", role: "gridcell" });
    this.button = el("button", { type: "button", class: "small", tabindex: "-1" });
    this.element = el("div", { class: "row", role: "row" },
      el("span", { class: "title", role: "gridcell" }, this.icon, el("span", { class: "names" }, this.name, this.sub)),
      el("span", { class: "status", role: "gridcell" }, this.bar, el("span", { class: "figures" }, this.amount, this.percent)),
      this.speed, this.left, el("span", { class: "act", role: "gridcell" }, this.button));
    parent.append(this.element);
  }

  show(download, index, list) {
    const { element } = this;
    if (this.id !== download.id) {
      this.id = download.id;
      element.id = `row-${download.id}`;
      element.dataset.id = download.id;
    }
    if (element.hidden) element.hidden = false;
    if (this.index !== index || this.height !== list.height) {
      this.index = index;
      this.height = list.height;
      element.style.transform = `translateY(${index * list.height}px)`;
      setAttribute(element, "aria-rowindex", index + 2);
    }
    this.isSelected = list.selected.has(download.id);
    setAttribute(element, "aria-selected", String(this.isSelected));
    element.classList.toggle("current", list.current === download.id);
    element.classList.toggle("open", list.opened() === download.id);
    setAttribute(element, "draggable", isEnded(download) ? null : "true");
    this.#values(download);
  }

  #values(download) {
    const { state } = download;
    const iconName = this.isSelected ? "finished" : format.stateIcon(state);
    if (this.iconName !== iconName) {
      this.iconName = iconName;
      this.icon.replaceChildren(icon(iconName));
    }
    if (this.state !== state) this.element.dataset.state = this.state = state;
    setText(this.name, download.name || format.host(download.url));
    setText(this.sub, subtitle(download));
    setText(this.amount, format.amount(download));
    setText(this.percent, state === "finished" ? "" : format.percent(download));
    setText(this.speed, state === "running" ? format.speed(download.bytesPerSecond) : "");
    setText(this.left, format.timeLeft(download));
    const part = format.fraction(download);
    this.element.classList.toggle("bare", !part && state !== "running");
    const width = `scaleX(${(part ?? 0).toFixed(4)})`;
    if (this.width !== width) this.fill.style.transform = this.width = width;
    setAttribute(this.bar, "aria-valuenow", part === undefined ? null : Math.floor(part * 100));
    this.#action(mainAction(download), download);
  }

  #action(action, download) {
    this.button.hidden = !action;
    if (!action) return;
    if (this.buttonIcon !== action.icon) {
      this.buttonIcon = action.icon;
      this.button.replaceChildren(icon(action.icon));
    }
    const label = `${action.label} ${download.name}`;
    setAttribute(this.button, "aria-label", label);
    setAttribute(this.button, "title", action.label);
  }

  hide() {
    if (!this.element.hidden) this.element.hidden = true;
    if (this.id === null) return;
    this.id = null;
    this.element.removeAttribute("id");
  }
}
