// Removals that can be undone, and the bar that offers to undo the newest of them.

import * as api from "./api.js";
import { $, announce, setText } from "./dom.js";
import { t } from "./i18n.js";
import { undoKeys } from "./keys.js";

// The daemon keeps a removal for 60 s, in milliseconds, if it has at most this many downloads.
const time = 59_000, mostDownloads = 10_000;

// Feeds and downloads have separate IDs.
const feedKey = (id) => `feed ${id}`;

export class RemovalUndo {
  // From the oldest to the newest.
  #removals = [];
  #timer = null;
  #isBusy = false;

  // attempt(work) shows errors, restored(outcome) takes over the downloads, left() moves the focus when the bar is gone.
  constructor({ attempt, restored, left }) {
    Object.assign(this, { restored, left });
    this.undo = () => attempt(() => this.carryOut());
    $("undo-button").addEventListener("click", this.undo);
    $("undo-close").addEventListener("click", () => { this.#removals = []; this.#show(); });
  }

  get isOffered() { return !$("undo").hidden; }

  // Handles that downloads were removed, with or without their files.
  removed(downloads, withFiles = false) {
    const count = downloads.length;
    if (!count) return;
    const text = count === 1 ? t("undo.one", { name: downloads[0].name }) : t("count.removed", { n: count });
    // The downloads of a program's session cannot be restored.
    const ids = downloads.filter(({ session }) => session === undefined).map(({ id }) => id);
    const isKept = !withFiles && count <= mostDownloads;
    // After the other removals, the daemon restores no earlier downloads either.
    if (!isKept) this.#removals = this.#removals.filter(({ isFeed }) => isFeed);
    else if (ids.length) this.#offer(text, ids);
    this.#show();
    announce(isKept && ids.length ? t("undo.hint", { text, keys: undoKeys }) : text);
  }

  // Handles that a feed was removed.
  removedFeed({ id, name }) {
    this.#offer(t("undo.one", { name }), [feedKey(id)], true);
    this.#show();
  }

  #offer(text, ids, isFeed = false) { this.#removals.push({ text, ids, isFeed, until: performance.now() + time }); }

  // Undoes the newest removal; returns what was restored, as a text.
  async carryOut() {
    if (this.#isBusy || !this.isOffered) return "";
    this.#isBusy = true;
    try {
      const outcome = await api.undo();
      const { downloads, feeds = [] } = outcome;
      const ids = new Set([...downloads.map(({ id }) => id), ...feeds.map(({ id }) => feedKey(id))]);
      // With another page of the same login, this may be another removal.
      this.#removals = ids.size ? this.#removals.filter((removal) => !removal.ids.some((id) => ids.has(id))) : [];
      this.restored(outcome);
      if (!ids.size) throw new Error(t("undo.none"));
      const text = feeds.length ? t("undo.feed", { name: feeds[0].name }) : t("undo.done", { n: downloads.length });
      announce(text);
      return text;
    } finally {
      this.#isBusy = false;
      this.#show();
    }
  }

  #show() {
    clearTimeout(this.#timer);
    const now = performance.now(), bar = $("undo");
    this.#removals = this.#removals.filter(({ until }) => until > now);
    const newest = this.#removals.at(-1);
    const hadFocus = bar.contains(document.activeElement);
    bar.hidden = !newest;
    if (newest) {
      setText($("undo-text"), newest.text);
      this.#timer = setTimeout(() => this.#show(), newest.until - now);
    } else if (hadFocus) {
      this.left();
    }
  }
}
