// The dialogs: change, remove, cancel and log in; and what all dialogs have in common.

import * as api from "./api.js";
import { $, announce, el, setText } from "./dom.js";
import { downloadFields } from "./fields.js";
import * as format from "./format.js";
import { t } from "./i18n.js";
import { SettingInputs } from "./inputs.js";
import { gaveToken } from "./rights.js";

// Creates a dialog that is not in index.html, because few visits need it. Its texts are named by their keys.
export function makeDialog(id, { title, submit, kind = "primary", className, close = "close.cancel" }, ...content) {
  document.body.append(el("dialog", { id, class: className, "aria-labelledby": `${id}-title` }, el("form", { method: "dialog" },
    el("h2", { id: `${id}-title` }, t(title)), ...content, el("p", { class: "error", role: "alert", hidden: true }),
    el("div", { class: "buttons" }, close && el("button", { type: "button", "data-close": true }, t(close)),
      el("button", { type: "submit", class: kind }, t(submit))))));
}

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

  // Shows an error in the form.
  show(error) {
    setText(this.error, error.text ?? error.message);
    this.error.hidden = false;
    this.error.scrollIntoView({ block: "nearest" });
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
      this.show(error);
    } finally {
      if (opening === this.#openings) button.disabled = false;
    }
  }
}

export class ChangeForm extends Form {
  constructor(store) {
    super("change", () => this.#change());
    this.store = store;
    const fields = downloadFields.filter((field) => field.isChangeable);
    const main = ["connections", "limitBytesPerSecond"];
    const placeholders = Object.fromEntries(fields.map(({ name }) => [name, t("change.unchanged")]));
    this.inputs = new SettingInputs(fields, "change", ({ name }) => $(main.includes(name) ? "change-main" : "change-more"),
      { ...placeholders, limitBytesPerSecond: t("limit.none") });
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
    announce(t("change.done"));
  }
}

// The downloads that a question is about.
export function subject(downloads) {
  return downloads.length === 1 ? t("quoted", { text: downloads[0].name }) : t("count.downloads", { n: downloads.length });
}

export class RemoveForm extends Form {
  constructor(store) {
    super("remove", () => this.#remove());
    this.store = store;
  }

  open(ids) {
    this.ids = ids.filter((id) => this.store.get(id));
    if (!this.ids.length) return;
    setText($("remove-text"), t("remove.text", { subject: subject(this.ids.map((id) => this.store.get(id))) }));
    $("remove-files").checked = false;
    this.isDone = false;
    super.open();
  }

  async #remove() {
    const { ids } = this;
    const after = (wasOpen) => this.removed(ids, wasOpen);
    // After the form has shown which files could not be deleted, the button only closes it.
    if (this.isDone) return after;
    const withFiles = $("remove-files").checked;
    const outcome = await api.act(withFiles ? "remove-with-files" : "remove", ids);
    // The form may have been opened for other downloads in the meantime.
    if (this.ids === ids) this.isDone = true;
    this.store.remove(ids);
    this.answered(outcome.downloads, withFiles);
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
    const all = this.ids.map((id) => this.store.get(id));
    setText($("cancel-text"), t("cancel.text", { subject: subject(all), amount: format.bytes(sum) }));
    super.open();
  }
}

export class LoginForm extends Form {
  constructor(loggedIn) {
    super("login", async () => {
      await api.login({ token: $("login-token").value.trim() });
      $("login-token").value = "";
      await gaveToken();
      return loggedIn;
    });
    this.dialog.addEventListener("cancel", (event) => event.preventDefault());
  }
}
