// The dialogs that add, change and remove, and the one that logs in.

import * as api from "./api.js";
import { $, announce, setText } from "./dom.js";
import * as format from "./format.js";

const mebibyte = 1024 * 1024;

export const toRate = (text) => (text === "" ? null : Math.max(1, Math.round(Number(text) * mebibyte)));
export const fromRate = (rate) => (rate ? String(Math.round((rate / mebibyte) * 100) / 100 || 0.01) : "");

// A form in a <dialog>: `submit` runs once at a time, and what it throws is shown in the form; what it
// returns is called when the dialog is away and others can have the focus.
export class Form {
  // Called with what was thrown too late for the form to show it.
  static complain = () => {};
  #openings = 0;

  constructor(id, submit) {
    this.dialog = $(id);
    this.form = this.dialog.querySelector("form");
    this.error = this.dialog.querySelector(".error");
    this.button = this.form.querySelector("[type=submit]");
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#submit(submit);
    });
    this.dialog.querySelector("[data-close]")?.addEventListener("click", () => this.dialog.close());
  }

  open() {
    this.error.hidden = true;
    if (this.dialog.open) return;
    this.#openings += 1;
    this.button.disabled = false;
    this.dialog.showModal();
  }

  async #submit(submit) {
    const { button } = this;
    if (button.disabled) return;
    button.disabled = true;
    this.error.hidden = true;
    const opening = this.#openings;
    // It may be closed by then, or open for others.
    const isOpen = () => this.dialog.open && opening === this.#openings;
    try {
      const after = await submit();
      const wasOpen = isOpen();
      if (wasOpen) this.dialog.close();
      after?.(wasOpen);
    } catch (error) {
      if (!isOpen()) { Form.complain(error); return; }
      setText(this.error, error.text ?? error.message);
      this.error.hidden = false;
    } finally {
      if (opening === this.#openings) button.disabled = false;
    }
  }
}

// The addresses in a text, and what is none.
export function addresses(text) {
  const found = [], wrong = [];
  const lines = text.split("\n").filter((line) => !line.trimStart().startsWith("#"));
  for (const word of lines.join("\n").split(/\s+/).filter(Boolean)) {
    // A browser takes `http:host`, too.
    if (/^https?:\/\//i.test(word) && URL.canParse(word)) found.push(word);
    else wrong.push(word);
  }
  return { found: [...new Set(found)], wrong };
}

export class AddForm extends Form {
  constructor(store) {
    super("add", () => this.#add());
    this.store = store;
    this.urls = $("add-urls");
    this.keys = new Map();
    this.urls.addEventListener("input", () => this.#count());
    this.urls.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) this.form.requestSubmit();
    });
  }

  open(text = "") {
    // What was typed before stays where a second text comes in.
    const before = this.dialog.open ? this.urls.value.trim() : "";
    this.urls.value = [before, text.trim()].filter(Boolean).join("\n");
    this.#count();
    $("add-folder").placeholder = this.store.settings?.allowedFolders?.[0] ?? "The downloads folder";
    super.open();
    this.urls.focus();
  }

  #count() {
    const { found, wrong } = addresses(this.urls.value);
    const parts = found.length ? [format.plural(found.length, "address", "addresses")] : [];
    if (wrong.length) parts.push(`not an address: ${wrong[0].slice(0, 60)}`);
    setText($("add-count"), parts.join(" · "));
  }

  async #add() {
    const { found, wrong } = addresses(this.urls.value);
    if (wrong.length) throw new Error(`“${wrong[0].slice(0, 80)}” is no http or https address`);
    if (!found.length) throw new Error("give an address");
    const settings = {};
    if ($("add-connections").value) settings.connections = Number($("add-connections").value);
    if ($("add-limit").value) settings.limitBytesPerSecond = toRate($("add-limit").value);
    if ($("add-checksum").value.trim()) {
      if (found.length > 1) throw new Error("a checksum is for one address");
      settings.checksum = $("add-checksum").value.trim();
    }
    const folder = $("add-folder").value.trim();
    const destination = folder && !folder.endsWith("/") ? `${folder}/` : folder;
    const downloads = found.map((url) => ({
      url, destination, settings, priority: $("add-priority").value, isPaused: $("add-paused").checked,
    }));
    // Where an answer was lost, the second attempt adds nothing twice.
    const key = (part) => {
      if (!this.keys.has(part)) this.keys.set(part, `${Date.now()}-${Math.random()}`);
      return this.keys.get(part);
    };
    let count = 0;
    try {
      await api.add(downloads, key, (added, length) => { this.store.learned(added); count += length; });
    } catch (error) {
      if (!count) throw error;
      this.#strike(found.slice(0, count));
      throw new Error(`The first ${count} were added. Of the rest: ${error.text ?? error.message}`);
    }
    this.keys.clear();
    this.#strike(found);
    if ($("add-checksum").value.trim() === settings.checksum) $("add-checksum").value = "";
    announce(`${format.plural(count, "download")} added`);
  }

  // What was added goes, what was typed meanwhile stays.
  #strike(added) {
    const gone = new Set(added);
    this.urls.value = this.urls.value.replace(/\S+\s*/g, (word) => (gone.has(word.trim()) ? "" : word));
    this.#count();
  }
}

