// The downloads as the page knows them: loaded in pages from the daemon and updated by its events.

import * as api from "./api.js";

export const filters = [
  { name: "all", label: "All", states: null },
  { name: "active", label: "Downloading", states: ["running", "waitingForConnectivity"] },
  { name: "queued", label: "Queued", states: ["waiting"] },
  { name: "paused", label: "Paused", states: ["paused", "suspended"] },
  { name: "finished", label: "Finished", states: ["finished"] },
  { name: "failed", label: "Failed", states: ["failed", "cancelled"] },
];

const active = new Set(filters[1].states);
const ended = new Set(["finished", "failed", "cancelled"]);
const priorities = { high: 0, normal: 1, low: 2 };
const pageSize = 1000;
// The query for all ended downloads.
const past = { state: [...ended].join(","), order: "newest" };
const historyLength = 240;

export const isEnded = (download) => ended.has(download.state);
export const isActive = (download) => active.has(download.state);

// Running downloads come first, then the queue in its order, then ended downloads, newest first as in the daemon's
// pages.
function compare(a, b) {
  const rank = (download) => (active.has(download.state) ? 0 : ended.has(download.state) ? 2 : 1);
  const ranks = rank(a) - rank(b);
  if (ranks) return ranks;
  if (ended.has(a.state)) return b.id - a.id;
  return priorities[a.priority] - priorities[b.priority] || a.position - b.position || a.id - b.id;
}

export class Store {
  downloads = new Map();
  view = [];
  filter = filters[0];
  search = "";
  counts = {};
  settings = null;
  isLoaded = false;
  // The speeds of each running download: [milliseconds, bytes per second].
  histories = new Map();
  // Called when rows were added, removed or moved.
  onStructure = () => {};
  // Called when only numbers have changed.
  onValues = () => {};
  // Called when everything was loaded.
  onLoaded = () => {};

  #running = new Set();
  #stale = new Set();
  // The ids of removed downloads. The daemon never reuses an id.
  #removed = new Set();
  #loading = 0;
  // While everything is loaded: the ids that the daemon has listed, and those that events have named.
  #seen = null;
  #changedMeanwhile = null;
  #timer = null;
  #untilTimer = null;
  #dateTimer = null;
  #isFetching = false;
  // For each query of ended downloads, the `after` of its next page; 0 if all pages were loaded.
  #older = new Map();
  #isLoadingOlder = false;
  // The downloads that have not ended, or had not when they were loaded first.
  #seenActive = new Set();

  get(id) { return this.downloads.get(id); }

