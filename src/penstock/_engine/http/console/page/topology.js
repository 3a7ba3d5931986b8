// The graph of the running program, with rates on its arrows and figures at its nodes.

import { h, legend, s, setAttribute, setText } from "./dom.js";
import { rate, rows, short } from "./format.js";

const LID = 12;
const NODES = new Set(["source", "processor", "sink", "dynamic-sink"]);
const ZOOM_STEP = 1.25;
const SCALES = { least: 0.15, read: 0.9, whole: 1, most: 3 };
const BADGE = { height: 17, character: 7.1, padding: 9, beside: 14, out: 3 };

export class TopologyView {
  constructor(onOpen) {
    this.onOpen = onOpen;
    this.title = "Topology";
    this.follows = "width"; // what the size is chosen by, also when the window changes: width, all, or what the user has chosen
    this.canvas = h("div", { class: "canvas", tabindex: 0, role: "group", "aria-label": "The graph, scrollable" });
    this.tools = h("div", { class: "zoom", role: "group", "aria-label": "Size of the graph" },
      h("button", { type: "button", "aria-label": "Smaller", onclick: () => this.zoom(1 / ZOOM_STEP) }, "−"),
      h("button", { type: "button", "aria-label": "Fit", title: "All of it", onclick: () => this.fit("all") }, "Fit"),
      h("button", { type: "button", "aria-label": "Larger", onclick: () => this.zoom(ZOOM_STEP) }, "+"));
    this.legend = legend([["swatch cool", "idle"], ["swatch warm", "busy"], ["swatch hot", "hot", ": its worker has little time left"],
      ["pill-mark errors", "errors"], ["pill-mark dropped", "dropped"]]);
    this.hint = h("p", { class: "hint", hidden: true }, "For figures on all arrows set ",
      h("code", {}, "metrics.recording.level"), " to ", h("code", {}, "DEBUG"), ".");
    this.element = h("section", { class: "topology", "aria-label": "Topology" }, this.canvas,
      h("div", { class: "below" }, this.legend, this.hint, this.tools));
    this.canvas.addEventListener("scroll", () => {
      this.place = [this.canvas.scrollLeft, this.canvas.scrollTop];
      this.fade();
    }, { passive: true });
    new ResizeObserver(() => {
      this.fit();
      this.fade();
    }).observe(this.canvas);
  }

  /** Be on the page again: an element that leaves it forgets where it was scrolled to. */
  shownAgain() {
    if (!this.graph) return;
    this.fit();
    if (this.place) this.canvas.scrollTo(...this.place);
  }

  /** Fade the edges behind which the graph goes on. */
  fade() {
    const { scrollLeft, scrollTop, scrollWidth, scrollHeight, clientWidth, clientHeight } = this.canvas;
    const hidden = { left: scrollLeft, right: scrollWidth - clientWidth - scrollLeft, top: scrollTop, bottom: scrollHeight - clientHeight - scrollTop };
    for (const [edge, pixels] of Object.entries(hidden)) this.canvas.classList.toggle(`more-${edge}`, pixels > 1);
  }

  draw(graph) {
    this.graph = graph;
    this.labels = [];
    this.arrows = [];
    this.shapes = [];
    const svg = s("svg", { viewBox: `0 0 ${graph.width} ${graph.height}`, class: "graph", "aria-label": "The graph of the program", role: "group" },
      s("defs", {}, s("marker", { id: "head", viewBox: "0 0 8 8", refX: 8, refY: 4, markerWidth: 8, markerHeight: 8, markerUnits: "userSpaceOnUse", orient: "auto" },
        s("path", { d: "M0 0.5L8 4L0 7.5z", class: "arrow-head" }))),
      graph.panels.map((panel) => this.panel(panel)),
      graph.edges.map((edge) => this.edge(edge)),
      graph.shapes.map((shape, at) => this.shape(shape, at)),
      graph.edges.map((edge, at) => this.label(edge, at)),
      this.shapes.map(({ badges }) => badges));
    this.svg = svg;
    this.canvas.replaceChildren(svg);
    this.fit("width");
    this.begin();
  }

  /** Begin at the left, or on a small screen where the records come in. */
  begin() {
    const [x, , width] = this.graph.shapes.map(({ box }) => box).reduce((first, box) => (box[1] < first[1] ? box : first));
    const inSight = (x + width) * this.shown <= this.canvas.clientWidth;
    this.canvas.scrollTo({ left: inSight ? 0 : (x + width / 2) * this.shown - this.canvas.clientWidth / 2, top: 0 });
  }

  panel({ title, box, global }) {
    const [x, y, width, height] = box;
    return s("g", { class: global ? "panel global" : "panel" },
      s("rect", { x, y, width, height, rx: 12 }),
      s("text", { x: x + 16, y: y + 25, class: "panel-title" }, title));
  }

  edge(edge) {
    const path = s("path", { d: edge.path, class: edge.store ? "arrow store-line" : "arrow", "marker-end": edge.store ? null : "url(#head)" });
    this.arrows.push(path);
    return path;
  }

  label(edge, at) {
    const [x, y] = edge.middle;
    const inside = this.graph.panels.some(({ box: [left, top, width, height] }) => x > left && x < left + width && y > top && y < top + height);
    const text = s("text", { x, y: y + 4, class: inside ? "rate" : "rate outside" });
    this.labels[at] = text;
    return text;
  }

