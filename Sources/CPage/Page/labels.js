// Labels: the form that sets the label of downloads, and the part of the settings in which labels are managed.

import * as api from "./api.js";
import { $, announce, el, icon, setText } from "./dom.js";
import { Form, makeDialog, subject } from "./forms.js";
import { t } from "./i18n.js";
import { fromRate, toRate } from "./inputs.js";

// A field for a label, which offers those that there are.
export const labelInput = (id) => el("input", { id, type: "text", list: "labels", maxlength: "100", spellcheck: "false", autocapitalize: "off", autocomplete: "off" });

export class LabelForm extends Form {
  constructor(store) {
    makeDialog("label", { title: "labels.setTitle", submit: "labels.set" },
      el("p", { id: "label-text" }), el("label", {}, t("column.label"), labelInput("label-name")),
      el("p", { class: "hint" }, t("labels.setHint")));
    super("label", () => this.#set());
    this.store = store;
  }

  open(ids) {
    this.ids = ids.filter((id) => this.store.get(id));
    if (!this.ids.length) return;
    const downloads = this.ids.map((id) => this.store.get(id));
    setText($("label-text"), subject(downloads));
    const [first, ...others] = new Set(downloads.map(({ label }) => label ?? ""));
    $("label-name").value = others.length ? "" : first;
    super.open();
    $("label-name").select();
  }

  async #set() {
    const name = $("label-name").value.trim();
    this.store.update((await api.change(this.ids, { label: name })).downloads);
    announce(name ? t("labels.done", { name }) : t("labels.removed"));
  }
}

const fieldNames = ["folder", "limit", "priority"];

// The rows of the settings, one for each label.
export class LabelRows {
  // The names of labels that are removed when the settings are saved.
  #removed = [];

  constructor(store) {
    this.store = store;
    this.rows = $("set-labels");
    $("add-label-row").addEventListener("click", () => {
      const row = this.#row(null);
      this.rows.append(row);
      row.querySelector("input").focus();
    });
  }

  show() {
    this.#removed = [];
    this.rows.replaceChildren(...[...this.store.labels.values()].map((label) => this.#row(label)));
  }

  #row(label) {
    const count = Object.values(label?.counts ?? {}).reduce((sum, count) => sum + count, 0);
    const head = label
      ? el("p", { class: "label-name" }, el("strong", {}, el("bdi", {}, label.name)), el("span", { class: "hint" }, t("count.downloads", { n: count })))
      : el("label", { class: "label-name" }, t("property.name"), el("input", { name: "name", type: "text", required: true, maxlength: "100", spellcheck: "false", autocapitalize: "off" }));
    const remove = () => {
      if (label) this.#removed.push(label.name);
      row.remove();
      $("add-label-row").focus();
    };
    const named = (text) => (label ? `${text}: ${label.name}` : text);
    const row = el("div", { class: "period", role: "group", "aria-label": label?.name ?? t("labels.add") }, head,
      el("button", { type: "button", class: "small", "aria-label": named(t("labels.remove")), onclick: remove }, icon("close")),
      el("label", { class: "folder" }, t("property.folder"), el("input", { name: "folder", type: "text", spellcheck: "false", autocapitalize: "off", placeholder: "/…" })),
      el("label", {}, `${t("property.limit")} (${t("unit.rate")})`, el("input", { name: "limit", type: "number", min: "0", step: "any", placeholder: t("limit.none") })),
      el("label", {}, t("property.priority"), el("select", { name: "priority" },
        ...["normal", "high", "low"].map((value) => el("option", { value }, t(`priority.${value}`))))));
    const shown = { folder: label?.folder ?? "", limit: fromRate(label?.limitBytesPerSecond), priority: label?.priority ?? "normal" };
    for (const name of fieldNames) row.querySelector(`[name=${name}]`).value = shown[name];
    Object.assign(row, { label, shown });
    return row;
  }

  // What the user has changed in a row; null if nothing.
  #changes(node) {
    const { label, shown } = node;
    const value = (name) => node.querySelector(`[name=${name}]`).value.trim();
    const changed = fieldNames.filter((name) => value(name) !== shown[name]);
    if (label && !changed.length) return null;
    const settings = { name: label?.name ?? value("name") };
    if (changed.includes("folder")) settings.folder = value("folder");
    if (changed.includes("limit")) settings.limitBytesPerSecond = toRate(value("limit")) ?? 0;
    if (changed.includes("priority")) settings.priority = value("priority");
    return settings;
  }

  async save() {
    let isChanged = this.#removed.length > 0;
    try {
      while (this.#removed.length) {
        await api.removeLabel(this.#removed[0]);
        this.#removed.shift();
      }
      for (const node of [...this.rows.children]) {
        const settings = this.#changes(node);
        if (!settings) continue;
        isChanged = true;
        // If a later one is refused, this one is not sent again.
        node.replaceWith(this.#row(await api.setLabel(settings)));
      }
    } finally {
      if (isChanged) this.store.refreshLabels().catch(() => {});
    }
  }
}
