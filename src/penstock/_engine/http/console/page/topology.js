// The graph of the running program, with rates on its arrows and figures at its nodes.

import { h, legend, s, setAttribute, setText } from "./dom.js";
import { rate, rows, short } from "./format.js";

const LID = 12;
const NODES = new Set(["source", "processor", "sink", "dynamic-sink"]);
const ZOOM_STEP = 1.25;

export class TopologyView {
  constructor(onOpen) {
    this.onOpen = onOpen;
    this.title = "Topology";
    this.scale = null;
    this.canvas = h("div", { class: "canvas", tabindex: 0, role: "group", "aria-label": "The graph, scrollable" });
    this.tools = h("div", { class: "zoom", role: "group", "aria-label": "Size of the graph" },
      h("button", { type: "button", "aria-label": "Smaller", onclick: () => this.zoom(1 / ZOOM_STEP) }, "−"),
      h("button", { type: "button", "aria-label": "Fit", onclick: () => this.fit() }, "Fit"),
      h("button", { type: "button", "aria-label": "Larger", onclick: () => this.zoom(ZOOM_STEP) }, "+"));
    this.legend = h("p", { class: "legend" },
      h("span", { class: "swatch cool" }), "idle",
      h("span", { class: "swatch warm" }), "busy",
      h("span", { class: "swatch hot" }), "hot: its worker has little time left",
      h("span", { class: "badge dropped" }, "dropped"), h("span", { class: "badge errors" }, "errors"));
    this.hint = h("p", { class: "hint", hidden: true }, "Arrows without a figure are not counted: set ",
      h("code", {}, "metrics.recording.level"), " to ", h("code", {}, "DEBUG"), ".");
    this.element = h("section", { class: "topology", "aria-label": "Topology" }, this.canvas,
      h("div", { class: "below" }, this.legend, this.hint, this.tools));
    this.canvas.addEventListener("scroll", () => this.fade(), { passive: true });
    new ResizeObserver(() => {
      if (this.scale === null && this.graph) this.fit();
      this.fade();
    }).observe(this.canvas);
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
      graph.edges.map((edge, at) => this.label(edge, at)));
    this.svg = svg;
    this.canvas.replaceChildren(svg);
    this.scale = null;
    this.fit();
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
    const text = s("text", { x: edge.middle[0], y: edge.middle[1] + 4, class: "rate" });
    this.labels[at] = text;
    return text;
  }

  shape(shape, at) {
    const [x, y, width, height] = shape.box;
    const middle = y + height / 2 + (shape.kind === "store" ? LID / 2 : 0);
    const badges = s("text", { x: x + width / 2 + 9, y: y - 4, class: "badges" });
    const note = s("text", { x: x + width / 2, y: y + height + 13, class: "note" });
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
      s("text", { x: x + width / 2, y: middle + 13, class: "caption" }, shape.caption),
      note, badges);
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

  /** Choose the size at which all of it is in sight, but not smaller than can be read. */
  fit() {
    const { clientWidth, clientHeight } = this.canvas;
    if (!clientWidth || !this.graph) return;
    const wanted = Math.min(clientWidth / this.graph.width, clientHeight / this.graph.height, 1.15);
    this.setScale(Math.max(wanted, 0.6));
    this.scale = null; // it goes on to follow the window
  }

  zoom(factor) {
    this.setScale(Math.min(3, Math.max(0.15, this.shown * factor)));
    this.scale = this.shown;
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
    const marks = [];
    if (figures.errors) marks.push(`${short(figures.errors)} errors`);
    if (figures.dropped) marks.push(`${short(figures.dropped)} dropped`);
    setText(badges, marks.join(" · "));
    const parts = [`${shape.kind} ${shape.name}`, figures.rate === null ? null : rate(figures.rate),
      figures.lag === undefined ? null : `lag ${short(figures.lag)}`, ...marks, heat === "cool" ? null : heat];
    setAttribute(group, "aria-label", parts.filter(Boolean).join(", "));
  }
}
