// The list of downloads: a grid that has elements for the visible rows only.

import { columnTitle, shownColumns, template } from "./columns.js";
import { $, el, inFrame, setAttribute, setText } from "./dom.js";
import { t } from "./i18n.js";
import { Row } from "./row.js";
import { isEnded } from "./states.js";

// The number of rows that are drawn beyond each edge of the visible part.
const margin = 4;
// How long a touch must last to select a row, in milliseconds, and how far it may move, in pixels.
const longPress = 450, slop = 10;
// The columns whose first order is descending: the largest and the newest are looked for first.
const descendingFirst = new Set(["progress", "size", "speed", "connections", "added", "ended"]);

export class List {
  current = null;
  selected = new Set();
  // Returns the id of the download whose details are displayed.
  opened = () => null;
  #pool = [];
  #drag = null;
  // The row from which the Shift key extends the selection.
  #anchor = null;
  // The timer of a touch, and whether it has selected a row.
  #press = null;
  #hasPressed = false;

  // actions: open(id), toggle(id), remove(ids), move(id, direction), moveBefore(id, other), selectionChanged(),
  // menu(id, place), help()
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
    this.grid.addEventListener("contextmenu", (event) => this.#contextMenu(event));
    this.#listenToPresses();
    this.#listenToDrags();
    this.showColumns();
  }

  // MARK: Columns

