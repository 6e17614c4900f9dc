// The dialog for the limits of all downloads and the timetable.

import * as api from "./api.js";
import { $, announce, el, icon } from "./dom.js";
import { daemonFields } from "./fields.js";
import { Form } from "./forms.js";
import { SettingInputs, fromRate, toRate } from "./inputs.js";

const days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

export class SettingsForm extends Form {
  constructor(store) {
    super("settings", () => this.#save());
    this.store = store;
    this.periods = $("periods");
    const parent = ({ input }) => $(input === "flag" ? "set-flags" : "set-main");
    this.inputs = new SettingInputs(daemonFields, "set", parent);
    $("add-period").addEventListener("click", () => {
      const row = this.#row({ from: "08:00", to: "18:00" });
      this.periods.append(row);
      row.querySelector("input").focus();
    });
  }

  async open() {
    await this.store.refreshSettings();
    const { settings } = this.store;
    this.inputs.show(settings);
    this.periods.replaceChildren(...(settings.timetable ?? []).map((period) => this.#row(period)));
    super.open();
  }

  #row(period) {
    const chosen = new Set(period.days ?? days);
    const row = el("div", { class: "period", role: "group", "aria-label": "Period" },
      el("div", { class: "days" }, ...days.map((day) => {
        const box = el("input", { type: "checkbox", value: day });
        box.checked = chosen.has(day);
        return el("label", {}, box, el("span", {}, day));
      })),
      el("label", {}, "From", el("input", { type: "time", name: "from", required: true })),
      el("label", {}, "To", el("input", { type: "time", name: "to", required: true })),
      el("label", {}, "MiB/s", el("input", { type: "number", name: "limit", min: "0", step: "any", placeholder: "No limit" })),
      el("button", { type: "button", class: "small", "aria-label": "Remove period", onclick: () => { row.remove(); $("add-period").focus(); } }, icon("close")));
    row.period = period;
    row.querySelector("[name=from]").value = period.from;
    row.querySelector("[name=to]").value = period.to === "24:00" ? "00:00" : period.to;
    row.querySelector("[name=limit]").value = fromRate(period.limitBytesPerSecond);
    return row;
  }

  #period(row) {
    const value = (name) => row.querySelector(`[name=${name}]`).value;
    const chosen = [...row.querySelectorAll(".days input:checked")].map((box) => box.value);
    if (!chosen.length) throw new Error("Select at least one day for each period");
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
    const timetable = [...this.periods.children].map((row) => this.#period(row));
    // Only changed values are sent. Otherwise an option of `pawl daemon run`, which is for one run, would become permanent.
    this.store.settings = await api.changeSettings({
      ...this.inputs.changes(),
      timetable: timetable.length ? timetable : null,
    });
    this.store.onStructure();
    announce("Limits saved");
  }
}