export class ChangeForm extends Form {
  constructor(store) {
    super("change", () => this.#change());
    this.store = store;
  }

  open(id) {
    this.download = this.store.get(id);
    if (!this.download) return;
    $("change-name").value = this.download.name;
    $("change-url").value = $("change-connections").value = "";
    $("change-priority").value = this.download.priority;
    $("change-limit").value = fromRate(this.download.limitBytesPerSecond);
    super.open();
  }

  async #change() {
    const { download } = this;
    const changes = {};
    const name = $("change-name").value.trim();
    if (name && name !== download.name) changes.name = name;
    if ($("change-url").value) changes.url = $("change-url").value;
    if ($("change-priority").value !== download.priority) changes.priority = $("change-priority").value;
    if ($("change-connections").value) changes.connections = Number($("change-connections").value);
    const limit = $("change-limit").value;
    if (limit !== fromRate(download.limitBytesPerSecond)) changes.limitBytesPerSecond = toRate(limit) ?? 0;
    if (!Object.keys(changes).length) return;
    this.store.learned((await api.change([download.id], changes)).downloads);
    announce("Changed");
  }
}

export class RemoveForm extends Form {
  constructor(store) {
    super("remove", () => this.#remove());
    this.store = store;
  }

  open(ids) {
    this.ids = ids.filter((id) => this.store.get(id));
    if (!this.ids.length) return;
    const one = this.ids.length === 1 ? `“${this.store.get(this.ids[0]).name}”` : format.plural(this.ids.length, "download");
    setText($("remove-text"), `Take ${one} off the list?`);
    $("remove-files").checked = false;
    this.isDone = false;
    super.open();
  }

  async #remove() {
    const { ids } = this;
    const after = (wasOpen) => this.whenRemoved(ids, wasOpen);
    // Once it was told what is still there, the button only closes.
    if (this.isDone) return after;
    const outcome = await api.act($("remove-files").checked ? "remove-with-files" : "remove", ids);
    // It may have been closed and opened for others meanwhile.
    if (this.ids === ids) this.isDone = true;
    this.store.forget(ids);
    announce(`${format.plural(ids.length, "download")} removed`);
    api.checkRemoved(outcome);
    return after;
  }
}

// Cancelling throws away what has been received, so it is asked for first; nothing is asked where there is none.
export class CancelForm extends Form {
  // cancel(ids)
  constructor(store, cancel) {
    super("cancel", async () => this.cancel(this.ids));
    this.store = store;
    this.cancel = cancel;
  }

  open(ids) {
    this.ids = ids.filter((id) => this.store.get(id));
    const kept = this.ids.map((id) => this.store.get(id)).filter((download) => download.completedBytes > 0);
    if (!kept.length) { if (this.ids.length) this.cancel(this.ids); return; }
    const sum = kept.reduce((sum, download) => sum + download.completedBytes, 0);
    const one = this.ids.length === 1 ? `“${kept[0].name}”` : format.plural(this.ids.length, "download");
    setText($("cancel-text"), `Cancel ${one}? The ${format.bytes(sum)} that have been received are deleted. Pausing keeps them.`);
    super.open();
  }
}

export class LoginForm extends Form {
  constructor(whenIn) {
    super("login", async () => {
      await api.login({ token: $("login-token").value.trim() });
      $("login-token").value = "";
      return whenIn;
    });
    this.dialog.addEventListener("cancel", (event) => event.preventDefault());
  }
}