  get speed() {
    let sum = 0;
    for (const id of this.#running) sum += this.downloads.get(id)?.bytesPerSecond ?? 0;
    return sum;
  }

  get total() { return Object.values(this.counts).reduce((sum, count) => sum + count, 0); }

  count(filter) {
    if (!filter.states) return this.total;
    return filter.states.reduce((sum, state) => sum + (this.counts[state] ?? 0), 0);
  }

  // MARK: Loading

  // Loads all downloads that have not ended, and the newest that have.
  async load() {
    const round = ++this.#loading;
    const seen = this.#seen = new Set();
    const changed = this.#changedMeanwhile = new Set();
    const take = (page) => {
      if (round !== this.#loading) throw new DOMException("another load", "AbortError");
      for (const download of page.downloads) this.#put(download);
      this.#changed();
    };
    const pages = (states) => this.#pages(states, take);
    const first = Promise.all([
      this.refreshStatus(), this.refreshSettings(), pages("running,waitingForConnectivity"),
    ]);
    const newest = api.list({ ...past, limit: 200 });
    newest.catch(() => {});
    await first;
    await pages("waiting,paused,suspended");
    const page = await newest;
    take(page);
    this.#older = new Map([[JSON.stringify(past), page.next ?? 0]]);
    for (const id of [...this.downloads.keys()]) if (!seen.has(id)) this.#drop(id);
    // A page may be older than an event that was received before it.
    this.#seen = this.#changedMeanwhile = null;
    for (const id of changed) this.#stale.add(id);
    if (changed.size) this.#refreshSoon();
    this.isLoaded = true;
    this.#changed();
    this.onLoaded();
  }

  async #pages(states, take) {
    let after = 0;
    do {
      const page = await api.list({ state: states, limit: pageSize, after });
      take(page);
      after = page.next;
    } while (after !== undefined);
  }

  async refreshStatus() {
    const status = await api.status();
    this.counts = status.counts;
    this.onStructure();
  }

  async refreshSettings() {
    this.settings = await api.settings();
    this.onStructure();
    // At that time another period of the timetable applies.
    clearTimeout(this.#untilTimer);
    const { until } = this.settings.current;
    if (!until) return;
    const wait = Math.min(3_600_000, Math.max(1000, new Date(until) - Date.now() + 1000));
    this.#untilTimer = setTimeout(() => this.refreshSettings().catch(() => {}), wait);
  }

  // The query for ended downloads that match the filter and the search. The daemon accepts at most 85 characters, so
  // it may find too many; the page filters them again.
  get #past() {
    const states = this.filter.states?.filter((state) => ended.has(state)).join(",") ?? past.state;
    return { ...past, state: states, ...(this.search && { search: this.search.slice(0, 85) }) };
  }

  // The oldest id down to which all matching ended downloads are loaded.
  get #oldest() {
    const at = (query) => this.#older.get(JSON.stringify(query)) ?? Infinity;
    return Math.min(at(past), at(this.#past));
  }

  // Loads more ended downloads when the list is scrolled to its end.
  async loadOlder() {
    const query = this.#past, after = this.#oldest, older = this.#older;
    if (!query.state || !after || this.#isLoadingOlder || !this.isLoaded) return;
    this.#isLoadingOlder = true;
    try {
      const page = await api.list({ ...query, limit: pageSize, after });
      // Everything was loaded again in the meantime.
      if (older !== this.#older) return;
      // Known downloads are kept up to date by events.
      for (const download of page.downloads) if (!this.get(download.id)) this.#put(download);
      older.set(JSON.stringify(query), page.next ?? 0);
      this.#changed();
    } finally {
      this.#isLoadingOlder = false;
    }
  }

  find(text) {
    this.search = text;
    this.#changed();
  }

  show(filter) {
    this.filter = filter;
    this.#changed();
  }

  // MARK: Events

  // Removes a removed download immediately, and requests any other one again.
  handleEvent(event) {
    if (event.kind === "removed") {
      this.#removed.add(event.download);
      // The daemon removes many old ones that are not loaded.
      if (this.downloads.has(event.download)) {
        this.#drop(event.download);
        this.#changed();
      }
    } else {
      this.#stale.add(event.download);
      this.#changedMeanwhile?.add(event.download);
    }
    this.#refreshSoon();
  }

  handleProgress(rows) {
    const now = performance.now();
    for (const row of rows) {
      const download = this.downloads.get(row.id);
      if (!download || !active.has(download.state)) continue;
      download.completedBytes = row.completedBytes;
      if (row.totalBytes !== undefined) download.totalBytes = row.totalBytes;
      download.bytesPerSecond = row.bytesPerSecond;
      download.connections = row.connections;
      if (row.name) download.name = row.name;
      this.#recordSpeed(row.id, now, row.bytesPerSecond);
    }
    this.onValues();
  }

  // Takes over downloads from a response.
  update(downloads) {
    for (const download of downloads) this.#put(download);
    this.#changed();
    this.#refreshSoon();
  }

  remove(ids) {
    for (const id of ids) { this.#removed.add(id); this.#drop(id); }
    this.#changed();
  }

  #refreshSoon() {
    this.#timer ??= setTimeout(() => this.#refresh(), 60);
  }

  async #refresh() {
    this.#timer = null;
    if (this.#isFetching) { this.#refreshSoon(); return; }
    this.#isFetching = true;
    try {
      const ids = [...this.#stale];
      this.#stale.clear();
      // Loading everything is faster than many single downloads.
      if (ids.length > 2000) { await this.load(); return; }
      let hasMoved = false;
      for (let index = 0; index < ids.length; index += 100) {
        const part = ids.slice(index, index + 100);
        const page = await api.list({ target: part.join("\n"), limit: pageSize });
        const wanted = new Set(part);
        for (const download of page.downloads) {
          if (!wanted.has(download.id)) continue;
          const before = this.downloads.get(download.id);
          hasMoved ||= before && before.position !== download.position && !isEnded(download);
          this.#put(download);
        }
      }
      await this.refreshStatus();
      // The positions of other downloads have changed, too.
      if (hasMoved) {
        await this.#pages("running,waitingForConnectivity,waiting,paused,suspended", (page) => {
          for (const download of page.downloads) this.#put(download);
        });
      }
      this.#changed();
    } catch {
      // The event stream reports a lost connection and loads everything when it is back.
    } finally {
      this.#isFetching = false;
    }
  }

  // MARK: State

  #put(download) {
    if (this.#removed.has(download.id)) return;
    this.#seen?.add(download.id);
    if (!isEnded(download)) this.#seenActive.add(download.id);
    const known = this.downloads.get(download.id);
    if (known) {
      for (const name of Object.keys(known)) if (!(name in download)) delete known[name];
      Object.assign(known, download);
    } else {
      this.downloads.set(download.id, download);
    }
    if (isActive(download)) {
      this.#running.add(download.id);
    } else {
      this.#running.delete(download.id);
      this.histories.delete(download.id);
    }
  }

  #drop(id) {
    this.#seenActive.delete(id);
    this.downloads.delete(id);
    this.#running.delete(id);
    this.histories.delete(id);
  }

  #recordSpeed(id, now, speed) {
    let history = this.histories.get(id);
    if (!history) this.histories.set(id, history = []);
    history.push([now, speed]);
    if (history.length > historyLength) history.shift();
  }

  // Draws the list again when the next displayed start time is reached.
  #watchDates(next) {
    clearTimeout(this.#dateTimer);
    if (next === Infinity) return;
    const wait = Math.min(3_600_000, Math.max(100, next - Date.now() + 50));
    this.#dateTimer = setTimeout(() => this.#changed(), wait);
  }

  #changed() {
    const states = this.filter.states && new Set(this.filter.states);
    const words = this.search.toLowerCase();
    const view = [], oldest = this.#oldest, now = Date.now();
    let next = Infinity;
    for (const download of this.downloads.values()) {
      if (download.state === "waiting" && download.notBefore) {
        const date = Date.parse(download.notBefore);
        if (date > now) next = Math.min(next, date);
      }
      if (states && !states.has(download.state)) continue;
      // Older ones are hidden until all between them are loaded, unless they ended while the page was open.
      if (download.id < oldest && isEnded(download) && !this.#seenActive.has(download.id)) continue;
      if (words && !download.name.toLowerCase().includes(words)
        && !download.url.toLowerCase().includes(words)) continue;
      view.push(download);
    }
    this.#watchDates(next);
    this.view = view.sort(compare);
    this.onStructure();
  }
}
