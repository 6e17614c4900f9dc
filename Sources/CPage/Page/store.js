// What the page knows of the queue: filled by pages, kept true by events, drawn by those who listen.

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
// All that has ended, as it is asked for.
const past = { state: [...ended].join(","), order: "newest" };
const historyLength = 240;

export const isEnded = (download) => ended.has(download.state);
export const isActive = (download) => active.has(download.state);

// Those that run, then the queue in its order, then what has ended, as the daemon's pages have it: what was added
// last comes first.
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
  // The speed of each that runs: [milliseconds, bytes a second].
  histories = new Map();
  // Called when another row is shown, or in another place; when numbers have changed.
  onStructure = () => {};
  onValues = () => {};
  // Called when what is shown is what the daemon has.
  onLoaded = () => {};

  #running = new Set();
  #stale = new Set();
  // An id is never used again.
  #removed = new Set();
  #loading = 0;
  // While all is loaded: what is there, and what has changed meanwhile.
  #seen = null;
  #moved = null;
  #timer = null;
  #untilTimer = null;
  #dateTimer = null;
  #isFetching = false;
  // For each query of what has ended, back to which id it is loaded: the `after` of the next page, 0 at the end.
  #older = new Map();
  #isLoadingOlder = false;
  // What has not ended, or had not when it was seen first.
  #watched = new Set();

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

  // All that has not ended, and the newest that has.
  async load() {
    const round = ++this.#loading;
    const seen = this.#seen = new Set();
    const moved = this.#moved = new Set();
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
    // A page may have been made before what happened, and have come after it.
    this.#seen = this.#moved = null;
    for (const id of moved) this.#stale.add(id);
    if (moved.size) this.#refreshSoon();
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
    // The timetable says something else then.
    clearTimeout(this.#untilTimer);
    const { until } = this.settings.current;
    if (!until) return;
    const wait = Math.min(3_600_000, Math.max(1000, new Date(until) - Date.now() + 1000));
    this.#untilTimer = setTimeout(() => this.refreshSettings().catch(() => {}), wait);
  }

  // What has ended and is to be seen, as it is asked for; of a long search the daemon may find too much.
  get #past() {
    const states = this.filter.states?.filter((state) => ended.has(state)).join(",") ?? past.state;
    return { ...past, state: states, ...(this.search && { search: this.search.slice(0, 85) }) };
  }

  // Where what is loaded of it ends.
  get #oldest() {
    const at = (query) => this.#older.get(JSON.stringify(query)) ?? Infinity;
    return Math.min(at(past), at(this.#past));
  }

  // More of what has ended, where the list is at its end.
  async loadOlder() {
    const query = this.#past, after = this.#oldest, older = this.#older;
    if (!query.state || !after || this.#isLoadingOlder || !this.isLoaded) return;
    this.#isLoadingOlder = true;
    try {
      const page = await api.list({ ...query, limit: pageSize, after });
      // All was loaded anew meanwhile.
      if (older !== this.#older) return;
      // Of the others events have told what is true by now.
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

  // Something happened to a download: a removed one goes at once, others are asked for.
  happened(event) {
    if (event.kind === "removed") {
      this.#removed.add(event.download);
      this.#drop(event.download);
      this.#changed();
    } else {
      this.#stale.add(event.download);
      this.#moved?.add(event.download);
    }
    this.#refreshSoon();
  }

  progressed(rows) {
    const now = performance.now();
    for (const row of rows) {
      const download = this.downloads.get(row.id);
      if (!download || !active.has(download.state)) continue;
      download.completedBytes = row.completedBytes;
      if (row.totalBytes !== undefined) download.totalBytes = row.totalBytes;
      download.bytesPerSecond = row.bytesPerSecond;
      download.connections = row.connections;
      if (row.name) download.name = row.name;
      this.#note(row.id, now, row.bytesPerSecond);
    }
    this.onValues();
  }

  // An answer tells how downloads are now.
  learned(downloads) {
    for (const download of downloads) this.#put(download);
    this.#changed();
    this.#refreshSoon();
  }

  forget(ids) {
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
      // Single ones would take longer than all.
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
      // Others have made room for it.
      if (hasMoved) {
        await this.#pages("running,waitingForConnectivity,waiting,paused,suspended", (page) => {
          for (const download of page.downloads) this.#put(download);
        });
      }
      this.#changed();
    } catch {
      // The stream tells of it, and all is loaded anew when it is back.
    } finally {
      this.#isFetching = false;
    }
  }

  // MARK: Keeping

  #put(download) {
    if (this.#removed.has(download.id)) return;
    this.#seen?.add(download.id);
    if (!isEnded(download)) this.#watched.add(download.id);
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
    this.#watched.delete(id);
    this.downloads.delete(id);
    this.#running.delete(id);
    this.histories.delete(id);
  }

  #note(id, now, speed) {
    let history = this.histories.get(id);
    if (!history) this.histories.set(id, history = []);
    history.push([now, speed]);
    if (history.length > historyLength) history.shift();
  }

  // What begins or is tried again at a time says something else from then on.
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
      // In between there may be others; but what ended before one's eyes stays.
      if (download.id < oldest && isEnded(download) && !this.#watched.has(download.id)) continue;
      if (words && !download.name.toLowerCase().includes(words)
        && !download.url.toLowerCase().includes(words)) continue;
      view.push(download);
    }
    this.#watchDates(next);
    this.view = view.sort(compare);
    this.onStructure();
  }
}
