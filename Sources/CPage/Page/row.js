// The elements of a row. They are reused for other downloads while the list scrolls.

import { isShown, shownColumns } from "./columns.js";
import { el, icon, setAttribute, setText } from "./dom.js";
import * as format from "./format.js";
import { t } from "./i18n.js";
import { may } from "./rights.js";
import { isActive, isEnded, mainAction } from "./states.js";

// Where the pointer is not a mouse, a long press selects and does not drag.
const isCoarse = matchMedia("(pointer: coarse)").matches;
// As in style.css: on a narrow screen there are no checkboxes, and the icon shows what is selected.
const narrow = matchMedia("(max-width: 720px)");

export function subtitle(download) {
  const parts = [format.stateName(download)];
  // On a narrow screen there are no columns.
  if (download.label && (narrow.matches || !isShown({ name: "label" }))) parts.push(download.label);
  if (download.problem) parts.push(download.problem.title);
  else if (format.host(download.url)) parts.push(format.host(download.url));
  if (download.priority !== "normal" && !isEnded(download)) parts.push(t(`row.${download.priority}`));
  return parts.join(" · ");
}

export const actionLabel = (action) => t(`action.${action.label ?? action.name}`);

export class Row {
  id = null;

  constructor(parent) {
    this.box = el("input", { type: "checkbox", tabindex: "-1" });
    this.icon = el("span", { class: "icon", title: t("row.select") });
    this.name = el("span", { class: "name", dir: "auto" });
    this.sub = el("span", { class: "sub" });
    this.fill = el("span", { class: "fill" });
    this.bar = el("span", { class: "progress", role: "progressbar", "aria-label": t("column.progress"), "aria-valuemin": "0", "aria-valuemax": "100" }, this.fill);
    this.amount = el("span", { class: "amount" });
    this.percent = el("span", { class: "percent" });
    this.button = el("button", { type: "button", class: "small", tabindex: "-1" });
    this.more = el("button", { type: "button", class: "small more", tabindex: "-1", "aria-haspopup": "menu", title: t("row.more") }, icon("more"));
    this.cells = shownColumns().filter(({ text }) => text).map((column) => {
      const node = el("span", { class: `cell col-${column.name}${column.isRight ? " right" : ""}`, role: "gridcell" });
      return { node, text: column.text };
    });
    this.element = el("div", { class: "row", role: "row" },
      el("span", { class: "box", role: "gridcell" }, el("label", {}, this.box)),
      el("span", { class: "title", role: "gridcell" }, this.icon, el("span", { class: "names" }, this.name, this.sub)),
      el("span", { class: "status", role: "gridcell" }, this.bar, el("span", { class: "figures" }, this.amount, this.percent)),
      ...this.cells.map(({ node }) => node),
      el("span", { class: "act", role: "gridcell" }, this.button, this.more));
    parent.append(this.element);
  }

  show(download, index, list) {
    const { element } = this;
    const { revision } = list.store;
    if (this.id !== download.id) {
      this.id = download.id;
      this.revision = null;
      element.id = `row-${download.id}`;
      element.dataset.id = download.id;
    }
    if (element.hidden) element.hidden = false;
    if (this.index !== index || this.height !== list.height) {
      this.index = index;
      this.height = list.height;
      this.revision = null;
      element.style.transform = `translateY(${index * list.height}px)`;
      setAttribute(element, "aria-rowindex", index + 2);
    }
    const isSelected = list.selected.has(download.id);
    if (this.isSelected !== isSelected) this.revision = null;
    this.isSelected = isSelected;
    setAttribute(element, "aria-selected", String(this.isSelected));
    if (this.box.checked !== this.isSelected) this.box.checked = this.isSelected;
    element.classList.toggle("current", list.current === download.id);
    element.classList.toggle("open", list.opened() === download.id);
    // The progress of the running downloads changes nothing in the other rows.
    if (this.revision === revision && !isActive(download)) return;
    this.revision = revision;
    const moves = list.store.isQueueOrder && !isCoarse && !isEnded(download) && may("control", download);
    setAttribute(element, "draggable", moves ? "true" : null);
    this.#values(download);
  }

  #values(download) {
    const { state } = download;
    const iconName = this.isSelected && narrow.matches ? "finished" : format.stateIcon(state);
    if (this.iconName !== iconName) {
      this.iconName = iconName;
      this.icon.replaceChildren(icon(iconName));
    }
    if (this.state !== state) this.element.dataset.state = this.state = state;
    const name = download.name || format.host(download.url);
    if (this.shownName !== name) {
      this.shownName = name;
      setText(this.name, name);
      setAttribute(this.box, "aria-label", t("row.selectName", { name }));
      setAttribute(this.more, "aria-label", t("row.moreName", { name }));
    }
    setText(this.sub, subtitle(download));
    setText(this.amount, format.amount(download));
    setText(this.percent, state === "finished" ? "" : format.percent(download));
    for (const { node, text } of this.cells) setText(node, text(download));
    const part = format.fraction(download);
    this.element.classList.toggle("bare", !part && state !== "running");
    const width = `scaleX(${(part ?? 0).toFixed(4)})`;
    if (this.width !== width) this.fill.style.transform = this.width = width;
    setAttribute(this.bar, "aria-valuenow", part === undefined ? null : Math.floor(part * 100));
    this.#action(may("control", download) ? mainAction(download) : null, name);
  }

  #action(action, name) {
    this.button.hidden = !action;
    if (!action) return;
    if (this.buttonIcon !== action.icon) {
      this.buttonIcon = action.icon;
      this.button.replaceChildren(icon(action.icon));
      setAttribute(this.button, "title", actionLabel(action));
    }
    setAttribute(this.button, "aria-label", `${actionLabel(action)} ${name}`);
  }

  hide() {
    if (!this.element.hidden) this.element.hidden = true;
    if (this.id === null) return;
    this.id = null;
    this.element.removeAttribute("id");
  }
}
