// The feeds: their list, which removes them, and the form that adds and changes one.

import * as api from "./api.js";
import { $, el, setAttribute, setText } from "./dom.js";
import * as format from "./format.js";
import { Form, makeDialog } from "./forms.js";
import { isolate, t } from "./i18n.js";
import { labelInput } from "./labels.js";
import { isObject } from "./lists.js";

// The time between two checks if a feed has none of its own, and those that the form offers, in seconds.
const usualInterval = 3600;
const intervals = [300, 900, 1800, 3600, 10_800, 21_600, 43_200, 86_400, 604_800, 0];
// No event reports a check, so the open list is loaded in this interval, in milliseconds.
const refreshInterval = 10_000;

function interval(seconds) {
  if (!seconds) return t("feeds.never");
  const [unit, size] = [["d", 86_400], ["h", 3600], ["min", 60], ["s", 1]].find(([, size]) => seconds % size === 0);
  return isolate(`${seconds / size} ${t(`unit.${unit}`)}`);
}

const value = (name) => $(`feed-${name}`).value.trim();
const folder = () => value("folder").replace(/([^/])$/, "$1/");
const lines = (id) => $(id).value.split("\n").map((line) => line.trim()).filter(Boolean);

// The elements of one feed in the list.
class FeedRow {
  // actions: check(row), change(feed), remove(feed)
  constructor(actions) {
    const button = (key, act) => el("button", { type: "button", onclick: () => act() }, t(key));
    this.name = el("bdi");
    this.url = el("bdi", { dir: "ltr" });
    this.facts = el("p");
    this.problem = el("p", { class: "bad" });
    this.check = button("feeds.check", () => actions.check(this));
    this.change = button("action.change", () => actions.change(this.feed));
    this.remove = button("remove.submit", () => actions.remove(this.feed));
    this.element = el("li", {}, el("h3", {}, this.name), el("p", { class: "hint" }, this.url), this.facts, this.problem,
      el("div", { class: "buttons left", "data-needs": "settings" }, this.check, this.change, this.remove));
  }

  show(feed) {
    this.feed = feed;
    const seconds = feed.rules.everySeconds ?? usualInterval;
    setText(this.name, feed.name);
    setText(this.url, feed.url);
    setText(this.facts, [
      seconds ? t("feeds.every", { time: interval(seconds) }) : interval(0),
      feed.checkedAt && t("feeds.checked", { time: format.time(feed.checkedAt) }),
      feed.nextCheck && t("feeds.next", { time: format.time(feed.nextCheck) }),
      t("count.added", { n: feed.added }),
    ].filter(Boolean).join(" · "));
    const { problem } = feed;
    setText(this.problem, problem ? [problem.title, problem.advice].filter(Boolean).join("; ") : "");
    this.problem.hidden = !problem;
    // A feed that the daemon cannot read can only be removed.
    this.check.hidden = this.change.hidden = !feed.url;
    for (const button of [this.check, this.change, this.remove]) {
      setAttribute(button, "aria-label", `${button.textContent} ${feed.name}`);
    }
  }
}

export class FeedList extends Form {
  #rows = new Map();
  #timer = null;

