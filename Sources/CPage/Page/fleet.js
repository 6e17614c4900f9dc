// The nodes that share the queue, and the queue by host.

import * as api from "./api.js";
import { $, el, setText } from "./dom.js";
import * as format from "./format.js";
import { Form, makeDialog } from "./forms.js";
import { number, t, word } from "./i18n.js";

// No event reports what nodes do, so the open dialog is loaded in this interval, in milliseconds.
const refreshInterval = 5000;

function facts(node) {
  return [
    word("fleet.state", node.state),
    node.isSelf && t("fleet.self"),
    t("fleet.running", { running: node.running, taken: node.downloads }),
    node.bytesPerSecond !== undefined && format.speed(node.bytesPerSecond),
    node.lagSeconds !== undefined && t("fleet.lag", { time: format.duration(node.lagSeconds) }),
    node.version,
  ].filter(Boolean).join(" · ");
}

// The elements of one node in the list.
class NodeRow {
  constructor(drain) {
    this.name = el("bdi");
    this.facts = el("p");
    this.drain = el("button", { type: "button", onclick: () => drain(this.node) }, t("fleet.drain"));
    this.element = el("li", {}, el("h3", {}, this.name), this.facts,
      el("div", { class: "buttons left", "data-needs": "settings" }, this.drain));
  }

  show(node) {
    this.node = node;
    setText(this.name, node.name);
    setText(this.facts, facts(node));
    this.facts.classList.toggle("bad", node.state === "lost");
    this.drain.hidden = node.state !== "alive";
    this.drain.setAttribute("aria-label", `${t("fleet.drain")} ${node.name}`);
  }
}

function hostText({ host }) {
  if (host === undefined) return t("fleet.otherHosts");
  return host || t("fleet.noHost");
}

const countsText = (counts) => Object.entries(counts).map(([state, count]) => `${number(count)} ${word("state", state)}`).join(" · ");

export class FleetView extends Form {
  #rows = new Map();
  #timer = null;

  constructor() {
    makeDialog("fleet", { title: "fleet.title", submit: "close.close", className: "wide", close: null },
      el("ul", { id: "fleet-nodes", class: "feeds" }), el("h3", {}, t("fleet.hosts")), el("dl", { id: "fleet-hosts", class: "keys" }));
    super("fleet", async () => {});
    this.dialog.addEventListener("close", () => clearInterval(this.#timer));
  }

  async open() {
    await this.#load();
    super.open();
    clearInterval(this.#timer);
    this.#timer = setInterval(() => { if (!document.hidden) this.#load().catch(() => {}); }, refreshInterval);
  }

  async #load() {
    const { nodes, hosts } = await api.fleet();
    const known = this.#rows;
    this.#rows = new Map(nodes.map((node) => [node.name, known.get(node.name) ?? new NodeRow((which) => this.#drain(which))]));
    for (const node of nodes) this.#rows.get(node.name).show(node);
    const elements = [...this.#rows.values()].map(({ element }) => element);
    // An element that is moved loses the focus.
    const shown = [...$("fleet-nodes").children];
    if (shown.length !== elements.length || elements.some((element, index) => shown[index] !== element)) {
      $("fleet-nodes").replaceChildren(...elements);
    }
    $("fleet-hosts").replaceChildren(...hosts.flatMap((queue) => [
      el("dt", {}, el("bdi", {}, hostText(queue))), el("dd", {}, countsText(queue.counts)),
    ]));
  }

  async #drain(node) {
    this.error.hidden = true;
    try {
      await api.drainNode(node.name);
      await this.#load();
      // The button that had the focus is hidden.
      this.button.focus();
    } catch (error) {
      this.show(error);
    }
  }
}
