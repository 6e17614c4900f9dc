// The speed in the past: of one download, or of all together.

export const minute = 60_000;
export const hour = 60 * minute;
// An hour is kept as means over this time.
const step = 10_000;
// After this time without a sample, nothing was received.
const pause = 3_000;

export class SpeedHistory {
  // [milliseconds since 1970, bytes per second], oldest first.
  #recent = [];
  // [start, sum, count] of each step.
  #steps = [];

  record(speed, now = Date.now()) {
    this.#recent.push([now, speed]);
    while (this.#recent[0][0] < now - minute - pause) this.#recent.shift();
    const start = now - (now % step);
    const last = this.#steps.at(-1);
    if (last?.[0] === start) { last[1] += speed; last[2] += 1; }
    else this.#steps.push([start, speed, 1]);
    while (this.#steps[0][0] < now - hour - step) this.#steps.shift();
  }

  get last() { return this.#recent.at(-1)?.[1] ?? 0; }
  get isEmpty() { return this.#steps.length === 0; }

  // The points of the last minute or hour, with zeros where nothing was received.
  points(span, now = Date.now()) {
    const isLong = span > minute;
    const points = isLong
      ? this.#steps.map(([start, sum, count]) => [Math.min(now, start + step / 2), sum / count]) : this.#recent;
    const gap = isLong ? 2 * step : pause;
    const filled = [];
    let before = null;
    for (const [at, speed] of points) {
      if (before !== null && at - before > gap) filled.push([before + 1, 0], [at - 1, 0]);
      filled.push([at, speed]);
      before = at;
    }
    if (before !== null && now - before > gap) filled.push([before + 1, 0], [now, 0]);
    return filled.filter(([at]) => now - at <= span);
  }

  // What is kept while the page is loaded again.
  get saved() { return this.#steps; }
  restore(steps, now = Date.now()) {
    if (Array.isArray(steps)) this.#steps = steps.filter((each) => Array.isArray(each) && each[0] > now - hour);
  }
}
