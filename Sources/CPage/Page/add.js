// The form that adds downloads.

import * as api from "./api.js";
import { $, announce, setText } from "./dom.js";
import { downloadFields } from "./fields.js";
import { Form } from "./forms.js";
import { number, t } from "./i18n.js";
import { SettingInputs } from "./inputs.js";
import { isObject, joined, listText, parseList, readFiles } from "./lists.js";
import { may } from "./rights.js";

// If nothing was added, and this number of downloads was refused for one reason, the others are not sent one by one.
const mostRefusals = 32;

// The file name, the checksum and the mirrors are those of one file, so they are cleared after it was added.
const ofOneFile = ["checksum", "mirrors"];

export class AddForm extends Form {
  constructor(store) {
    super("add", () => this.#add());
    this.store = store;
    this.urls = $("add-urls");
    const parents = { connections: "add-main", limitBytesPerSecond: "add-main", checksum: "add-wide" };
    this.inputs = new SettingInputs(downloadFields, "add", ({ name }) => $(parents[name] ?? "add-more"));
    this.keys = new Map();
    this.hasPriority = false;
    $("add-priority").addEventListener("change", () => { this.hasPriority = true; });
    $("add-label").addEventListener("input", () => this.#showLabel());
    this.urls.addEventListener("input", () => this.#count());
    this.urls.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) this.form.requestSubmit();
    });
    $("add-file").addEventListener("change", (event) => {
      const files = [...event.target.files];
      event.target.value = "";
      this.openFiles(files);
    });
    $("add-load").addEventListener("click", () => $("add-file").click());
  }

  open(text = "") {
    if (!may("add")) return;
    // Text that is pasted while the dialog is open is appended.
    const before = this.dialog.open ? this.urls.value.trim() : "";
    this.urls.value = [before, text.trim()].filter(Boolean).join("\n");
    this.#count();
    this.#showLabel();
    this.store.refreshLabels().then(() => this.#showLabel(), () => {});
    super.open();
    this.urls.focus();
  }

  // Fills in the lists in these files; adds nothing.
  async openFiles(files) {
    this.open();
    if (!this.dialog.open) return;
    try {
      this.open(await readFiles(files));
    } catch (error) {
      this.show(error);
    }
  }

  // Shows what the downloads take from their label: the folder, and the priority if the user has chosen none.
  #showLabel() {
    const label = this.store.labels.get($("add-label").value.trim());
    $("add-folder").placeholder = label?.folder ?? this.store.settings?.allowedFolders?.find((folder) => !isObject(folder)) ?? t("add.usualFolder");
    if (!this.hasPriority) $("add-priority").value = label?.priority ?? "normal";
  }

