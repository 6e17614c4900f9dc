// The stream of what happens: it comes back by itself, and says when it is away.

import { request } from "./api.js";

// The daemon says something every ten seconds at least.
const silence = 30_000;

export class EventStream {
  // handlers: opened(), closed(), event(name, data)
  constructor(handlers) {
    this.handlers = handlers;
    this.last = null;
    this.failures = 0;
    this.retry = null;
    addEventListener("online", () => this.hurry());
    document.addEventListener("visibilitychange", () => { if (!document.hidden) this.hurry(); });
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

  // What was loaded meanwhile failed: anew, after a while.
  later() {
    this.stop();
    this.retry = setTimeout(() => this.start(), 2000);
  }

  // Where it waits before it tries again: at once.
  hurry() {
    if (this.retry !== null) this.start();
  }

  async run(aborter) {
    let isLockedOut = false, watchdog;
    const heard = () => {
      clearTimeout(watchdog);
      watchdog = setTimeout(() => aborter.abort(), silence);
    };
    try {
      heard();
      const headers = { Accept: "text/event-stream" };
      if (this.last !== null) headers["Last-Event-ID"] = this.last;
      const answer = await request("GET", "/v1/events", undefined, headers, aborter.signal);
      await this.read(answer.body.getReader(), heard);
    } catch (error) {
      isLockedOut = error.status === 401;
    } finally {
      clearTimeout(watchdog);
    }
    if (this.aborter !== aborter) return;
    this.handlers.closed();
    // The form that then shows begins it anew.
    if (isLockedOut) return;
    const wait = Math.min(8000, 300 * 2 ** this.failures);
    this.failures += 1;
    this.retry = setTimeout(() => this.start(), wait);
  }

  async read(reader, heard) {
    const decoder = new TextDecoder();
    let text = "", isOpen = false;
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        heard();
        if (!isOpen) {
          isOpen = true;
          this.failures = 0;
          this.handlers.opened();
        }
        text += decoder.decode(value, { stream: true });
        const blocks = text.split("\n\n");
        text = blocks.pop();
        for (const block of blocks) this.take(block);
      }
    } finally {
      reader.cancel().catch(() => {});
    }
  }

  take(block) {
    let name = "message", data = "";
    for (const line of block.split("\n")) {
      if (line.startsWith("data: ")) data += line.slice(6);
      else if (line.startsWith("event: ")) name = line.slice(7);
      else if (line.startsWith("id: ")) this.last = line.slice(4);
    }
    if (data) this.handlers.event(name, JSON.parse(data));
  }
}
