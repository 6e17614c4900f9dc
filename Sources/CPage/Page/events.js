// The stream of events from the daemon. It reconnects by itself and reports when the connection is lost.

import { request } from "./api.js";

// The time without data after which the connection counts as lost. The daemon sends data at least every 10 s.
const silence = 30_000;

export class EventStream {
  // handlers: opened(), received(), closed(), event(name, data)
  constructor(handlers) {
    this.handlers = handlers;
    this.last = null;
    this.failures = 0;
    this.retry = null;
    addEventListener("online", () => this.retryNow());
    document.addEventListener("visibilitychange", () => { if (!document.hidden) this.retryNow(); });
  }

  start() {
    this.stop();
    this.run(this.aborter = new AbortController());
  }

  stop() {
    clearTimeout(this.retry);
    this.retry = null;
    this.aborter?.abort();
    this.aborter = null;
  }

  // Starts again after a delay.
  restartLater() {
    this.stop();
    this.retry = setTimeout(() => this.start(), 2000);
  }

  // If it waits before the next attempt, starts immediately.
  retryNow() {
    if (this.retry !== null) this.start();
  }

  async run(aborter) {
    let isUnauthorized = false, watchdog;
    const received = () => {
      clearTimeout(watchdog);
      watchdog = setTimeout(() => aborter.abort(), silence);
    };
    try {
      received();
      const headers = { Accept: "text/event-stream" };
      if (this.last !== null) headers["Last-Event-ID"] = this.last;
      const answer = await request("GET", "/v1/events", undefined, headers, aborter.signal);
      await this.read(answer.body.getReader(), received);
    } catch (error) {
      isUnauthorized = error.status === 401;
    } finally {
      clearTimeout(watchdog);
    }
    if (this.aborter !== aborter) return;
    this.handlers.closed();
    // The login form starts the stream again.
    if (isUnauthorized) return;
    const wait = Math.min(8000, 300 * 2 ** this.failures);
    this.failures += 1;
    this.retry = setTimeout(() => this.start(), wait);
  }

  async read(reader, received) {
    const decoder = new TextDecoder();
    let text = "", isOpen = false;
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        received();
        if (!isOpen) {
          isOpen = true;
          this.failures = 0;
          this.handlers.opened();
        }
        this.handlers.received();
        text += decoder.decode(value, { stream: true });
        const blocks = text.split("\n\n");
        text = blocks.pop();
        for (const block of blocks) this.handle(block);
      }
    } finally {
      reader.cancel().catch(() => {});
    }
  }

  handle(block) {
    let name = "message", data = "";
    for (const line of block.split("\n")) {
      if (line.startsWith("data: ")) data += line.slice(6);
      else if (line.startsWith("event: ")) name = line.slice(7);
      else if (line.startsWith("id: ")) this.last = line.slice(4);
    }
    if (data) this.handlers.event(name, JSON.parse(data));
  }
}