  shape(shape, at) {
    const [x, y, width, height] = shape.box;
    const middle = y + height / 2 + (shape.kind === "store" ? LID / 2 : 0);
    // They are drawn above all shapes, and read with the name of theirs.
    const badges = s("g", { class: "badges", "aria-hidden": "true" });
    const note = s("text", { x: x + width / 2, y: y + height + 15, class: "note" });
    const open = () => {
      this.onOpen(shape, at);
      // The details take a part of the room.
      requestAnimationFrame(() => group.scrollIntoView({ block: "nearest", inline: "center" }));
    };
    const group = s("g", {
      class: `shape ${shape.kind}`, role: "button", tabindex: 0,
      onclick: open,
      onkeydown: (event) => {
        if (event.key === "Enter" || event.key === " ") {
          event.preventDefault();
          open();
        }
      },
    }, s("title", {}, shape.name), this.outline(shape),
      s("text", { x: x + width / 2, y: middle - 3, class: "headline" }, shape.headline),
      s("text", { x: x + width / 2, y: middle + 14, class: "caption" }, shape.caption),
      note);
    setAttribute(group, "aria-label", `${shape.kind.replace("-", " ")} ${shape.name}`);
    this.shapes.push({ group, badges, note, shape });
    return group;
  }

  outline({ kind, box: [x, y, width, height] }) {
    if (kind === "store") {
      const arc = `a${width / 2} ${LID / 2} 0 0`;
      const d = `M${x} ${y + LID / 2}${arc} 1 ${width} 0v${height - LID}${arc} 1 ${-width} 0zm0 0${arc} 0 ${width} 0`;
      return s("path", { d, class: "outline" });
    }
    return s("rect", { x, y, width, height, rx: NODES.has(kind) ? 7 : height / 2, class: "outline" });
  }

  /** Choose the size: `width`, as wide as the window, but so that it can be read; `all`, so that all is in sight. */
  fit(by = this.follows) {
    const { clientWidth, clientHeight } = this.canvas;
    if (!clientWidth || !this.graph || !by) return;
    const across = clientWidth / this.graph.width;
    const down = clientHeight / this.graph.height;
    this.setScale(by === "all" ? Math.max(SCALES.least, Math.min(across, down, SCALES.whole))
      : Math.max(SCALES.read, Math.min(across, SCALES.whole)));
    this.follows = by;
  }

  zoom(factor) {
    this.setScale(Math.min(SCALES.most, Math.max(SCALES.least, this.shown * factor)));
    this.follows = null;
  }

  setScale(scale) {
    this.shown = scale;
    this.svg.style.width = `${this.graph.width * scale}px`;
    this.svg.style.height = `${this.graph.height * scale}px`;
    this.fade();
  }

  update({ flow, stores }) {
    if (!this.graph || !flow) return;
    flow.edges.forEach((value, at) => {
      if (!this.labels[at] || this.graph.edges[at].store) return;
      setText(this.labels[at], value === null ? "" : rate(value) + this.lagOf(this.graph.edges[at], flow));
      setAttribute(this.arrows[at], "class", value > 0 ? "arrow flowing" : "arrow");
    });
    const unknown = flow.edges.some((value, at) => value === null && !this.graph.edges[at]?.store);
    this.hint.hidden = flow.counts !== false || !unknown;
    for (const { group, badges, note, shape } of this.shapes) {
      if (NODES.has(shape.kind)) this.updateNode(group, badges, shape, flow.nodes[shape.name]);
      if (shape.kind === "store" && stores) {
        setText(note, shape.name in stores ? rows(stores[shape.name].rows) : "");
      }
    }
  }

  /** Lag is written at the arrow from a topic to its source. */
  lagOf(edge, flow) {
    const head = this.graph.shapes[edge.head];
    const lag = head.kind === "source" ? flow.nodes[head.name]?.lag : undefined;
    return lag === undefined ? "" : ` · lag ${short(lag)}`;
  }

  updateNode(group, badges, shape, figures) {
    if (!figures) return;
    const heat = figures.heat >= 0.7 ? "hot" : figures.heat >= 0.3 ? "warm" : "cool";
    setAttribute(group, "class", `shape ${shape.kind} ${heat}${figures.errors ? " failing" : ""}`);
    // A record that failed and was skipped was dropped, too: it is shown once.
    const dropped = Math.max(0, figures.dropped - figures.skipped);
    const errors = figures.errors ? `${short(figures.errors)} error${figures.errors === 1 ? "" : "s"}` : null;
    const others = dropped ? `${short(dropped)} dropped` : null;
    this.showBadges(badges, shape.box, [[errors, "errors"], [others, "dropped"]]);
    const parts = [`${shape.kind} ${shape.name}`, figures.rate === null ? null : rate(figures.rate),
      figures.lag === undefined ? null : `lag ${short(figures.lag)}`, errors, others, heat === "cool" ? null : heat];
    setAttribute(group, "aria-label", parts.filter(Boolean).join(", "));
  }
  /** Write badges on the right corners, the first above the second: arrows come and go in the middle. */
  showBadges(group, [x, y, width, height], badges) {
    const said = badges.map(([text]) => text ?? "").join("\n");
    if (group.dataset.said === said) return;
    group.dataset.said = said;
    group.replaceChildren(...badges.flatMap(([text, kind], at) => {
      if (!text) return [];
      const length = text.length * BADGE.character + 2 * BADGE.padding;
      const left = Math.max(x + width / 2 + BADGE.padding, x + width + BADGE.beside - length);
      const top = y + at * height - BADGE.height / 2 + (at ? BADGE.out : -BADGE.out);
      return [s("rect", { x: left, y: top, width: length, height: BADGE.height, rx: BADGE.height / 2, class: kind }),
        s("text", { x: left + length / 2, y: top + BADGE.height / 2 + 4, class: kind }, text)];
    }));
  }
}
