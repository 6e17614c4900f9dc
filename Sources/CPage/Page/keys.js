// The dialog with the keys of the page.

import { $, el } from "./dom.js";
import { t } from "./i18n.js";

const command = /Mac|iPhone|iPad/.test(navigator.platform) ? "⌘" : "Ctrl";

export const undoKeys = `${command}+Z`;

// Each line: the keys, and the name of the text that explains them.
const keys = [
  ["↑ ↓ PgUp PgDn Home End", "move"], ["Enter", "open"], ["Esc", "close"], ["Space", "select"],
  ["Shift+↑ Shift+↓", "extend"], [`${command}+A`, "all"], ["p", "toggle"], ["m", "menu"], ["Delete", "remove"], [undoKeys, "undo"],
  ["Alt+↑ Alt+↓ Alt+Home Alt+End", "order"], ["n", "add"], [`${command}+V`, "paste"], ["/", "search"], ["?", "help"],
];

export class Shortcuts {
  constructor() {
    this.dialog = $("keys");
    this.dialog.querySelector("[data-close]").addEventListener("click", () => this.dialog.close());
    $("key-list").append(...keys.flatMap(([combinations, name]) => [
      el("dt", {}, ...combinations.split(" ").flatMap((each) => [el("kbd", {}, each), " "])),
      el("dd", {}, t(`keys.${name}`)),
    ]));
  }

  open() {
    if (!document.querySelector("dialog[open]")) this.dialog.showModal();
  }
}
