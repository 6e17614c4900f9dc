// Connects the parts of the page.

import * as api from "./api.js";
import { RowMenu, allMenu, viewMenu } from "./actions.js";
import { AddForm } from "./add.js";
import { Detail } from "./detail.js";
import { $, announce, el, inFrame, setAttribute, setText } from "./dom.js";
import { ready } from "./early.js";
import { EventStream } from "./events.js";
import * as format from "./format.js";
import { CancelForm, ChangeForm, Form, LoginForm, RemoveForm } from "./forms.js";
import { SpeedGraph } from "./graph.js";
import { hour } from "./history.js";
import { number, t, translate } from "./i18n.js";
import { listenToInput, takeLink } from "./incoming.js";
import { installApp } from "./install.js";
import { Shortcuts } from "./keys.js";
import { List } from "./list.js";
import { gaveCode, gaveToken, may, showRights } from "./rights.js";
import { actionLabel } from "./row.js";
import { filters, isEnded, mainAction } from "./states.js";
import { Store } from "./store.js";
import { RemovalUndo } from "./undo.js";

translate(document);
showRights();

const store = new Store();
const add = new AddForm(store), change = new ChangeForm(store);
const remove = new RemoveForm(store), shortcuts = new Shortcuts();
// Dialogs that are loaded when they are opened for the first time.
const later = {};
const opens = (name, load) => (...values) => attempt(async () => {
  later[name] ??= load().catch((error) => { delete later[name]; throw error; });
  await (await later[name]).open(...values);
});
const openSettings = opens("settings", async () => new (await import("./settings.js")).SettingsForm(store));
const openFeeds = opens("feeds", async () => new (await import("./feeds.js")).FeedList(store, removals));
const openFleet = opens("fleet", async () => new (await import("./fleet.js")).FleetView());
const openLabel = opens("label", async () => new (await import("./labels.js")).LabelForm(store));

// MARK: Actions

// Shows an error in the banner until the next action succeeds.
async function attempt(work) {
  try {
    await work();
    if ($("banner").dataset.kind === "error") banner();
  } catch (error) {
    showError(error);
  }
}
const showError = Form.showLateError = (error) => banner(error.text ?? error.message, "error");

// If newer events were received, the store is more recent than the response.
const takeOver = ({ downloads, lastEvent }) => { if (Number(stream.last) <= lastEvent) store.update(downloads); };

const act = (action, ids) => attempt(async () => {
  const outcome = await api.act(action, ids);
  takeOver(outcome);
  api.checkRemoved(outcome);
});

// Those of the downloads that this login may change.
const controlled = (ids) => ids.filter((id) => store.get(id) && may("control", store.get(id)));

const cancel = new CancelForm(store, (ids) => act("cancel", ids));

function toggle(id) {
  const download = store.get(id);
  const action = download && may("control", download) && mainAction(download);
  if (!action) return;
  act(action.name, [id]);
  announce(`${actionLabel(action)}: ${download.name}`);
}

// Ends the wait of a download for its next attempt, or for its start time.
const startNow = ({ id, failures }) => (failures ? act("resume", [id]) : attempt(async () => {
  store.update((await api.change([id], { notBefore: new Date(0).toISOString().replace(/\.\d+/, "") })).downloads);
}));

const copy = (text, what) => attempt(async () => {
  await navigator.clipboard.writeText(text);
  announce(t(`copied.${what}`));
});

// Moves a download in front of another one, or to the end of the queue if the other one is not in the queue.
const moveBefore = (id, other) => attempt(async () => {
  const download = store.get(id);
  if (!download || other?.id === id) return;
  if (!other || isEnded(other)) { await moveTo(id, "move-last"); return; }
  const changes = { before: other.id };
  if (other.priority !== download.priority) changes.priority = other.priority;
  store.update((await api.change([id], changes)).downloads);
  announce(t("moved.before", { name: download.name, other: other.name }));
});

async function moveTo(id, action) {
  store.update((await api.act(action, [id])).downloads);
  announce(t(action === "move-first" ? "moved.first" : "moved.last"));
}