  // removals: the removals that can be undone
  constructor(store, removals) {
    const add = el("button", { type: "button", id: "add-feed", "data-needs": "settings" }, t("feeds.add"));
    const undo = el("button", { type: "button", id: "feeds-undo", hidden: true }, t("undo.action"));
    makeDialog("feeds", { title: "feeds.title", submit: "close.close", className: "wide", close: null },
      el("p", { id: "feeds-empty", class: "hint" }, t("feeds.empty")), el("ul", { id: "feed-list", class: "feeds" }),
      el("p", { id: "feeds-status", class: "hint", role: "status" }), undo, add);
    super("feeds", async () => {});
    Object.assign(this, { removals, undo });
    this.editor = new FeedForm(store, (text, feed) => this.#done(text, feed));
    undo.addEventListener("click", () => this.#undo());
    add.addEventListener("click", () => this.editor.open());
    this.dialog.addEventListener("close", () => clearInterval(this.#timer));
  }

  async open() {
    await this.#load();
    this.#report("");
    super.open();
    clearInterval(this.#timer);
    this.#timer = setInterval(() => { if (!document.hidden) this.#load().catch(() => {}); }, refreshInterval);
  }

  async #load() {
    const feeds = await api.feeds();
    const known = this.#rows;
    this.#rows = new Map(feeds.map((feed) => [feed.id, known.get(feed.id) ?? new FeedRow({
      check: (row) => this.#check(row), change: (feed) => this.editor.open(feed), remove: (feed) => this.#remove(feed),
    })]));
    for (const feed of feeds) this.#rows.get(feed.id).show(feed);
    const elements = [...this.#rows.values()].map(({ element }) => element);
    // An element that is moved loses the focus.
    if (elements.some((element, index) => $("feed-list").children[index] !== element) || $("feed-list").children.length !== elements.length) {
      $("feed-list").replaceChildren(...elements);
    }
    $("feeds-empty").hidden = feeds.length > 0;
    this.undo.hidden ||= !this.removals.isOffered;
  }

  // Shows a result, and whether it can be undone.
  #report(text, canUndo = false) {
    setText($("feeds-status"), text);
    this.undo.hidden = !canUndo;
  }

  async #check(row) {
    if (row.isBusy) return;
    row.isBusy = true;
    this.error.hidden = true;
    setAttribute(row.check, "aria-disabled", "true");
    this.#report(t("feeds.checking", { name: row.feed.name }));
    try {
      const { feed, downloads } = await api.checkFeed(row.feed.id);
      row.show(feed);
      const result = feed.failures ? t("feeds.failed") : downloads.length ? t("count.added", { n: downloads.length }) : t("feeds.nothing");
      // Its name may be another one, and with it the order.
      await this.#load();
      // Last, so that the button works again when the result is read.
      this.#report(`${feed.name}: ${result}`);
    } catch (error) {
      this.#report("");
      this.show(error);
    } finally {
      row.isBusy = false;
      setAttribute(row.check, "aria-disabled", null);
    }
  }

  async #remove(feed) {
    if (this.isRemoving) return;
    this.isRemoving = true;
    this.error.hidden = true;
    try {
      await api.removeFeed(feed.id);
      this.removals.removedFeed(feed);
      await this.#load();
      this.#report(t("undo.one", { name: feed.name }), true);
      // The button that had the focus is gone.
      this.undo.focus();
    } catch (error) {
      this.show(error);
    } finally {
      this.isRemoving = false;
    }
  }

  async #undo() {
    this.error.hidden = true;
    try {
      const text = await this.removals.carryOut();
      await this.#load();
      this.#report(text);
      $("add-feed").focus();
    } catch (error) {
      this.#report("");
      this.show(error);
    }
  }

  // Handles that a feed was added or changed. An added one is checked.
  async #done(text, added) {
    await this.#load();
    this.#report(text);
    const row = added && this.#rows.get(added.id);
    if (row) await this.#check(row);
  }
}

class FeedForm extends Form {
  // If a response was lost, the second attempt has the same key and adds no second feed.
  #keys = new Map();

