// The language of the page, and its texts. Each language has one file: texts.en.js, texts.de.js, texts.zh.js.

import { recall } from "./storage.js";

export const languages = [
  { code: "en", name: "English" }, { code: "de", name: "Deutsch" }, { code: "zh", name: "中文" },
];
const rightToLeft = new Set(["ar", "fa", "he", "ur"]);

// The language that the user has chosen in the settings; "" for that of the browser.
export const chosenLanguage = recall("language", "");

function pickLanguage() {
  const wanted = [chosenLanguage, ...navigator.languages].map((tag) => String(tag).split("-")[0].toLowerCase());
  return wanted.find((code) => languages.some((language) => language.code === code)) ?? "en";
}

export const language = pickLanguage();
const { texts } = await import(`./texts.${language}.js`);
const plurals = new Intl.PluralRules(language);
const numbers = new Intl.NumberFormat(language);
const point = numbers.formatToParts(1.5).find(({ type }) => type === "decimal").value;

document.documentElement.lang = language === "zh" ? "zh-Hans" : language;
document.documentElement.dir = rightToLeft.has(language) ? "rtl" : "ltr";

// Keeps the order of a number and its unit in a text that runs from right to left.
export const isolate = (text) => (document.documentElement.dir === "rtl" ? `\u2066${text}\u2069` : text);

export const number = (value) => numbers.format(value);

// A number below 1,000 with this many digits after the decimal point. `Intl` would need several times as long, and the
// list has many of them.
export const fixed = (value, digits) => (point === "." ? value.toFixed(digits) : value.toFixed(digits).replace(".", point));

export const hasText = (key) => key in texts;

// The text of a key. `{name}` stands for one of the values; `n` decides between singular and plural.
export function t(key, values) {
  let text = texts[key] ?? key;
  if (typeof text === "object") text = text[plurals.select(values.n)] ?? text.other;
  if (!values) return text;
  return text.replace(/\{(\w+)\}/g, (whole, name) => {
    const value = values[name];
    return typeof value === "number" ? number(value) : value ?? whole;
  });
}

// A word that the daemon or a table names, such as a priority or a state; an unknown one is shown as it is.
export function word(kind, name) {
  const key = `${kind}.${name}`;
  return hasText(key) ? t(key) : name[0].toUpperCase() + name.slice(1);
}

const attributes = { label: "aria-label", placeholder: "placeholder", title: "title" };

// The parts of a text; those in backticks are commands.
function parts(text) {
  return text.split("`").map((part, index) => {
    if (index % 2 === 0) return part;
    const code = document.createElement("code");
    code.textContent = part;
    return code;
  });
}

// Sets the texts of elements with `data-t`, and the attributes named by `data-t-label` and the like.
export function translate(root) {
  for (const node of root.querySelectorAll("[data-t]")) {
    const text = t(node.dataset.t);
    if (node.textContent !== text) node.replaceChildren(...parts(text));
  }
  for (const [name, attribute] of Object.entries(attributes)) {
    for (const node of root.querySelectorAll(`[data-t-${name}]`)) {
      node.setAttribute(attribute, t(node.getAttribute(`data-t-${name}`)));
    }
  }
}