function move(id, direction) {
  const at = store.view.findIndex((download) => download.id === id);
  const self = store.view[at];
  if (!self || isEnded(self) || !may("control", self)) return;
  if (direction === "first" || direction === "last") {
    attempt(() => moveTo(id, `move-${direction}`));
    return;
  }
  if (!store.isQueueOrder) { announce(t("moved.sorted")); return; }
  const other = store.view[direction === "up" ? at - 1 : at + 1];
  if (!other || isEnded(other)) return;
  if (direction === "up" || other.priority !== self.priority) moveBefore(id, other);
  else moveBefore(other.id, self);
}

const closed = (hadFocus) => {
  list.draw();
  if (hadFocus) list.grid.focus({ preventScroll: true });
};
const forDownload = {
  toggle, move, startNow, copy, open: (id, focuses) => detail.open(id, focuses), change: (id) => change.open(id),
  label: (ids) => openLabel(controlled(ids)), cancel: (ids) => cancel.open(controlled(ids)), remove: (ids) => remove.open(controlled(ids)),
};
const detail = new Detail(store, { ...forDownload, closed });
const rowMenu = new RowMenu(store, forDownload);
const list = new List(store, {
  ...forDownload, moveBefore, add: () => add.open(), menu: (id, place) => rowMenu.open(id, place),
  selectionChanged: () => drawSelection(),
});
list.opened = () => detail.id;
remove.removed = (ids, wasOpen) => {
  if (ids.includes(detail.id)) detail.close();
  // If the dialog was closed before, the focus is elsewhere and stays there.
  else closed(wasOpen);
  list.select([...list.selected].filter((id) => !ids.includes(id)));
};

const removals = new RemovalUndo({
  attempt,
  restored(outcome) {
    store.restore(outcome.downloads.map(({ id }) => id));
    takeOver(outcome);
  },
  left: () => list.grid.focus({ preventScroll: true }),
});
remove.answered = (downloads, withFiles) => removals.removed(downloads, withFiles);

const menu = allMenu(store, (action, states) => attempt(async () => {
  const outcome = await api.actOnAll(action, states);
  const { downloads } = outcome;
  if (action === "remove") {
    const ids = downloads.map(({ id }) => id);
    store.remove(ids);
    remove.removed(ids, false);
    removals.removed(downloads);
  } else {
    takeOver(outcome);
    announce(t({ pause: "count.paused", resume: "count.resumed" }[action], { n: downloads.length }));
  }
}));
const view = viewMenu(store, () => list.showColumns(), () => shortcuts.open());

// MARK: Drawing

const graph = new SpeedGraph(() => drawSpeeds(), { span: hour, heading: "h2", title: t("graph.all") });
$("speeds").append(graph.element);
const drawGraph = inFrame(() => graph.show(store.total));
const drawSpeeds = () => { if (!$("speeds").hidden) drawGraph(); };

const drawTotal = inFrame(() => {
  const { speed } = store;
  setText($("total"), format.speed(speed));
  const title = speed > 0 ? `↓ ${format.speed(speed)} · Pawl` : "Pawl";
  if (document.title !== title) document.title = title;
});

function drawFilters() {
  for (const filter of filters) {
    const button = $(`filter-${filter.name}`);
    setAttribute(button, "aria-pressed", store.filter === filter);
    setText(button.lastChild, number(store.count(filter)));
  }
}

// The names in the filter and in the fields for a label.
let labelNames = "";
function drawLabels() {
  const select = $("label-filter"), names = [...store.labels.keys()].sort((a, b) => a.localeCompare(b));
  select.hidden = !names.length;
  if (names.join() !== labelNames) {
    labelNames = names.join();
    select.replaceChildren(el("option", { value: "" }, t("labels.all")), ...names.map((name) => el("option", { value: name }, name)));
    $("labels").replaceChildren(...names.map((name) => el("option", { value: name })));
  }
  if (select.value !== store.label) select.value = store.label;
}