  // done(text, feed): `feed` if it was added.
  constructor(store, done) {
    const field = (id, key, attributes = {}, tag = "input") => el("label", {}, t(key), el(tag, {
      id: `feed-${id}`, ...(tag === "input" && { type: "text" }), spellcheck: "false", autocapitalize: "off", autocomplete: "off", ...attributes,
    }));
    const check = (id, key) => el("label", { class: "check" }, el("input", { id: `feed-${id}`, type: "checkbox" }), t(key));
    makeDialog("feed", { title: "feeds.addTitle", submit: "add.submit" },
      field("url", "feeds.url", { type: "url", dir: "ltr" }),
      el("div", { class: "columns two" }, field("name", "property.name", { placeholder: t("feeds.namePlaceholder"), maxlength: "200" }),
        el("label", {}, t("feeds.interval"), el("select", { id: "feed-every" }))),
      field("match", "feeds.match", { rows: "2", placeholder: t("feeds.patterns") }, "textarea"),
      field("exclude", "feeds.exclude", { rows: "2", placeholder: t("feeds.patterns") }, "textarea"),
      check("links", "feeds.links"),
      el("div", { class: "columns two" },
        field("folder", "add.folder"), el("label", {}, t("column.label"), labelInput("feed-label")),
        field("session", "property.session"), el("label", {}, t("feeds.names"), el("select", { id: "feed-names" },
          el("option", { value: "server" }, t("feeds.namesServer")), el("option", { value: "title" }, t("feeds.namesTitle"))))),
      el("div", { id: "feed-new" }, el("div", { class: "columns two" },
        field("newest", "feeds.newest", { type: "number", min: "0", max: "10000", placeholder: "1" })),
        check("paused", "feeds.paused")));
    super("feed", () => (this.feed ? this.#change() : this.#add()));
    Object.assign(this, { store, done });
  }

  open(feed = null) {
    this.feed = feed;
    const rules = feed?.rules ?? {}, seconds = rules.everySeconds ?? usualInterval;
    setText($("feed-title"), t(feed ? "feeds.changeTitle" : "feeds.addTitle"));
    setText(this.button, t(feed ? "change.submit" : "add.submit"));
    $("feed-new").hidden = Boolean(feed);
    // The daemon does not send the secrets of a URL, so the form cannot show it to be edited.
    Object.assign($("feed-url"), { value: "", required: !feed, placeholder: feed?.url ?? "https://example.org/feed.xml" });
    $("feed-every").replaceChildren(...[...new Set([...intervals, seconds])].map((each) => el("option", { value: each }, interval(each))));
    const values = { name: feed?.name ?? "", every: seconds, match: (rules.match ?? []).join("\n"), exclude: (rules.exclude ?? []).join("\n"), newest: "",
      folder: feed?.destination ?? "", label: feed?.label ?? "", session: feed?.session ?? "", names: rules.fileNames ?? "server" };
    for (const [name, value] of Object.entries(values)) $(`feed-${name}`).value = value;
    $("feed-links").checked = rules.takesLinks ?? false;
    $("feed-paused").checked = false;
    $("feed-folder").placeholder = this.store.settings?.allowedFolders?.find((folder) => !isObject(folder)) ?? t("add.usualFolder");
    super.open();
    $("feed-url").focus();
  }

  // The rules that differ from those of the feed.
  #rules() {
    const rules = {}, before = this.feed?.rules ?? {};
    const take = (name, value, usual) => { if (String(value) !== String(before[name] ?? usual)) rules[name] = value; };
    take("everySeconds", Number($("feed-every").value), usualInterval);
    take("match", lines("feed-match"), "");
    take("exclude", lines("feed-exclude"), "");
    take("takesLinks", $("feed-links").checked, false);
    take("fileNames", $("feed-names").value, "server");
    if (!this.feed && $("feed-newest").value) rules.newest = Number($("feed-newest").value);
    return rules;
  }

  async #add() {
    const feed = {
      ...(value("name") && { name: value("name") }), rules: this.#rules(),
      download: {
        url: value("url"), destination: folder(), isPaused: $("feed-paused").checked,
        ...(value("label") && { label: value("label") }), ...(value("session") && { session: value("session") }),
      },
    };
    const text = JSON.stringify(feed);
    if (!this.#keys.has(text)) this.#keys.set(text, crypto.randomUUID());
    const added = await api.addFeed(feed, this.#keys.get(text));
    this.#keys.clear();
    return () => this.done(t("feeds.added"), added);
  }

  async #change() {
    const changes = {}, rules = this.#rules(), name = value("name"), url = value("url");
    if (Object.keys(rules).length) changes.rules = rules;
    if (name && name !== this.feed.name) changes.name = name;
    if (url) changes.url = url;
    if (folder() !== this.feed.destination) changes.destination = folder();
    for (const member of ["label", "session"]) {
      if (value(member) !== (this.feed[member] ?? "")) changes[member] = value(member);
    }
    if (!Object.keys(changes).length) return undefined;
    await api.changeFeed(this.feed.id, changes);
    return () => this.done(t("feeds.changed"));
  }
}
