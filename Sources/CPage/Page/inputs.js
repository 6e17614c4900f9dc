// The inputs of a form for settings: built from fields.js, read into members of the API.

import { el } from "./dom.js";
import { hasText, t, word } from "./i18n.js";
import { headerField } from "./lists.js";

const mebibyte = 1024 * 1024;

// 0 stays 0, which means no limit; the API counts whole bytes.
export const toRate = (text) =>
  (text === "" ? null : Number(text) && Math.max(1, Math.round(Number(text) * mebibyte)));
export const fromRate = (rate) => (rate ? String(Math.round((rate / mebibyte) * 100) / 100 || 0.01) : "");

// For each kind of input: its element, how a value of the API is shown, and how the text is read.
const asText = { show: (value) => String(value), read: (text) => text };
const kinds = {
  text: { make: () => ["input", { type: "text", spellcheck: "false", autocapitalize: "off" }], ...asText },
  number: {
    make: ({ least, most }) => ["input", { type: "number", min: least, max: most }],
    show: String, read: Number,
  },
  rate: {
    unit: "unit.rate", make: () => ["input", { type: "number", min: "0", step: "any" }],
    show: fromRate, read: toRate,
  },
  seconds: {
    unit: "unit.seconds", make: () => ["input", { type: "number", min: "0", step: "any" }],
    show: String, read: Number,
  },
  choice: { make: () => ["select", {}], ...asText },
  flag: { make: () => ["input", { type: "checkbox" }] },
  field: {
    make: () => ["input", { type: "text", spellcheck: "false" }],
    show: ({ name, value }) => `${name}: ${value}`,
    read: headerField,
  },
  credentials: {
    make: () => ["input", { type: "password", autocomplete: "off" }],
    show: () => "",
    read: (text) => {
      const colon = text.indexOf(":");
      if (colon < 1) throw new Error(t("add.credentials"));
      return { name: text.slice(0, colon), password: text.slice(colon + 1) };
    },
  },
};

// The English texts of the fields are in fields.js; those of other languages are with their other texts.
export function fieldText(kind, field, prefix) {
  const key = [`${kind}.${prefix}.${field.name}`, `${kind}.${field.name}`].find(hasText);
  return key ? t(key) : field[kind];
}

export class SettingInputs {
  #inputs = [];

  // `parent(field)` is the element that the field's label is added to; `placeholders` are by name of the setting.
  constructor(fields, prefix, parent, placeholders = {}) {
    for (const field of fields) {
      const kind = kinds[field.input];
      const [tag, attributes] = field.isList ? ["textarea", { rows: "2", spellcheck: "false" }] : kind.make(field);
      const usual = field.default === undefined || field.input === "flag" ? undefined : kind.show(field.default);
      const text = (kind) => fieldText(kind, field, prefix === "set" ? "daemon" : "download");
      const node = el(tag, {
        id: `${prefix}-${field.name}`, title: text("hint"),
        placeholder: placeholders[field.name] ?? text("placeholder") ?? usual ?? t("field.default"), ...attributes,
      });
      if (field.input === "choice") this.#addChoices(node, field, usual);
      const label = kind.unit ? `${text("label")} (${t(kind.unit)})` : text("label");
      parent(field).append(field.input === "flag"
        ? el("label", { class: "check" }, node, label) : el("label", {}, label, node));
      this.#inputs.push({ field, kind, node });
    }
    this.show({});
  }

  #addChoices(node, { choices }, usual) {
    const first = usual ? t("field.usual", { text: word("choice", usual) }) : t("field.default");
    node.append(el("option", { value: "" }, first), ...choices.filter((choice) => choice !== usual)
      .map((choice) => el("option", { value: choice }, word("choice", choice))));
  }

  // Shows these values; a setting without a value is empty, or has its default if it is a flag.
  show(values) {
    for (const input of this.#inputs) {
      const { field, kind, node } = input;
      const value = values[field.name];
      if (field.input === "flag") node.checked = value ?? field.default ?? false;
      else if (value === undefined || value === null) node.value = "";
      else node.value = field.isList ? value.map(kind.show).join("\n") : kind.show(value);
      input.shown = this.#state(input);
    }
  }

  // The settings that the user has changed since `show`; null is the default. What was not touched keeps its value
  // to the byte, even if the form shows a rounded one.
  changes() {
    const changed = {};
    for (const input of this.#inputs) {
      if (this.#state(input) !== input.shown) changed[input.field.name] = this.#value(input);
    }
    return changed;
  }

  clear(name) {
    const input = this.#inputs.find((each) => each.field.name === name);
    if (input) input.node.value = "";
  }

  #state({ field, node }) {
    return field.input === "flag" ? node.checked : node.value.trim();
  }

  #value({ field, kind, node }) {
    if (field.input === "flag") return node.checked;
    const text = node.value.trim();
    if (text === "") return null;
    if (!field.isList) return kind.read(text);
    return text.split("\n").map((line) => line.trim()).filter(Boolean).map(kind.read);
  }
}
