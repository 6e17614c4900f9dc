// The menu with actions on all downloads of the queue.

import { $, el, setAttribute, setText } from "./dom.js";

// Each item applies an action of the API to all downloads in some states.
const items = [
  { label: "Pause all", action: "pause", states: ["waiting", "waitingForConnectivity", "running", "suspended"] },
  { label: "Resume all paused", action: "resume", states: ["paused", "suspended"] },
  { label: "Retry all failed", action: "resume", states: ["failed"] },
  { label: "Clear finished and cancelled", action: "remove", states: ["finished", "cancelled"] },
];

export class Menu {
  // act(action, states)
  constructor(store, act) {
    this.store = store;
    this.menu = $("menu");
    this.opener = $("open-menu");
    for (const item of items) {
      item.button = el("button", { type: "button", role: "menuitem", tabindex: -1, onclick: () => {
        if (item.button.ariaDisabled === "true") return;
        this.menu.hidePopover();
        act(item.action, item.states);
      } }, el("span", {}, item.label), el("span", { class: "count" }));
      this.menu.append(item.button);
    }
    this.menu.addEventListener("beforetoggle", (event) => { if (event.newState === "open") this.#place(); });
    this.menu.addEventListener("toggle", (event) => {
      const isOpen = event.newState === "open";
      setAttribute(this.opener, "aria-expanded", String(isOpen));
      if (isOpen) this.#enabled()[0]?.focus();
    });
    this.menu.addEventListener("keydown", (event) => this.#key(event));
  }

  // Shows to how many downloads each item applies.
  draw() {
    for (const { button, states } of items) {
      const count = states.reduce((sum, state) => sum + (this.store.counts[state] ?? 0), 0);
      setText(button.lastChild, count.toLocaleString("en"));
      // A disabled button would lose the focus.
      setAttribute(button, "aria-disabled", count === 0);
    }
  }

  #enabled() { return items.map(({ button }) => button).filter((button) => button.ariaDisabled !== "true"); }

  // Puts the menu below its button, within the page.
  #place() {
    this.draw();
    const { right, bottom } = this.opener.getBoundingClientRect();
    this.menu.style.top = `${bottom + 4}px`;
    this.menu.style.right = `${Math.max(8, document.documentElement.clientWidth - right)}px`;
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