  // Makes the headings and the rows again.
  showColumns() {
    this.box = el("input", { type: "checkbox", "aria-label": t("select.all") });
    this.box.addEventListener("change", () => this.select(this.box.checked ? this.#viewIds() : []));
    this.heads = shownColumns().map((column) => {
      const button = el("button", { type: "button", class: "sort", onclick: () => this.#sortBy(column.name) },
        el("span", {}, columnTitle(column)), el("span", { class: "arrow", "aria-hidden": "true" }));
      const element = el("span", { class: `cell col-${column.name}${column.isRight ? " right" : ""}`, role: "columnheader" }, button);
      return { column, button, element };
    });
    $("head").replaceChildren(el("span", { class: "box", role: "columnheader" }, el("label", {}, this.box)),
      ...this.heads.map(({ element }) => element),
      el("span", { class: "act", role: "columnheader" }, el("span", { class: "visually-hidden" }, t("column.actions"))));
    this.grid.style.setProperty("--columns", template());
    for (const row of this.#pool) row.element.remove();
    this.#pool = [];
    this.draw();
  }

  // A second click on a heading reverses the order, a third one returns to the order of the queue.
  #sortBy(name) {
    const { column, descending } = this.store.sort;
    const first = descendingFirst.has(name);
    if (column !== name) this.store.sortBy(name, first);
    else if (descending === first) this.store.sortBy(name, !first);
    else this.store.sortBy("queue");
    this.viewport.scrollTop = 0;
  }

  #drawHead() {
    const { column, descending } = this.store.sort;
    for (const head of this.heads) {
      const isSorted = head.column.name === column;
      setAttribute(head.element, "aria-sort", isSorted ? (descending ? "descending" : "ascending") : null);
      setText(head.button.lastChild, isSorted ? (descending ? "▾" : "▴") : "");
    }
    const { size } = this.selected;
    const hasAll = size > 0 && size >= this.store.view.length;
    if (this.box.checked !== hasAll) this.box.checked = hasAll;
    this.box.indeterminate = size > 0 && !hasAll;
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
    this.#drawHead();
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

  #viewIds() { return this.store.view.map((download) => download.id); }

  select(ids) {
    this.selected = new Set(ids);
    this.actions.selectionChanged();
    this.draw();
  }

  #toggleSelection(id) {
    if (!this.selected.delete(id)) this.selected.add(id);
    this.#anchor = id;
    this.actions.selectionChanged();
    this.draw();
  }

  // Selects the rows from one to another; `keeps` adds them to the selection.
  #selectRange(from, to, keeps) {
    const ids = this.#viewIds();
    const [low, high] = [ids.indexOf(from), ids.indexOf(to)].sort((a, b) => a - b);
    if (low < 0) return;
    this.select([...(keeps ? this.selected : []), ...ids.slice(low, high + 1)]);
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
    else if (key === "a" && isCommand) this.select(this.#viewIds());
    else if (isCommand) return;
    else if (key === "Enter" && at >= 0) this.actions.open(this.current, true);
    else if (key === " " && at >= 0) this.#toggleSelection(this.current);
    else if (key === "p" && at >= 0) this.actions.toggle(this.current);
    else if (key === "Delete" && at >= 0) this.actions.remove(this.targets());
    else if (key === "Escape" && this.selected.size) this.select([]);
    else if (key === "n") this.actions.add();
    else if (key === "/") $("search").focus();
    else if (key === "m" && at >= 0) this.actions.menu(this.current, this.#element(this.current));
    else return;
    event.preventDefault();
  }

  #click(event) {
    const element = event.target.closest(".row");
    if (!element) return;
    const id = Number(element.dataset.id);
    if (this.#hasPressed) { this.#hasPressed = false; event.preventDefault(); return; }
    const more = event.target.closest(".more");
    if (more) {
      this.current = id;
      // The focus returns to the grid when the menu is closed.
      this.grid.focus({ preventScroll: true });
      this.actions.menu(id, more);
      return;
    }
    if (event.target.closest("button")) { this.actions.toggle(id); return; }
    // A click on a label is followed by one on its checkbox.
    const box = event.target.closest(".box");
    if (box && event.target.tagName !== "INPUT") return;
    this.#choose(event, id, box !== null);
    // The keys work on the grid.
    if (box) this.grid.focus({ preventScroll: true });
    this.current = id;
    this.draw();
  }

  // Selects or opens the row that was clicked.
  #choose(event, id, isBox) {
    // A touch has no modifier keys: it selects on the icon, and anywhere while something is selected.
    const touches = event.pointerType === "touch" && this.selected.size > 0;
    if (isBox && event.shiftKey && this.#anchor !== null) {
      this.#selectRange(this.#anchor, id, true);
    } else if (isBox || touches || event.target.closest(".icon")) {
      this.#toggleSelection(id);
    } else if (event.ctrlKey || event.metaKey) {
      if (!this.selected.size && this.current !== null) this.selected.add(this.current);
      this.#toggleSelection(id);
    } else if (event.shiftKey && this.index() >= 0) {
      this.#selectRange(this.current, id, false);
    } else {
      if (this.selected.size) this.select([]);
      this.#anchor = id;
      this.actions.open(id);
    }
  }

  // MARK: Menus and long touches

  #element(id) { return this.#pool.find((row) => row.id === id)?.element ?? this.grid; }

  // The right button of the mouse opens the menu at the pointer, the key for menus at the current row.
  #contextMenu(event) {
    // A long touch selects.
    if (event.pointerType === "touch") { event.preventDefault(); return; }
    if (event.target.closest(".head")) return;
    const element = event.target.closest(".row");
    const id = element ? Number(element.dataset.id) : this.current;
    // Beside the rows, the browser's own menu opens.
    if (id === null || (!element && event.button === 2)) return;
    event.preventDefault();
    this.current = id;
    this.grid.focus({ preventScroll: true });
    this.actions.menu(id, element ? { x: event.clientX, y: event.clientY } : this.#element(id));
    this.draw();
  }

  // A long touch selects a row. The click that follows it does nothing.
  #listenToPresses() {
    const end = () => { clearTimeout(this.#press?.timer); this.#press = null; };
    this.rows.addEventListener("pointerdown", (event) => {
      const element = event.target.closest(".row");
      this.#hasPressed = false;
      end();
      if (event.pointerType !== "touch" || !element || event.target.closest("button, input")) return;
      const timer = setTimeout(() => {
        this.#press = null;
        this.#hasPressed = true;
        this.current = Number(element.dataset.id);
        this.#toggleSelection(this.current);
        navigator.vibrate?.(10);
      }, longPress);
      this.#press = { timer, x: event.clientX, y: event.clientY };
    });
    this.rows.addEventListener("pointermove", (event) => {
      const { x, y } = this.#press ?? {};
      if (Math.hypot(event.clientX - x, event.clientY - y) > slop) end();
    });
    for (const name of ["pointerup", "pointercancel"]) this.rows.addEventListener(name, end);
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
