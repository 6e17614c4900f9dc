// Menus: of all downloads, of the view, and of one row.

import { $, el, setAttribute, setText } from "./dom.js";
import { number } from "./i18n.js";

// A menu in an element with `popover`. An item is { label, act, count, isOff, isChecked, isRadio, stays }, a heading
// is { heading }, and `null` is left out. `items()` is called when the menu opens, and after an item that `stays`.
export class Menu {
  #buttons = [];

  constructor(menu, items, opener = null) {
    this.menu = menu;
    this.items = items;
    this.opener = opener;
    menu.addEventListener("beforetoggle", (event) => {
      if (event.newState !== "open") return;
      this.draw();
      if (opener) this.#placeBelow(opener.getBoundingClientRect());
    });
    menu.addEventListener("toggle", (event) => {
      const isOpen = event.newState === "open";
      if (opener) setAttribute(opener, "aria-expanded", String(isOpen));
      if (isOpen && opener) this.#keepInside();
      if (isOpen) this.#enabled()[0]?.focus();
      else this.closed?.();
    });
    menu.addEventListener("keydown", (event) => this.#key(event));
  }

  get isOpen() { return this.menu.matches(":popover-open"); }

  // Draws the items again; buttons whose labels stay are kept, so that none loses the focus.
  draw() {
    const items = this.items().filter(Boolean);
    const labels = items.map((item) => item.heading ?? item.label).join("\n");
    if (labels !== this.labels) {
      this.labels = labels;
      this.#buttons = items.map((item) => this.#element(item));
      this.menu.replaceChildren(...this.#buttons);
    }
    items.forEach((item, index) => this.#show(this.#buttons[index], item));
  }

  #element(item) {
    if (item.heading) return el("div", { class: "heading", role: "presentation" }, item.heading);
    const isChoice = item.isChecked !== undefined;
    const role = isChoice ? (item.isRadio ? "menuitemradio" : "menuitemcheckbox") : "menuitem";
    const button = el("button", { type: "button", role, tabindex: -1, onclick: () => this.#choose(button.item) },
      isChoice ? el("span", { class: "mark", "aria-hidden": "true" }, "✓") : null,
      el("span", { class: "text" }, item.label), el("span", { class: "count" }));
    return button;
  }

  #show(button, item) {
    if (item.heading) return;
    button.item = item;
    setText(button.lastChild, item.count === undefined ? "" : number(item.count));
    // A disabled button would lose the focus.
    setAttribute(button, "aria-disabled", item.isOff);
    if (item.isChecked !== undefined) setAttribute(button, "aria-checked", String(item.isChecked));
  }

  #choose(item) {
    if (item.isOff) return;
    if (!item.stays) this.menu.hidePopover();
    item.act();
    if (item.stays) this.draw();
  }

  #enabled() { return this.#buttons.filter((button) => button.item && button.ariaDisabled !== "true"); }

  // The menu may be wider than the space beside the edge of its button.
  #keepInside() {
    const { left, right } = this.menu.getBoundingClientRect();
    const style = this.menu.style;
    if (left < 8) [style.left, style.right] = ["8px", "auto"];
    else if (right > document.documentElement.clientWidth - 8) [style.left, style.right] = ["auto", "8px"];
  }

  // Puts the menu below its opener, within the page, before it is displayed.
  #placeBelow({ left, right, bottom }) {
    const { style } = this.menu, { clientWidth, dir } = document.documentElement;
    style.top = `${bottom + 4}px`;
    style.maxHeight = `calc(100vh - ${bottom + 12}px)`;
    style.left = dir === "rtl" ? `${Math.max(8, left)}px` : "auto";
    style.right = dir === "rtl" ? "auto" : `${Math.max(8, clientWidth - right)}px`;
  }

  // Opens the menu at a point of the window, or at an element.
  openAt(place) {
    if (this.isOpen) this.menu.hidePopover();
    this.menu.showPopover();
    const { clientWidth, clientHeight, dir } = document.documentElement;
    const { offsetWidth: width, offsetHeight: height, style } = this.menu;
    let { x, y } = place;
    if (place instanceof Element) {
      const box = place.getBoundingClientRect();
      x = dir === "rtl" ? box.left : box.right - width;
      y = box.bottom + 4 + height > clientHeight ? box.top - height - 4 : box.bottom + 4;
    }
    style.left = `${Math.max(8, Math.min(x, clientWidth - width - 8))}px`;
    style.top = `${Math.max(8, Math.min(y, clientHeight - height - 8))}px`;
  }

  #key(event) {
    const buttons = this.#enabled();
    const at = buttons.indexOf(document.activeElement);
    const targets = { ArrowDown: at + 1, ArrowUp: at < 0 ? -1 : at - 1, Home: 0, End: -1 };
    if (event.key === "Tab") { this.menu.hidePopover(); return; }
    if (!(event.key in targets)) return;
    event.preventDefault();
    buttons.at(targets[event.key] % buttons.length)?.focus();
  }
}

// The menu `name`, and the button that opens it.
export const menuOf = (name, items) => new Menu($(name), items, $(`open-${name}`));
