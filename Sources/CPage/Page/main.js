// Connects the parts of the page.

import * as api from "./api.js";
import { $, announce, el, inFrame, setAttribute, setText } from "./dom.js";
import * as format from "./format.js";
import { EventStream } from "./events.js";
import { AddForm, CancelForm, ChangeForm, Form, LoginForm, RemoveForm } from "./forms.js";
import { Detail } from "./detail.js";
import { List, mainAction } from "./list.js";
import { Menu } from "./menu.js";
import { SettingsForm } from "./settings.js";
import { Store, filters, isEnded } from "./store.js";

const store = new Store();
const add = new AddForm(store), change = new ChangeForm(store);
const remove = new RemoveForm(store), settings = new SettingsForm(store);

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

const cancel = new CancelForm(store, (ids) => act("cancel", ids));

function toggle(id) {
  const download = store.get(id);
  const action = download && mainAction(download);
  if (!action) return;
  act(action.name, [id]);
  announce(`${action.label}: ${download.name}`);
}

// Moves a download in front of another one, or to the end of the queue if the other one is not in the queue.
const moveBefore = (id, other) => attempt(async () => {
  const download = store.get(id);
  if (!download || other?.id === id) return;
  if (!other || isEnded(other)) { await moveTo(id, "move-last"); return; }
  const changes = { before: other.id };
  if (other.priority !== download.priority) changes.priority = other.priority;
  store.update((await api.change([id], changes)).downloads);
  announce(`Moved ${download.name} before ${other.name}`);
});

async function moveTo(id, action) {
  store.update((await api.act(action, [id])).downloads);
  announce(action === "move-first" ? "Moved to the start of the queue" : "Moved to the end of the queue");
}

function move(id, direction) {
  const at = store.view.findIndex((download) => download.id === id);
  const self = store.view[at];
  if (!self || isEnded(self)) return;
  if (direction === "first" || direction === "last") {
    attempt(() => moveTo(id, `move-${direction}`));
    return;
  }
  const other = store.view[direction === "up" ? at - 1 : at + 1];
  if (!other || isEnded(other)) return;
  if (direction === "up" || other.priority !== self.priority) moveBefore(id, other);
  else moveBefore(other.id, self);
}

const closed = (hadFocus) => {
  list.draw();
  if (hadFocus) list.grid.focus({ preventScroll: true });
};
const detail = new Detail(store, { toggle, move, cancel: (ids) => cancel.open(ids), remove: (ids) => remove.open(ids), change: (id) => change.open(id), closed });
const list = new List(store, {
  open: (id, focuses) => detail.open(id, focuses), add: () => add.open(),
  toggle, move, moveBefore, remove: (ids) => remove.open(ids), selectionChanged: () => drawSelection(),
});
list.opened = () => detail.id;
remove.removed = (ids, wasOpen) => {
  if (ids.includes(detail.id)) detail.close();
  // If the dialog was closed before, the focus is elsewhere and stays there.
  else closed(wasOpen);
  list.select([...list.selected].filter((id) => !ids.includes(id)));
};

const menu = new Menu(store, (action, states) => attempt(async () => {
  const outcome = await api.actOnAll(action, states);
  const { downloads } = outcome;
  if (action === "remove") {
    const ids = downloads.map(({ id }) => id);
    store.remove(ids);
    remove.removed(ids, false);
  } else {
    takeOver(outcome);
  }
  announce(`${format.plural(downloads.length, "download")} ${{ pause: "paused", resume: "resumed", remove: "removed" }[action]}`);
}));

// MARK: Drawing

const drawTotal = inFrame(() => {
  const { speed } = store;
  setText($("total"), format.speed(speed));
  const title = speed > 0 ? `↓ ${format.speed(speed)} · Pawl` : "Pawl";
  if (document.title !== title) document.title = title;
});

function drawFilters() {
  for (const filter of filters) {
    let button = $(`filter-${filter.name}`);
    if (!button) {
      button = el("button", { type: "button", id: `filter-${filter.name}`, onclick: () => { store.show(filter); list.viewport.scrollTop = 0; } },
        el("span", {}, filter.label), el("span", { class: "count" }));
      $("filters").append(button);
    }
    setAttribute(button, "aria-pressed", store.filter === filter);
    setText(button.lastChild, store.count(filter).toLocaleString("en"));
  }
}

function drawLimit() {
  const { current } = store.settings ?? {};
  if (!current) return;
  const limit = current.limitBytesPerSecond;
  const until = current.until ? ` until ${format.time(current.until)}` : "";
  setText($("limit"), `${limit ? `Limit ${format.speed(limit)}` : "No limit"}${until}`);
}

function drawSelection() {
  const count = list.selected.size;
  $("selection").hidden = count === 0;
  setText($("selected"), `${count.toLocaleString("en")} selected`);
}

function drawEmpty() {
  const isEmpty = store.isLoaded && store.view.length === 0;
  $("empty").hidden = !isEmpty;
  $("grid").classList.toggle("bare", isEmpty);
  if (!isEmpty) return;
  const isNew = store.total === 0;
  const what = store.search ? `No download matches “${store.search}”.` : isNew ? "No downloads yet." : "No downloads in this list.";
  const hint = isNew ? "Paste a URL anywhere on this page, drop one, or click Add." : "";
  $("empty").replaceChildren(el("p", {}, what), hint ? el("p", { class: "hint" }, hint) : "");
}