  #count() {
    const items = parseList(this.urls.value);
    const count = items.filter(({ entry }) => entry).length;
    const bad = items.find(({ entry }) => !entry);
    const parts = count ? [t("add.count", { n: count })] : [];
    if (bad) parts.push(bad.bad ? t("add.bad", { text: bad.bad.slice(0, 60) }) : bad.problem);
    setText($("add-count"), parts.join(" · "));
  }

  // The download of an entry: its own lines take precedence over the fields of the form.
  #download(entry, form) {
    const folder = [form.folder, entry.folder].filter(Boolean).reduce((base, part) => (part.startsWith("/") || isObject(part) ? part : base + part), "");
    const inside = folder && !folder.endsWith("/") ? `${folder}/` : folder;
    const settings = { ...form.settings, ...entry.settings };
    if (form.settings.fields && entry.settings.fields) settings.fields = [...form.settings.fields, ...entry.settings.fields];
    return {
      url: entry.url, destination: joined(inside, entry.name ?? form.name), settings, priority: form.priority,
      isPaused: entry.isPaused ?? form.isPaused, ...(form.start && { notBefore: form.start }), ...(form.label && { label: form.label }),
    };
  }

  #form() {
    const settings = this.inputs.changes();
    const cookies = $("add-cookies").value.trim();
    if (cookies) settings.fields = [...settings.fields ?? [], { name: "Cookie", value: cookies }];
    const folder = $("add-folder").value.trim();
    const start = $("add-start").value;
    return {
      settings, folder: folder && !folder.endsWith("/") ? `${folder}/` : folder, name: $("add-name").value.trim(),
      start: start ? new Date(start).toISOString().replace(/\.\d+/, "") : null,
      label: $("add-label").value.trim(), priority: $("add-priority").value, isPaused: $("add-paused").checked,
    };
  }

  async #add() {
    const items = parseList(this.urls.value);
    const good = items.filter(({ entry }) => entry);
    const problems = items.filter(({ problem }) => problem).map(({ problem }) => problem);
    if (!good.length) throw new Error(problems[0] ?? t("add.none"));
    const form = this.#form();
    if (good.length > 1) {
      if (form.settings.checksum) throw new Error(t("add.oneChecksum"));
      if (form.settings.mirrors) throw new Error(t("add.oneMirrors"));
      if (form.name) throw new Error(t("add.oneName"));
    }
    const added = new Set(), refused = new Map();
    const jobs = good.map((item) => ({ item, download: this.#download(item.entry, form) }));
    let lost = null;
    try {
      for (let index = 0; index < jobs.length; index += 250) {
        await this.#send(jobs.slice(index, index + 250), added, refused);
      }
    } catch (error) {
      // The daemon does not respond: what was not sent stays in the field.
      if (!added.size && !refused.size) throw error;
      lost = error;
    }
    this.#finish(added, form);
    if (added.size) announce(t("count.added", { n: added.size }));
    const reasons = [...problems, ...refused.values(), ...(lost ? [lost.text ?? lost.message] : [])];
    if (reasons.length) throw new Error(this.#report(added.size, items.length - added.size, reasons));
    this.keys.clear();
  }

  // Sends jobs in one request. If it is refused, each half is sent, until the refused ones are alone.
  async #send(jobs, added, refused) {
    try {
      const downloads = jobs.map(({ download }) => download);
      this.store.update((await api.add(downloads, (text) => this.#key(text))).downloads);
      for (const { item } of jobs) added.add(item.raw);
    } catch (error) {
      const isRefusal = error.status >= 400 && error.status < 500 && error.status !== 401 && error.status !== 429;
      if (!isRefusal) throw error;
      const reason = error.text ?? error.message;
      const reasons = [...refused.values()];
      const isHopeless = !added.size && reasons.length >= mostRefusals && reasons.every((each) => each === reasons[0]);
      if (jobs.length === 1 || isHopeless) {
        for (const { item } of jobs) refused.set(item.raw, jobs.length === 1 ? reason : reasons[0]);
        return;
      }
      const middle = Math.ceil(jobs.length / 2);
      await this.#send(jobs.slice(0, middle), added, refused);
      await this.#send(jobs.slice(middle), added, refused);
    }
  }

  // If a response was lost, the second attempt has the same key and adds nothing twice.
  #key(text) {
    if (!this.keys.has(text)) this.keys.set(text, crypto.randomUUID());
    return this.keys.get(text);
  }

  #report(added, left, reasons) {
    const shown = [...new Set(reasons)];
    const more = shown.length > 3 ? ` … (${number(shown.length - 3)})` : "";
    const head = t(added ? "add.partly" : "add.refused", { n: left, added });
    return `${head} ${shown.slice(0, 3).join(" · ")}${more}`;
  }

  // Removes what was added from the field, and the values that are for one file. The user may have typed others in
  // the meantime.
  #finish(added, form) {
    this.urls.value = listText(parseList(this.urls.value).filter(({ raw }) => !added.has(raw)));
    this.#count();
    if (!added.size) return;
    const now = this.inputs.changes();
    for (const name of ofOneFile) {
      if (String(now[name]) === String(form.settings[name])) this.inputs.clear(name);
    }
    if ($("add-name").value.trim() === form.name) $("add-name").value = "";
  }
}