function drawLimit() {
  const { current } = store.settings ?? {};
  if (!current) return;
  const { limitBytesPerSecond: limit, until } = current;
  const text = limit ? t("limit.some", { speed: format.speed(limit) }) : t("limit.none");
  setText($("limit"), until ? t("limit.until", { limit: text, time: format.time(until) }) : text);
}

function drawSelection() {
  const count = list.selected.size;
  $("selection").hidden = count === 0;
  setText($("selected"), t("select.count", { n: count }));
}

function drawEmpty() {
  const isEmpty = store.isLoaded && store.view.length === 0;
  $("empty").hidden = !isEmpty;
  $("grid").classList.toggle("bare", isEmpty);
  if (!isEmpty) return;
  const isNew = store.all === 0;
  const what = store.search ? t("empty.search", { text: store.search }) : t(isNew ? "empty.new" : "empty.list");
  const hint = isNew && may("add") ? t("empty.hint") : "";
  $("empty").replaceChildren(el("p", {}, what), hint ? el("p", { class: "hint" }, hint) : "");
}

const drawAll = inFrame(() => {
  drawFilters();
  drawLabels();
  for (const each of [menu, view, rowMenu]) if (each.isOpen) each.draw();
  drawLimit();
  drawEmpty();
  for (const id of list.selected) if (!store.get(id)) list.selected.delete(id);
  drawSelection();
});

store.onStructure = () => { $("open-fleet").hidden = !store.isInDatabase; drawAll(); store.onValues(); };
store.onValues = () => { drawTotal(); drawSpeeds(); list.draw(); detail.draw(); };

function banner(text = "", kind = "") {
  const element = $("banner");
  element.dataset.kind = kind;
  element.hidden = !text;
  element.replaceChildren();
  if (!text) return;
  element.append(el("span", {}, text));
  if (kind === "error") element.append(el("button", { type: "button", class: "small", "aria-label": t("banner.dismiss"), onclick: () => banner() }, "×"));
}

// The stream stays open while the daemon's database does not respond, so the page asks for the state.
let storeCheckedAt = 0;
async function checkStore() {
  if (!store.isInDatabase || Date.now() - storeCheckedAt < 10_000) return;
  storeCheckedAt = Date.now();
  const { storeProblem } = await api.status();
  const { kind } = $("banner").dataset;
  if (storeProblem && kind !== "error") banner(t("banner.store", { text: storeProblem }), "store");
  if (!storeProblem && kind === "store") banner();
}

// MARK: Events

const announcedEvents = new Set(["finished", "failed"]);

const stream = new EventStream({
  // Events arrive from now on, so a load that starts now misses nothing.
  async opened() {
    try {
      await store.load();
    } catch (error) {
      if (error.code === "store-unavailable") banner(t("banner.store", { text: error.text }), "offline");
      if (error.name !== "AbortError" && error.status !== 401) stream.restartLater();
    }
  },
  received() { checkStore().catch(() => {}); },
  closed() {
    if (login.dialog.open) return;
    document.body.classList.add("offline");
    banner(t("banner.offline"), "offline");
  },
  event(name, data) {
    if (name === "progress") {
      store.handleProgress(data.downloads);
      if (detail.id !== null && data.downloads.some((row) => row.id === detail.id)) detail.loadSegments();
      return;
    }
    // Everything was loaded when the stream was opened.
    if (name === "missed") return;
    if (name === "settings") {
      store.refreshSettings().catch(() => {});
      return;
    }
    store.handleEvent(data);
    detail.handleEvent(data);
    if (announcedEvents.has(name)) announce(t(`announce.${name}`, { name: data.name }));
  },
});

store.onLoaded = () => {
  $("grid").removeAttribute("aria-busy");
  if ($("banner").dataset.kind === "offline") { banner(); announce(t("banner.back")); }
  document.body.classList.remove("offline");
  detail.reload();
  installApp();
};

const login = new LoginForm(() => { list.draw(); stream.start(); });
api.onUnauthorized(() => {
  stream.stop();
  banner();
  login.open();
});

