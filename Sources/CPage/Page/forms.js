// The dialogs: add, change, remove, cancel and log in.

import * as api from "./api.js";
import { $, announce, setText } from "./dom.js";
import { downloadFields } from "./fields.js";
import * as format from "./format.js";
import { SettingInputs } from "./inputs.js";

// A form in a <dialog>. `submit` never runs twice at the same time. An error that it throws is shown in the form.
// If it returns a function, that function is called after the dialog was closed, when it can move the focus.
export class Form {
  // Shows an error that arrives after its form was closed.
  static showLateError = () => {};
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
    // A browser cannot show what is wrong with an input in closed details.
    this.form.addEventListener("invalid", (event) => { event.target.closest("details")?.setAttribute("open", ""); }, true);
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
    // The dialog may have been closed, or opened for other downloads, in the meantime.
    const isOpen = () => this.dialog.open && opening === this.#openings;
    try {
      const after = await submit();
      const wasOpen = isOpen();
      if (wasOpen) this.dialog.close();
      after?.(wasOpen);
    } catch (error) {
      if (!isOpen()) { Form.showLateError(error); return; }
      setText(this.error, error.text ?? error.message);
      this.error.hidden = false;
    } finally {
      if (opening === this.#openings) button.disabled = false;
    }
  }
}

// The URLs in a text, and the words that are not URLs.
export function parseURLs(text) {
  const urls = [], invalid = [];
  const lines = text.split("\n").filter((line) => !line.trimStart().startsWith("#"));
  for (const word of lines.join("\n").split(/\s+/).filter(Boolean)) {
    // `URL` would also accept `http:host`.
    if (/^(https?|ftps?|ftpes|sftp):\/\//i.test(word) && URL.canParse(word)) urls.push(word);
    else invalid.push(word);
  }
  return { urls: [...new Set(urls)], invalid };
}

export class AddForm extends Form {
  constructor(store) {
    super("add", () => this.#add());
    this.store = store;
    this.urls = $("add-urls");
    const parents = { connections: "add-main", limitBytesPerSecond: "add-main", checksum: "add-wide" };
    this.inputs = new SettingInputs(downloadFields, "add", ({ name }) => $(parents[name] ?? "add-more"));
    this.keys = new Map();
    this.urls.addEventListener("input", () => this.#count());
    this.urls.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) this.form.requestSubmit();
    });
  }

  open(text = "") {
    // Text that is pasted while the dialog is open is appended.
    const before = this.dialog.open ? this.urls.value.trim() : "";
    this.urls.value = [before, text.trim()].filter(Boolean).join("\n");
    this.#count();
    $("add-folder").placeholder = this.store.settings?.allowedFolders?.[0] ?? "Default downloads folder";
    super.open();
    this.urls.focus();
  }

  #count() {
    const { urls, invalid } = parseURLs(this.urls.value);
    const parts = urls.length ? [format.plural(urls.length, "URL")] : [];
    if (invalid.length) parts.push(`not a URL: ${invalid[0].slice(0, 60)}`);
    setText($("add-count"), parts.join(" · "));
  }

  async #add() {
    const { urls, invalid } = parseURLs(this.urls.value);
    if (invalid.length) throw new Error(`“${invalid[0].slice(0, 80)}” is not an HTTP or HTTPS URL`);
    if (!urls.length) throw new Error("Enter at least one URL");
    const settings = this.inputs.changes();
    if (settings.checksum && urls.length > 1) throw new Error("A checksum can be used with a single URL only");
    const folder = $("add-folder").value.trim();
    const destination = folder && !folder.endsWith("/") ? `${folder}/` : folder;
    const downloads = urls.map((url) => ({
      url, destination, settings, priority: $("add-priority").value, isPaused: $("add-paused").checked,
    }));
    // If a response was lost, the second attempt adds nothing twice.
    const key = (part) => {
      if (!this.keys.has(part)) this.keys.set(part, `${Date.now()}-${Math.random()}`);
      return this.keys.get(part);
    };
    let count = 0;
    try {
      await api.add(downloads, key, (added, length) => { this.store.update(added); count += length; });
    } catch (error) {
      if (!count) throw error;
      this.#removeURLs(urls.slice(0, count));
      throw new Error(`The first ${count} were added. The others were not: ${error.text ?? error.message}`);
    }
    this.keys.clear();
    this.#removeURLs(urls);
    // These are for one file; the user may have typed others in the meantime.
    const { checksum, mirrors } = this.inputs.changes();
    if (checksum === settings.checksum) this.inputs.clear("checksum");
    if (String(mirrors) === String(settings.mirrors)) this.inputs.clear("mirrors");
    announce(`${format.plural(count, "download")} added`);
  }

  // Removes the URLs that were added from the field; the user may have typed others in the meantime.
  #removeURLs(added) {
    const isAdded = new Set(added);
    this.urls.value = this.urls.value.replace(/\S+\s*/g, (word) => (isAdded.has(word.trim()) ? "" : word));
    this.#count();
  }
}

