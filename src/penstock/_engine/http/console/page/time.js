// Time: where each task of a windowed aggregation is, which windows are open, what closes next.
//
// All tasks of an aggregation are drawn on one scale. Open windows lie below each other, each followed
// by its grace, in as many lanes as overlap.

import { h, legend, setAttribute, setText } from "./dom.js";
import { count, duration, moment } from "./format.js";
import { VirtualTable } from "./virtual.js";

const LANES_MAX = 4;
const WINDOWS_MAX = 60;

export class TimeView {
  constructor() {
    this.title = "Time";
    this.empty = h("p", { class: "empty" }, "This program has no windows: its results do not wait for time.");
    this.held = h("ul", { class: "held", "aria-label": "Partitions that hold time back" });
    this.strips = h("div", { class: "strips" });
    this.shown = new Map();
    this.element = h("section", { class: "time", "aria-label": "Time" }, this.held, this.empty, this.strips);
  }

  update({ time }) {
    if (!time) return;
    this.empty.hidden = time.windows.length > 0;
    this.showHeld(time.held);
    for (const windows of time.windows) {
      if (!this.shown.has(windows.node)) {
        const strip = this.strip(windows);
        this.shown.set(windows.node, strip);
        this.strips.append(strip.element);
      }
      this.write(this.shown.get(windows.node), windows);
    }
  }

  showHeld(held) {
    const texts = held.map((one) => {
      const idle = `partition ${one.partition} of ${one.topic} (task ${one.task}) has had no record for ${duration(one.idle_seconds * 1000)}`;
      return `${idle}: its windows stay open, ${duration(one.behind_ms)} behind the others`;
    });
    while (this.held.children.length < texts.length) this.held.append(h("li"));
    while (this.held.children.length > texts.length) this.held.lastChild.remove();
    texts.forEach((text, at) => setText(this.held.children[at], text));
    this.held.hidden = texts.length === 0;
  }

  strip(windows) {
    const summary = h("p", { class: "summary" });
    const counted = isCounted(windows);
    const table = new VirtualTable({
      label: `Stream time of the tasks of ${windows.title}`,
      columns: [
        { title: "Task", class: "c-id" },
        { title: "Stream time", class: "c-time", make: () => [h("span", { class: "date" }), h("span")] },
        ...(counted ? [{ title: "Open", class: "c-number c-open" }, { title: "Next closes in", class: "c-number c-close" }] : []),
        { title: "Late", class: "c-number" },
        { title: counted ? "Open windows" : "May be open", class: "c-strip", make: () => [h("div", { class: "strip", "aria-hidden": "true" }, h("i", { class: "at" }))] },
      ],
      update: (cells, task) => this.writeTask(cells, task),
    });
    const element = h("section", { class: "windows", "aria-label": windows.title },
      h("h2", {}, windows.title, windows.location ? h("code", { title: windows.location }, windows.location.split("/").slice(-2).join("/")) : null),
      h("p", { class: "kind" }, described(windows)), h("p", { class: "kind" }, uncounted(windows)),
      h("p", { class: "kind names" }, "node ", h("code", {}, windows.node), ", store ", h("code", {}, windows.store)), summary,
      counted ? legend([["key-window", "window"], ...(windows.grace ? [["key-grace", "its grace", ": late records still count"]] : []), ["key-at", "stream time of the task"]])
        : legend([["key-window", "what may still be open"], ["key-at", "stream time of the task"]]), table.element);
    return { element, table, summary };
  }

  write({ table, summary }, windows) {
    const known = windows.tasks.filter((task) => task[1] !== null);
    const times = known.map((task) => task[1]);
    const newest = Math.max(...times);
    const oldest = Math.min(...times);
    const scale = { windows, ...reach(windows, known, oldest, newest) };
    const late = windows.tasks.reduce((sum, task) => sum + task[4], 0);
    const next = Math.min(...known.filter((task) => task[3] !== null).map((task) => task[3] - task[1]));
    setText(summary, known.length
      ? `Newest stream time ${moment(newest)}; tasks are up to ${duration(newest - oldest)} apart${Number.isFinite(next) ? `; a window closes in ${duration(next)} of stream time` : ""}; ${count(late)} late records in these tasks.`
      : "No record has come yet.");
    table.show(windows.tasks.map((task) => ({ task, scale })));
    const height = `${table.space.offsetTop + Math.min(windows.tasks.length, 12) * table.rowHeight}px`;
    if (table.scroller.style.height !== height) table.scroller.style.height = height;
  }

