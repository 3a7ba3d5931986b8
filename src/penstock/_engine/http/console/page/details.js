// What is known of the node, topic or store that was clicked.

import { byId, h, setText } from "./dom.js";
import { about, bytes, count, milliseconds, percent, rate } from "./format.js";
import { QueryBox } from "./query.js";

const KINDS = {
  "source": "source node", "processor": "processor node", "sink": "sink node", "dynamic-sink": "sink node",
  "store": "state store", "topic": "topic", "internal-topic": "internal topic",
  "topic-pattern": "topics by pattern", "dynamic-topic": "topic chosen for each record",
};

export class Details {
  constructor() {
    this.element = byId("details");
    this.shape = null;
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !this.element.hidden) this.close();
    });
  }

  open(shape, at, graph, sections) {
    this.shape = shape;
    this.at = at;
    this.graph = graph;
    this.opener = document.activeElement;
    this.figures = h("dl", { class: "facts" });
    const title = h("h2", { tabindex: -1 }, shape.name);
    const close = h("button", { type: "button", class: "close", "aria-label": "Close the details", onclick: () => this.close() }, "×");
    const parts = [h("div", { class: "details-head" }, h("div", {}, h("p", { class: "kind" }, KINDS[shape.kind] ?? shape.kind), title), close)];
    if (shape.location) {
      parts.push(h("p", { class: "code" }, h("span", {}, "Written at "), h("code", {}, shape.location)));
    }
    parts.push(this.figures);
    if (shape.kind === "store") parts.push(new QueryBox(shape.name).element);
    this.element.replaceChildren(...parts);
    this.element.hidden = false;
    document.body.classList.add("with-details");
    this.update(sections);
    title.focus();
  }

  close() {
    this.element.hidden = true;
    this.shape = null;
    document.body.classList.remove("with-details");
    if (this.opener?.isConnected) this.opener.focus();
  }

  update(sections) {
    if (!this.shape || !sections.flow) return;
    const facts = this.facts(sections);
    while (this.figures.children.length < facts.length) {
      this.figures.append(h("div", {}, h("dt"), h("dd")));
    }
    while (this.figures.children.length > facts.length) this.figures.lastChild.remove();
    facts.forEach(([name, value], at) => {
      const [term, definition] = this.figures.children[at].children;
      setText(term, name);
      setText(definition, value);
    });
  }

  facts({ flow, stores, head }) {
    const { kind, name } = this.shape;
    if (kind === "store") {
      const store = stores?.[name];
      const facts = [["Rows", store ? `${about(store.rows)} (estimated)` : about(null)], ["Size", bytes(store?.bytes)], ["Parts", count(store?.parts)]];
      const made = this.shape.store;
      if (made?.kind) facts.push(["Kind", made.kind.replaceAll("_", " ")], ["Engine", made.engine], ["Changelog", made.logged ? "yes" : "no"]);
      return facts;
    }
    const node = flow.nodes[name];
    if (node && this.shape.operation !== undefined) {
      const uncounted = node.rate === null && flow.counts === false;
      const facts = [["Records", uncounted ? "counted at metrics.recording.level DEBUG" : rate(node.rate)]];
      if (node.total !== null) facts.push(["Records since its tasks opened", count(node.total)]);
      if (node.lag !== undefined) facts.push(["Lag", count(node.lag)]);
      if (node.latency_avg !== null) {
        facts.push(["Age of records, mean", milliseconds(node.latency_avg)], ["Age of records, most", milliseconds(node.latency_max)]);
      }
      facts.push(["Heat", percent(node.heat)], ["Dropped", node.skipped ? `${count(node.dropped)}, of these ${count(Math.min(node.skipped, node.dropped))} errors` : count(node.dropped)], ["Errors", count(node.errors)]);
      if (this.shape.operation) facts.push(["Operation", this.shape.operation]);
      if (this.shape.stores?.length) facts.push(["Stores", this.shape.stores.join(", ")]);
      return facts;
    }
    const edges = this.graph.edges.map((edge, at) => [edge, flow.edges[at]]);
    const sum = (pairs) => (pairs.length ? rate(pairs.reduce((total, [, value]) => total + (value ?? 0), 0)) : null);
    const read = sum(edges.filter(([edge]) => edge.tail === this.at));
    const written = sum(edges.filter(([edge]) => edge.head === this.at));
    return [["Read", read], ["Written", written], ["Application", head?.application]].filter(([, value]) => value);
  }
}