const drawAll = inFrame(() => {
  drawFilters();
  menu.draw();
  drawLimit();
  drawEmpty();
  for (const id of list.selected) if (!store.get(id)) list.selected.delete(id);
  drawSelection();
});

store.onStructure = () => { drawAll(); drawTotal(); list.draw(); detail.draw(); };
store.onValues = () => { drawTotal(); list.draw(); detail.draw(); };

function banner(text = "", kind = "") {
  const element = $("banner");
  element.dataset.kind = kind;
  element.hidden = !text;
  element.replaceChildren();
  if (!text) return;
  element.append(el("span", {}, text));
  if (kind === "error") element.append(el("button", { type: "button", class: "small", "aria-label": "Dismiss", onclick: () => banner() }, "×"));
}

// MARK: Events

const announcedEvents = new Set(["finished", "failed"]);

const stream = new EventStream({
  // Events arrive from now on, so a load that starts now misses nothing.
  async opened() {
    try {
      await store.load();
    } catch (error) {
      if (error.name !== "AbortError" && error.status !== 401) stream.restartLater();
    }
  },
  closed() {
    if (login.dialog.open) return;
    document.body.classList.add("offline");
    banner("The daemon does not respond. The list may be out of date. Reconnecting …", "offline");
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
    if (announcedEvents.has(name)) announce(`${data.name} ${name}`);
  },
});

store.onLoaded = () => {
  $("grid").removeAttribute("aria-busy");
  if ($("banner").dataset.kind === "offline") { banner(); announce("Reconnected to the daemon"); }
  document.body.classList.remove("offline");
  detail.reload();
};

const login = new LoginForm(() => stream.start());
api.onUnauthorized(() => {
  stream.stop();
  banner();
  login.open();
});

// A link may contain a login code or the token. Both are removed from the address bar.
async function logInByLink() {
  const link = new URLSearchParams(location.hash.slice(1));
  const credentials = link.has("code") ? { code: link.get("code") } : link.has("token") ? { token: link.get("token") } : null;
  if (!credentials) return;
  history.replaceState(null, "", location.pathname);
  try {
    await api.login(credentials);
    login.dialog.close();
  } catch { /* The login form is shown. */ }
}

// MARK: Input

addEventListener("popstate", (event) => detail.historyChanged(event.state));

document.addEventListener("keydown", (event) => {
  // The key first closes the menu.
  if (event.key !== "Escape" || event.defaultPrevented || $("menu").matches(":popover-open")) return;
  if (!isTyping(event.target)) detail.close();
});

const isTyping = (target) => target.closest?.("input, textarea, select, dialog");

document.addEventListener("paste", (event) => {
  if (isTyping(event.target)) return;
  const text = event.clipboardData.getData("text/plain");
  if (text.trim()) { event.preventDefault(); add.open(text); }
});
// Text that is dropped into a field of a dialog belongs to the field.
const isOurDrop = (event) => !list.isDragging && !event.target.closest?.("dialog :is(input, textarea)");

document.addEventListener("dragover", (event) => {
  $("drop").hidden = !isOurDrop(event);
  if (isOurDrop(event)) event.preventDefault();
});
document.addEventListener("dragleave", (event) => { if (!event.relatedTarget) $("drop").hidden = true; });
document.addEventListener("drop", (event) => {
  $("drop").hidden = true;
  if (!isOurDrop(event)) return;
  event.preventDefault();
  const text = event.dataTransfer.getData("text/uri-list") || event.dataTransfer.getData("text/plain");
  if (text.trim()) add.open(text);
});

let searchTimer;
$("search").addEventListener("input", (event) => {
  clearTimeout(searchTimer);
  searchTimer = setTimeout(() => {
    list.viewport.scrollTop = 0;
    store.find(event.target.value.trim());
  }, 120);
});
$("selection").addEventListener("click", (event) => {
  const { action } = event.target.dataset;
  const ids = [...list.selected];
  if (action === "none") list.select([]);
  else if (action === "remove") remove.open(ids);
  else if (action) actOnApplicable(action, ids);
});

// Applies an action to the downloads whose state allows it.
function actOnApplicable(action, ids) {
  const applies = {
    pause: (download) => !isEnded(download),
    resume: (download) => download.state !== "finished",
    cancel: (download) => download.state !== "finished",
  }[action];
  const applicable = ids.filter((id) => store.get(id) && applies(store.get(id)));
  if (!applicable.length) return;
  if (action === "cancel") cancel.open(applicable);
  else act(action, applicable);
}

const openSettings = () => attempt(() => settings.open());
$("open-add").addEventListener("click", () => add.open());
$("open-settings").addEventListener("click", openSettings);
$("limit").addEventListener("click", openSettings);
addEventListener("hashchange", async () => { await logInByLink(); stream.start(); });

drawFilters();
await logInByLink();
stream.start();
