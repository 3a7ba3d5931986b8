// The last hour: how much was done when, and what happened.

import { h, legend, s, setAttribute, setText } from "./dom.js";
import { clock, count, short } from "./format.js";

const LANES = [["Records", 2], ["Commits", 1], ["Turns", 3]];
const LANE = 56;
const GAP = 26;
const HOUR = 3_600_000;
const SPAN_MIN = 600_000;
const EVENT_Y = LANES.length * (LANE + GAP) + 18;

export class TimelineView {
  constructor() {
    this.title = "Timeline";
    this.width = 720;
    this.lanes = LANES.map(([name], at) => ({
      path: s("path", { class: `lane lane-${at}` }),
      most: s("text", { x: this.width, y: at * (LANE + GAP) + 12, class: "lane-most" }),
      name: s("text", { x: 0, y: at * (LANE + GAP) + 12, class: "lane-name" }, name),
    }));
    this.marks = s("g");
    this.ends = [s("text", { x: 0, y: EVENT_Y + 34, class: "lane-name" }, "an hour ago"), s("text", { x: this.width, y: EVENT_Y + 34, class: "lane-most" }, "now")];
    this.svg = s("svg", { viewBox: `0 0 ${this.width} ${EVENT_Y + 40}`, class: "timeline-chart", role: "img", "aria-label": "The last hour" },
      this.lanes.map(({ path, most, name }) => [path, most, name]),
      s("line", { x1: 0, x2: this.width, y1: EVENT_Y, y2: EVENT_Y, class: "axis" }), this.marks, this.ends);
    this.axis = this.svg.querySelector(".axis");
    new ResizeObserver(() => this.resize()).observe(this.svg);
    this.items = new Map();
    this.newest = 0;
    this.list = h("ol", { class: "events", "aria-label": "Events, newest first" });
    this.element = h("section", { class: "timeline", "aria-label": "Timeline" },
      h("div", { class: "chart" }, this.svg),
      legend(["state", "worker", "rebalance", "restored", "failure"].map((kind) => [`mark ${kind}`, kind])),
      h("h2", {}, "Events"), this.list);
  }

  resize() {
    const width = Math.max(240, Math.round(this.svg.clientWidth));
    if (!this.svg.clientWidth || width === this.width) return;
    this.width = width;
    setAttribute(this.svg, "viewBox", `0 0 ${width} ${EVENT_Y + 40}`);
    for (const text of [...this.lanes.map(({ most }) => most), this.ends[1]]) setAttribute(text, "x", width);
    setAttribute(this.axis, "x2", width);
    if (this.seen) this.update(this.seen);
  }

  update({ timeline, head }) {
    if (!timeline || !head) return;
    this.seen = { timeline, head };
    const size = timeline.bucket_ms;
    const end = Math.floor(head.now / size) + 1;
    const first = timeline.buckets.length ? timeline.buckets[0][0] : end;
    this.span = Math.min(HOUR, Math.max(SPAN_MIN, (end - first) * size));
    const step = this.width / (this.span / size);
    setText(this.ends[0], this.span === HOUR ? "an hour ago" : `${Math.round(this.span / 60_000)} min ago`);
    const x = (number) => this.width - (end - number) * step;
    this.lanes.forEach(({ path, most }, at) => {
      const column = LANES[at][1];
      const values = timeline.buckets.map((bucket) => bucket[column]);
      const top = Math.max(1, ...values);
      const floor = at * (LANE + GAP) + 16 + LANE;
      let d = "";
      for (const bucket of timeline.buckets) {
        const height = (bucket[column] / top) * LANE;
        if (height > 0 && x(bucket[0]) >= 0) d += `M${x(bucket[0]).toFixed(1)} ${floor}v${(-height).toFixed(1)}h${Math.max(1, step - 0.6).toFixed(1)}v${height.toFixed(1)}z`;
      }
      setAttribute(path, "d", d || "M0 0");
      setText(most, `most ${short(top)} in 10 s`);
    });
    const total = timeline.buckets.reduce((sum, bucket) => sum + bucket[2], 0);
    setAttribute(this.svg, "aria-label", `The last hour: ${count(total)} records, ${timeline.events.length} events`);
    this.showEvents(timeline.events, head.now);
  }

  showEvents(events, now) {
    const newest = events.length ? events[events.length - 1].number : 0;
    this.marks.replaceChildren(...events.filter((event) => now - event.at < this.span).map((event) =>
      s("circle", { cx: (this.width - ((now - event.at) / this.span) * this.width).toFixed(1), cy: EVENT_Y, r: 4, class: `mark ${event.kind}` }, s("title", {}, `${clock(event.at)} ${event.text}`))));
    // Errors are added to the event of their minute, so that its text changes.
    for (const event of events) {
      const known = this.items.get(event.number);
      if (known) setText(known.lastChild, event.text);
      else this.items.set(event.number, this.item(event));
    }
    const kept = new Set(events.map((event) => event.number));
    for (const [number, item] of this.items) if (!kept.has(number)) {
      item.remove();
      this.items.delete(number);
    }
    const fresh = events.filter((event) => event.number > this.newest).reverse();
    this.newest = newest;
    this.list.prepend(...fresh.map((event) => this.items.get(event.number)));
  }

  item(event) {
    return h("li", { class: event.kind }, h("time", { datetime: new Date(event.at).toISOString() }, clock(event.at)), h("span", { class: `mark ${event.kind}` }),
      h("span", { class: "event-kind" }, event.kind), h("span", { class: "event-text" }, event.text));
  }
}
