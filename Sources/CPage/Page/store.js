// The downloads as the page knows them: loaded in pages from the daemon and updated by its events.

import * as api from "./api.js";
import { SpeedHistory } from "./history.js";
import { isMoving, sortDownloads } from "./order.js";
import { endedStates, filters, isActive, isEnded } from "./states.js";
import { recall, remember } from "./storage.js";

const pageSize = 1000;
// The query for all ended downloads.
const past = { state: endedStates.join(","), order: "newest" };
// A column can sort at most this many ended downloads: all must be loaded.
const mostSorted = 20_000;
// The least time between two sortings by a number that changes while downloads run, in milliseconds.
const sortInterval = 2_000;
// Numbers that change more often, in milliseconds, cannot be read.
const showInterval = 400;

export class Store {
  downloads = new Map();
  view = [];
  filter = filters[0];
  search = "";
  // The chosen label, or "" for all downloads.
  label = "";
  // The labels by name: those that the daemon has listed, and those of downloads that came later.
  labels = new Map();
  counts = {};
  settings = null;
  isLoaded = false;
  // Changes with each change of a download, except the progress of running ones.
  revision = 0;
  // The column `queue` is the order of the queue.
  sort = recall("sort", { column: "queue", descending: false });
  // The speeds of each running download, and of all together.
  histories = new Map();
  total = new SpeedHistory();
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
  #loadingOlder = null;
  // The downloads that have not ended, or had not when they were loaded first.
  #seenActive = new Set();
  #sortedAt = 0;
  #shownAt = 0;

  get(id) { return this.downloads.get(id); }

  get speed() {
    let sum = 0;
    for (const id of this.#running) sum += this.downloads.get(id)?.bytesPerSecond ?? 0;
    return sum;
  }

  get isQueueOrder() { return this.sort.column === "queue"; }

  get all() { return Object.values(this.counts).reduce((sum, count) => sum + count, 0); }

  // The number of downloads with the chosen label and a state of the filter.
  count(filter) {
    const counts = this.label ? this.labels.get(this.label)?.counts ?? {} : this.counts;
    return (filter.states ?? Object.keys(counts)).reduce((sum, state) => sum + (counts[state] ?? 0), 0);
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
    if (!this.label) this.refreshLabels().catch(() => {});
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
    this.#loadSorted();
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
    // Otherwise the store is a file.
    this.isInDatabase = !status.store.startsWith("/");
    if (!status.storeProblem) this.counts = status.counts;
    // The daemon counts by label and state, too.
    if (this.label) await this.refreshLabels();
    this.onStructure();
  }

  async refreshLabels() {
    this.labels = new Map((await api.labels()).map((label) => [label.name, label]));
    // The label was removed, or nothing has it any more.
    if (this.label && !this.labels.has(this.label)) this.showLabel("");
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
    const states = this.filter.states?.filter((state) => endedStates.includes(state)).join(",") ?? past.state;
    return { ...past, state: states, ...(this.search && { search: this.search.slice(0, 85) }), ...(this.label && { label: this.label }) };
  }

  // The oldest id down to which all matching ended downloads are loaded.
  get #oldest() {
    const at = (query) => this.#older.get(JSON.stringify(query)) ?? Infinity;
    return Math.min(at(past), at(this.#past));
  }

  // Loads more ended downloads when the list is scrolled to its end.
  loadOlder() {
    this.#loadingOlder ??= this.#loadOlderPage().finally(() => { this.#loadingOlder = null; });
    return this.#loadingOlder;
  }

  async #loadOlderPage() {
    const query = this.#past, after = this.#oldest, older = this.#older;
    if (!query.state || !after || !this.isLoaded) return;
    const page = await api.list({ ...query, limit: pageSize, after });
    // Everything was loaded again in the meantime.
    if (older !== this.#older) return;
    // Known downloads are kept up to date by events.
    for (const download of page.downloads) if (!this.get(download.id)) this.#put(download);
    older.set(JSON.stringify(query), page.next ?? 0);
    this.#changed();
  }

  find(text) {
    this.search = text;
    this.#changed();
  }

  show(filter) {
    this.filter = filter;
    this.#changed();
    this.#loadSorted();
  }

  showLabel(name) {
    this.label = name;
    this.#changed();
    this.#loadSorted();
    if (name) this.refreshLabels().catch(() => {});
  }

  sortBy(column, descending = false) {
    this.sort = { column, descending };
    remember("sort", this.sort);
    this.#changed();
    this.#loadSorted();
  }

  // Loads the ended downloads that the order needs: each may belong to the start of the list.
  async #loadSorted() {
    const { sort, filter, label } = this;
    const isSame = () => this.sort === sort && this.filter === filter && this.label === label;
    while (!this.isQueueOrder && isSame() && this.downloads.size < mostSorted) {
      const before = this.#oldest;
      await this.loadOlder().catch(() => {});
      if (this.#oldest === before) return;
    }
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
      // An undo adds removed downloads again.
      if (event.kind === "added") this.#removed.delete(event.download);
      this.#stale.add(event.download);
      this.#changedMeanwhile?.add(event.download);
    }
    this.#refreshSoon();
  }

  handleProgress(rows) {
    const now = Date.now();
    for (const row of rows) {
      const download = this.downloads.get(row.id);
      if (!download || !isActive(download)) continue;
      download.completedBytes = row.completedBytes;
      if (row.totalBytes !== undefined) download.totalBytes = row.totalBytes;
      download.bytesPerSecond = row.bytesPerSecond;
      download.connections = row.connections;
      if (row.name) download.name = row.name;
      let history = this.histories.get(row.id);
      if (!history) this.histories.set(row.id, history = new SpeedHistory());
      history.record(row.bytesPerSecond ?? 0, now);
    }
    this.total.record(this.speed, now);
    if (isMoving(this.sort) && now - this.#sortedAt >= sortInterval) this.#changed();
    if (now - this.#shownAt < showInterval) return;
    this.#shownAt = now;
    this.onValues();
  }

  // Takes over downloads from a response.
  update(downloads) {
    for (const download of downloads) this.#put(download);
    this.#changed();
    this.#refreshSoon();
  }

  // Handles that removed downloads are in the list again.
  restore(ids) {
    for (const id of ids) this.#removed.delete(id);
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
    if (download.label && !this.labels.has(download.label)) this.labels.set(download.label, { name: download.label, counts: {} });
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
      if (this.label && download.label !== this.label) continue;
      // Older ones are hidden until all between them are loaded, unless they ended while the page was open.
      if (download.id < oldest && isEnded(download) && !this.#seenActive.has(download.id)) continue;
      if (words && !download.name.toLowerCase().includes(words)
        && !download.url.toLowerCase().includes(words)) continue;
      view.push(download);
    }
    this.#watchDates(next);
    this.#sortedAt = now;
    this.revision += 1;
    this.view = sortDownloads(view, this.sort);
    this.onStructure();
  }
}
