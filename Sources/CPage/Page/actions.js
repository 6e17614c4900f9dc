// The menus: what they offer, in the order in which they offer it.

import { columnTitle, columns, isShown, showColumn, showUsualColumns } from "./columns.js";
import { t } from "./i18n.js";
import { menuOf, Menu } from "./menu.js";
import { $ } from "./dom.js";
import { may } from "./rights.js";
import { actionLabel } from "./row.js";
import { isEnded, mainAction } from "./states.js";

// Each of these applies an action of the API to all downloads in some states.
const allActions = [
  { key: "pauseAll", action: "pause", states: ["waiting", "waitingForConnectivity", "running", "suspended"] },
  { key: "resumeAll", action: "resume", states: ["paused", "suspended"] },
  { key: "retryAll", action: "resume", states: ["failed"] },
  { key: "clearAll", action: "remove", states: ["finished", "cancelled"] },
];

// act(action, states)
export function allMenu(store, act) {
  return menuOf("menu", () => allActions.map(({ key, action, states }) => {
    const count = states.reduce((sum, state) => sum + (store.counts[state] ?? 0), 0);
    return { label: t(`all.${key}`), count, isOff: count === 0, act: () => act(action, states) };
  }));
}

// The order and the columns. changed() is called after the columns have changed, help() shows the keys.
export function viewMenu(store, changed, help) {
  const sortable = [{ name: "queue" }, ...columns];
  return menuOf("view", () => [
    { heading: t("view.sort") },
    ...sortable.map((column) => ({
      label: columnTitle(column), isRadio: true, stays: true, isChecked: store.sort.column === column.name,
      act: () => store.sortBy(column.name, store.sort.column === column.name && !store.sort.descending),
    })),
    {
      label: t("view.descending"), stays: true, isChecked: !store.isQueueOrder && store.sort.descending,
      isOff: store.isQueueOrder, act: () => store.sortBy(store.sort.column, !store.sort.descending),
    },
    { heading: t("view.columns") },
    ...columns.filter(({ isFixed }) => !isFixed).map((column) => ({
      label: columnTitle(column), stays: true, isChecked: isShown(column),
      act: () => { showColumn(column, !isShown(column)); changed(); },
    })),
    { label: t("view.reset"), act: () => { showUsualColumns(); store.sortBy("queue"); changed(); } },
    { label: t("view.keys"), act: help },
  ]);
}

// The menu of one download. actions: open(id), toggle(id), resume(id), copy(text, what), move(id, direction),
// change(id), label(ids), cancel(ids), remove(ids)
export class RowMenu extends Menu {
  constructor(store, actions) {
    super($("row-menu"), () => this.#items(store.get(this.id), actions));
  }

  open(id, place) {
    this.id = id;
    this.openAt(place);
  }

  #items(download, actions) {
    if (!download) return [{ label: t("row.gone"), isOff: true, act: () => {} }];
    const { id } = download, main = mainAction(download), hasEnded = isEnded(download);
    const controls = may("control", download);
    const waits = download.state === "waiting" && (download.failures || new Date(download.notBefore) > Date.now());
    return [
      { label: t("row.details"), act: () => actions.open(id, true) },
      controls && main && { label: actionLabel(main), act: () => actions.toggle(id) },
      // Retrying now ends the wait for the next attempt, and the wait for the start time.
      controls && waits && { label: t(download.failures ? "row.retryNow" : "row.now"), act: () => actions.startNow(download) },
      { label: t("row.copyLink"), act: () => actions.copy(download.url, "link") },
      { label: t("row.copyPath"), act: () => actions.copy(download.path ?? download.destination, "path") },
      controls && !hasEnded && { label: t("move.first"), act: () => actions.move(id, "first") },
      controls && !hasEnded && { label: t("move.last"), act: () => actions.move(id, "last") },
      controls && { label: t("action.label"), act: () => actions.label([id]) },
      controls && download.state !== "finished" && { label: t("action.change"), act: () => actions.change(id) },
      controls && (!hasEnded || download.state === "failed") && { label: t("action.cancel"), act: () => actions.cancel([id]) },
      controls && { label: t("action.remove"), act: () => actions.remove([id]) },
    ];
  }
}