// A link may contain a login code or the token, or a URL to add. All are removed from the address bar. Returns whether
// the link was for a login.
async function openLink() {
  const { code, token, text } = takeLink();
  if (code || token) {
    try {
      await api.login(code ? { code } : { token });
      if (code) gaveCode();
      else await gaveToken();
      login.dialog.close();
    } catch { /* The login form is shown. */ }
  }
  if (text) add.open(text);
  return Boolean(code || token);
}

// MARK: Input

addEventListener("popstate", (event) => detail.historyChanged(event.state));

const isTyping = (target) => target.closest?.("input:not([type=checkbox]), textarea, select, dialog");

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || isTyping(event.target)) return;
  const isCommand = (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey;
  if (isCommand && event.key === "z" && removals.isOffered) { event.preventDefault(); removals.undo(); }
  if (event.key === "?") { event.preventDefault(); shortcuts.open(); }
  // The key first closes a menu.
  if (event.key === "Escape" && !document.querySelector("[popover]:popover-open")) detail.close();
});

listenToInput({
  isTyping, isDragging: () => list.isDragging, text: (text) => add.open(text), files: (files) => add.openFiles(files),
});

let searchTimer;
$("search").addEventListener("input", (event) => {
  clearTimeout(searchTimer);
  searchTimer = setTimeout(() => {
    list.viewport.scrollTop = 0;
    store.find(event.target.value.trim());
  }, 120);
});
for (const filter of filters) {
  const button = el("button", { type: "button", id: `filter-${filter.name}`, onclick: () => { store.show(filter); list.viewport.scrollTop = 0; } },
    el("span", {}, t(`filter.${filter.name}`)), el("span", { class: "count" }));
  $("filters").append(button);
}
$("label-filter").addEventListener("change", (event) => { list.viewport.scrollTop = 0; store.showLabel(event.target.value); });
$("selection").addEventListener("click", (event) => {
  const { action } = event.target.dataset;
  const ids = [...list.selected];
  if (action === "none") list.select([]);
  else if (action === "copy") copy(ids.map((id) => store.get(id)?.url).filter(Boolean).join("\n"), "links");
  else if (action === "remove" || action === "label") forDownload[action](ids);
  else if (action) actOnApplicable(action, ids);
});

// Applies an action to the downloads whose state allows it.
function actOnApplicable(action, ids) {
  const applies = {
    pause: (download) => !isEnded(download),
    resume: (download) => download.state !== "finished",
    cancel: (download) => download.state !== "finished",
  }[action];
  const applicable = controlled(ids).filter((id) => applies(store.get(id)));
  if (!applicable.length) return;
  if (action === "cancel") cancel.open(applicable);
  else act(action, applicable);
}

$("open-add").addEventListener("click", () => add.open());
$("open-settings").addEventListener("click", () => openSettings());
$("limit").addEventListener("click", () => openSettings());
$("open-feeds").addEventListener("click", () => openFeeds());
$("open-fleet").addEventListener("click", () => openFleet());
$("open-speeds").addEventListener("click", () => {
  const section = $("speeds");
  section.hidden = !section.hidden;
  setAttribute($("open-speeds"), "aria-expanded", String(!section.hidden));
  drawSpeeds();
});
// Without running downloads nothing else draws the time that passes.
setInterval(() => { if (!document.hidden) drawSpeeds(); }, 5000);
addEventListener("hashchange", async () => { if (await openLink()) stream.start(); });

// The speeds are kept while the page is loaded again.
try { store.total.restore(JSON.parse(sessionStorage.getItem("pawl.speeds"))); } catch { /* They are not kept. */ }
addEventListener("pagehide", () => {
  try { sessionStorage.setItem("pawl.speeds", JSON.stringify(store.total.saved)); } catch { /* They are not kept. */ }
});

drawFilters();
// Requests of an early click wait for the login of the link.
const opening = openLink();
ready();
await opening;
stream.start();