  writeTask(cells, { task: [id, time, open, closes, late], scale: { windows, from, span } }) {
    setText(cells[0], id);
    const [day, hour] = moment(time).split(" ");
    setText(cells[1].firstChild, hour ? `${day} ` : "");
    setText(cells[1].lastChild, hour ?? day);
    if (isCounted(windows)) {
      setText(cells[2], count(open));
      setText(cells[3], closes === null ? "–" : duration(closes - time));
    }
    const [number, strip] = cells.slice(-2);
    setText(number, count(late));
    const bars = strip.firstChild;
    const visible = time !== null;
    setAttribute(bars, "class", visible ? "strip" : "strip none");
    const mark = bars.lastChild;
    const drawn = visible ? barsOf(windows, time, open, closes) : [];
    while (bars.children.length - 1 < drawn.length) bars.prepend(h("i"));
    while (bars.children.length - 1 > drawn.length) bars.firstChild.remove();
    if (!visible) return;
    const place = (ms) => Math.max(0, Math.min(100, ((ms - from) / span) * 100));
    drawn.forEach((one, at) => lay(bars.children[at], one, place));
    mark.style.left = `${place(time)}%`;
  }
}

/** Return begin and length of the scale: all open windows of all tasks, and a little around. */
function reach(windows, known, oldest, newest) {
  const back = windows.open_ms ?? (windows.size ?? 60_000) + windows.grace;
  const closing = known.filter((task) => task[3] !== null);
  const begins = closing.map((task) => task[3] - windows.grace - windows.size);
  const ends = closing.map((task) => task[3] + (task[2] - 1) * windows.advance);
  const from = Math.min(oldest - back, ...begins);
  const to = Math.max(newest, ...ends);
  const span = Math.max(1, to - from) * 1.06;
  return { from: from - span * 0.03, span };
}

/** Return what is drawn of a task: `{kind, from, to, lane, lanes}`, windows and the grace of each. */
function barsOf(windows, time, open, closes) {
  if (closes === null) {
    const back = windows.open_ms;
    return back === undefined ? [] : [{ kind: "window", from: time - back, to: time, lane: 0, lanes: 1 }];
  }
  const { size, advance, grace } = windows;
  const first = closes - grace - size;
  if (open > WINDOWS_MAX) {
    const end = closes - grace + (open - 1) * advance;
    return [{ kind: "window", from: first, to: end, lane: 0, lanes: 1 }, { kind: "grace", from: end, to: end + grace, lane: 0, lanes: 1 }];
  }
  const lanes = Math.min(LANES_MAX, Math.ceil((size + grace) / advance));
  return Array.from({ length: open }, (_, at) => {
    const begin = first + at * advance;
    const lane = (begin / advance) % lanes; // a window stays in its lane while others close
    const bar = { kind: "window", from: begin, to: begin + size, lane, lanes };
    return grace ? [bar, { kind: "grace", from: begin + size, to: begin + size + grace, lane, lanes }] : [bar];
  }).flat();
}

function lay(element, { kind, from, to, lane, lanes }, place) {
  setAttribute(element, "class", kind);
  element.style.left = `${place(from)}%`;
  element.style.width = `${Math.max(0, place(to) - place(from))}%`;
  element.style.top = `${(lane / lanes) * 100}%`;
  element.style.height = `${100 / lanes}%`;
}

function described(windows) {
  const grace = windows.grace ? `, grace ${duration(windows.grace)}` : ", no grace";
  if (windows.kind === "join") return `join of streams: records from ${duration(windows.before)} before to ${duration(windows.after)} after each other${grace}`;
  if (windows.kind === "table join") return `join with a table: each record waits for ${duration(windows.grace)} of stream time`;
  const result = windows.on_close ? "; a result when a window closes" : "; a result with each record";
  if (windows.kind === "session") return `sessions with a gap of ${duration(windows.gap)}${grace}${result}`;
  if (windows.kind === "unlimited") return "one window without an end";
  const hop = windows.kind === "hopping" ? ` every ${duration(windows.advance)}` : "";
  return `${windows.kind} windows of ${duration(windows.size)}${hop}${grace}${result}`;
}

const isCounted = (windows) => windows.open_ms === undefined;

/** What is open of kinds that are not counted: the count would take a read of all rows. */
function uncounted({ kind, open_ms: reach }) {
  const back = reach ? `in the last ${duration(reach)} of stream time` : "at the stream time itself";
  if (kind === "session") return `Open are the sessions with a record ${back}; how many is not counted.`;
  if (kind === "sliding") return `Open are the windows that ended ${back}; how many is not counted.`;
  if (kind === "join") return `Records ${back} may still find a partner; how many wait is not counted.`;
  if (kind === "table join") return `Records ${back} still wait; how many is not counted.`;
  return "";
}