export class ChangeForm extends Form {
  constructor(store) {
    super("change", () => this.#change());
    this.store = store;
    const fields = downloadFields.filter((field) => field.isChangeable);
    const main = ["connections", "limitBytesPerSecond"];
    const placeholders = Object.fromEntries(fields.map(({ name }) => [name, "Unchanged"]));
    this.inputs = new SettingInputs(fields, "change", ({ name }) => $(main.includes(name) ? "change-main" : "change-more"),
      { ...placeholders, limitBytesPerSecond: "No limit" });
  }

  open(id) {
    this.download = this.store.get(id);
    if (!this.download) return;
    $("change-name").value = this.download.name;
    $("change-url").value = "";
    $("change-priority").value = this.download.priority;
    this.inputs.show({ limitBytesPerSecond: this.download.limitBytesPerSecond });
    super.open();
  }

  async #change() {
    const { download } = this;
    const changes = this.inputs.changes();
    const name = $("change-name").value.trim();
    if (name && name !== download.name) changes.name = name;
    if ($("change-url").value) changes.url = $("change-url").value;
    if ($("change-priority").value !== download.priority) changes.priority = $("change-priority").value;
    if (!Object.keys(changes).length) return;
    this.store.update((await api.change([download.id], changes)).downloads);
    announce("Download changed");
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
    const subject = this.ids.length === 1 ? `“${this.store.get(this.ids[0]).name}”` : format.plural(this.ids.length, "download");
    setText($("remove-text"), `Remove ${subject}?`);
    $("remove-files").checked = false;
    this.isDone = false;
    super.open();
  }

  async #remove() {
    const { ids } = this;
    const after = (wasOpen) => this.removed(ids, wasOpen);
    // After the form has shown which files could not be deleted, the button only closes it.
    if (this.isDone) return after;
    const outcome = await api.act($("remove-files").checked ? "remove-with-files" : "remove", ids);
    // The form may have been opened for other downloads in the meantime.
    if (this.ids === ids) this.isDone = true;
    this.store.remove(ids);
    announce(`${format.plural(ids.length, "download")} removed`);
    api.checkRemoved(outcome);
    return after;
  }
}

// Cancelling deletes the bytes received so far, so it needs a confirmation; without such bytes it needs none.
export class CancelForm extends Form {
  // cancel(ids)
  constructor(store, cancel) {
    super("cancel", async () => this.cancel(this.ids));
    this.store = store;
    this.cancel = cancel;
  }

  open(ids) {
    this.ids = ids.filter((id) => this.store.get(id));
    const received = this.ids.map((id) => this.store.get(id)).filter((download) => download.completedBytes > 0);
    if (!received.length) { if (this.ids.length) this.cancel(this.ids); return; }
    const sum = received.reduce((sum, download) => sum + download.completedBytes, 0);
    const subject = this.ids.length === 1 ? `“${received[0].name}”` : format.plural(this.ids.length, "download");
    setText($("cancel-text"), `Cancel ${subject}? This deletes the ${format.bytes(sum)} received so far. To keep them, pause instead.`);
    super.open();
  }
}

export class LoginForm extends Form {
  constructor(loggedIn) {
    super("login", async () => {
      await api.login({ token: $("login-token").value.trim() });
      $("login-token").value = "";
      return loggedIn;
    });
    this.dialog.addEventListener("cancel", (event) => event.preventDefault());
  }
}
