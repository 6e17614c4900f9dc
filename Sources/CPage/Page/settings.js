// The settings: of the page in this browser, and the limits and the timetable of the daemon.

import * as api from "./api.js";
import { $, announce, el, icon, setText } from "./dom.js";
import { daemonFields } from "./fields.js";
import { Form } from "./forms.js";
import { chosenLanguage, languages, t } from "./i18n.js";
import { SettingInputs, fromRate, toRate } from "./inputs.js";
import { LabelRows } from "./labels.js";
import { install, isInstallable, onInstallable } from "./install.js";
import { may } from "./rights.js";
import { remember } from "./storage.js";
import * as format from "./format.js";

const days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

export class SettingsForm extends Form {
  constructor(store) {
    super("settings", () => this.#save());
    this.store = store;
    this.periods = $("periods");
    const parent = ({ input }) => $(input === "flag" ? "set-flags" : "set-main");
    this.inputs = new SettingInputs(daemonFields, "set", parent);
    this.labels = new LabelRows(store);
    $("set-language").append(el("option", { value: "" }, t("settings.browserLanguage")),
      ...languages.map(({ code, name }) => el("option", { value: code, lang: code }, name)));
    this.#addBookmarklet();
    $("install").addEventListener("click", install);
    onInstallable(() => { $("install").hidden = !isInstallable(); });
    $("add-period").addEventListener("click", () => {
      const row = this.#row({ from: "08:00", to: "18:00" });
      this.periods.append(row);
      row.querySelector("input").focus();
    });
  }

  async open() {
    await Promise.all([this.store.refreshSettings(), this.store.refreshLabels()]);
    const { settings } = this.store;
    this.inputs.show(settings);
    this.labels.show();
    this.periods.replaceChildren(...(settings.timetable ?? []).map((period) => this.#row(period)));
    $("set-language").value = chosenLanguage;
    $("install").hidden = !isInstallable();
    super.open();
    const { version, startedAt } = await api.status();
    setText($("about"), t("settings.about", { version, time: format.time(startedAt) }));
  }

  // A bookmark that opens the page with the URL of the page that it is used on. The page itself runs no such link.
  #addBookmarklet() {
    const address = JSON.stringify(`${new URL(".", location.href)}#add=`);
    const link = $("bookmarklet");
    link.href = `javascript:void open(${address}+encodeURIComponent(location.href))`;
    link.addEventListener("click", (event) => {
      event.preventDefault();
      setText($("bookmarklet-hint"), t("settings.drag"));
    });
  }

  #row(period) {
    const chosen = new Set(period.days ?? days);
    const row = el("div", { class: "period", role: "group", "aria-label": t("period.title") },
      el("div", { class: "days" }, ...days.map((day) => {
        const box = el("input", { type: "checkbox", value: day });
        box.checked = chosen.has(day);
        return el("label", {}, box, el("span", {}, t(`day.${day}`)));
      })),
      el("label", {}, t("period.from"), el("input", { type: "time", name: "from", required: true })),
      el("label", {}, t("period.to"), el("input", { type: "time", name: "to", required: true })),
      el("label", {}, t("unit.rate"), el("input", { type: "number", name: "limit", min: "0", step: "any", placeholder: t("limit.none") })),
      el("button", { type: "button", class: "small", "aria-label": t("period.remove"), onclick: () => { row.remove(); $("add-period").focus(); } }, icon("close")));
    row.period = period;
    row.querySelector("[name=from]").value = period.from;
    row.querySelector("[name=to]").value = period.to === "24:00" ? "00:00" : period.to;
    row.querySelector("[name=limit]").value = fromRate(period.limitBytesPerSecond);
    return row;
  }

  #period(row) {
    const value = (name) => row.querySelector(`[name=${name}]`).value;
    const chosen = [...row.querySelectorAll(".days input:checked")].map((box) => box.value);
    if (!chosen.length) throw new Error(t("period.noDay"));
    const isWhole = value("from") === "00:00" && value("to") === "00:00";
    const period = { from: value("from"), to: isWhole ? "24:00" : value("to") };
    if (chosen.length < days.length) period.days = chosen;
    // The field is rounded; an unchanged limit keeps its exact value.
    const before = row.period.limitBytesPerSecond;
    const limit = value("limit") === fromRate(before) ? before : toRate(value("limit"));
    if (limit) period.limitBytesPerSecond = limit;
    return period;
  }

  async #save() {
    if (may("settings")) await this.#saveLimits();
    const language = $("set-language").value;
    if (language === chosenLanguage) return;
    remember("language", language || null);
    location.reload();
  }

  async #saveLimits() {
    const timetable = [...this.periods.children].map((row) => this.#period(row));
    // Only changed values are sent. Otherwise an option of `pawl daemon run`, which is for one run, would become permanent.
    this.store.settings = await api.changeSettings({
      ...this.inputs.changes(),
      timetable: timetable.length ? timetable : null,
    });
    await this.labels.save();
    this.store.onStructure();
    announce(t("settings.saved"));
  }
}
