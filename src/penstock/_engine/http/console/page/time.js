// Time: where each task of a windowed aggregation is, which windows are open, what closes next.

import { h, setAttribute, setText } from "./dom.js";
import { count, duration, moment } from "./format.js";
import { VirtualTable } from "./virtual.js";

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
    const table = new VirtualTable({
      label: `Stream time of the tasks of ${windows.node}`,
      columns: [
        { title: "Task", class: "c-id" },
        { title: "Stream time", class: "c-time", make: () => [h("span", { class: "date" }), h("span")] },
        ...(isCounted(windows) ? [{ title: "Open", class: "c-number c-open" }, { title: "Closes next in", class: "c-close" }] : []),
        { title: "Late", class: "c-number" },
        { title: "Time of all tasks", class: "c-strip", make: () => [h("div", { class: "strip", "aria-hidden": "true" }, h("i", { class: "window" }), h("i", { class: "grace" }), h("i", { class: "at" }))] },
      ],
      update: (cells, task) => this.writeTask(cells, task),
    });
    const element = h("section", { class: "windows", "aria-label": windows.node },
      h("h2", {}, windows.node), h("p", { class: "kind" }, `${described(windows)}; store ${windows.store}`), h("p", { class: "kind" }, uncounted(windows)), summary, table.element);
    return { element, table, summary };
  }

  write({ table, summary }, windows) {
    const known = windows.tasks.filter((task) => task[1] !== null);
    const times = known.map((task) => task[1]);
    const newest = Math.max(...times);
    const oldest = Math.min(...times);
    const span = Math.max(1, newest - oldest, (windows.open_ms ?? windows.size ?? 60_000) * 2);
    const scale = { windows, from: newest - span, span: span * 1.15 };
    const late = windows.tasks.reduce((sum, task) => sum + task[4], 0);
    const next = Math.min(...known.filter((task) => task[3] !== null).map((task) => task[3] - task[1]));
    setText(summary, known.length
      ? `Newest stream time ${moment(newest)}; tasks are up to ${duration(newest - oldest)} apart${Number.isFinite(next) ? `; a window closes in ${duration(next)} of stream time` : ""}; ${count(late)} late records in these tasks.`
      : "No record has come yet.");
    table.show(windows.tasks.map((task) => ({ task, scale })));
    const height = `${Math.min(windows.tasks.length, 12) * table.rowHeight + 2}px`;
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
    const [bar, grace, mark] = strip.firstChild.children;
    const place = (ms) => Math.max(0, Math.min(100, ((ms - from) / span) * 100));
    const visible = time !== null;
    setAttribute(strip.firstChild, "class", visible ? "strip" : "strip none");
    if (!visible) return;
    mark.style.left = `${place(time)}%`;
    if (closes === null) {
      lay(bar, place(time - (windows.open_ms ?? span)), place(time));
      grace.style.display = "none";
      return;
    }
    grace.style.display = "";
    const end = closes - windows.grace;
    lay(bar, place(end - windows.size), place(end));
    lay(grace, place(end), place(closes));
  }
}

function lay(element, from, to) {
  element.style.left = `${from}%`;
  element.style.width = `${Math.max(0, to - from)}%`;
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
