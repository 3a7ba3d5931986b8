// Who has what: workers with their tasks as squares, and a table of all tasks.

import { h, setAttribute, setText } from "./dom.js";
import { count, milliseconds, moment, percent, rate, roughly, short } from "./format.js";
import { VirtualTable } from "./virtual.js";

const SQUARES_MAX = 400;
const MOVED_MS = 4000;
const ROW = { wide: 34, phone: 50 };
const still = matchMedia("(prefers-reduced-motion: reduce)");
const phone = matchMedia("(max-width: 46rem)");
const collator = new Intl.Collator("en", { numeric: true });

export class TasksView {
  constructor() {
    this.title = "Tasks";
    this.order = ["id", false];
    this.owners = new Map();
    this.moved = new Map();
    this.cards = new Map();
    this.squares = new Map();
    this.workers = h("div", { class: "workers", role: "list", "aria-label": "Workers" });
    this.search = h("input", { type: "search", id: "task-search", placeholder: "task, worker, state", oninput: () => this.list() });
    this.note = h("p", { class: "count", role: "status" });
    this.table = new VirtualTable({
      label: "Tasks",
      onSort: (key) => this.sort(key),
      columns: [
        { title: "Task", key: "id", class: "c-id" },
        { title: "State", key: "state", class: "c-state", make: () => [h("span", { class: "dot" }), h("span", { class: "said" }, h("span", { class: "word" }), h("span", { class: "progress-text" }), h("span", { class: "under" })),
            h("progress", { max: 1, value: 0, hidden: true, "aria-label": "Restored" })] },
        { title: "Worker", key: "name", class: "c-worker" },
        { title: "Records", key: "rate", class: "c-number" },
        { title: "Lag", key: "lag", class: "c-number" },
        { title: "Busy", key: "busy", class: "c-number c-wide" },
        { title: "Dropped", key: "dropped", class: "c-number c-wide" },
        { title: "Stream time", key: "stream_time", class: "c-time c-wide" },
        { title: "Standby", key: "standby_lag", class: "c-standby c-wide" },
      ],
      update: (cells, task, row) => this.write(cells, task, row),
    });
    const resize = () => this.table.setRowHeight(phone.matches ? ROW.phone : ROW.wide);
    phone.addEventListener("change", resize);
    resize();
    this.table.sorted(...this.order);
    this.element = h("section", { class: "tasks", "aria-label": "Tasks and workers" },
      this.workers,
      h("div", { class: "bar" }, h("label", { for: "task-search" }, "Find "), this.search, this.note),
      this.table.element);
  }

  update({ tasks, workers, head }) {
    if (!tasks || !workers) return;
    this.now = head?.now ?? Date.now();
    const names = Object.keys(tasks);
    this.all = tasks.id.map((_, at) => Object.fromEntries(names.map((name) => [name, tasks[name][at]])));
    const seen = performance.now();
    const known = new Map(workers.map(({ id, name, executor, process }) => [id,
      { name, where: `${name}${executor ? `, executor ${executor}` : ""}, process ${process}, worker ${id}` }]));
    for (const task of this.all) {
      const worker = known.get(task.worker);
      task.name = worker?.name ?? task.worker;
      task.where = worker?.where ?? task.worker;
      const before = this.owners.get(task.id);
      if (before !== undefined && before !== task.worker && task.worker !== null) this.moved.set(task.id, seen + MOVED_MS);
      this.owners.set(task.id, task.worker);
    }
    for (const [task, until] of this.moved) if (until < seen) this.moved.delete(task);
    this.showWorkers(workers);
    this.list();
  }

  sort(key) {
    this.order = [key, this.order[0] === key ? !this.order[1] : !["id", "state", "name"].includes(key)];
    this.table.sorted(...this.order);
    this.list();
  }

  list() {
    if (!this.all) return;
    const wanted = this.search.value.trim().toLowerCase();
    let found = this.all;
    if (wanted) {
      found = found.filter((task) => [task.id, task.where ?? "", task.state].some((text) => text.toLowerCase().includes(wanted)));
    }
    const [key, downwards] = this.order;
    const sign = downwards ? -1 : 1;
    found = [...found].sort((one, other) => sign * compare(one[key], other[key]) || collator.compare(one.id, other.id));
    setText(this.note, `${count(found.length)} of ${count(this.all.length)} tasks`);
    this.table.show(found);
  }

  write(cells, task, row) {
    const [id, state, worker, speed, lag, busy, dropped, time, standby] = cells;
    setText(id, task.id);
    const [, said, bar] = state.children;
    const [word, progress, under] = said.children;
    const restores = task.restored !== null;
    setText(word, task.state);
    setText(progress, restores ? [percent(task.restored), task.eta === null ? null : roughly(task.eta * 1000)].filter(Boolean).join(" · ") : "");
    setText(under, phone.matches ? task.name ?? "no worker" : "");
    if (bar.hidden === restores) bar.hidden = !restores;
    if (restores) bar.value = task.restored;
    setText(worker, task.name ?? "–");
    setAttribute(worker, "title", task.where);
    setText(speed, rate(task.rate));
    setText(lag, short(task.lag));
    setText(busy, percent(task.busy));
    setText(dropped, count(task.dropped));
    setText(time, moment(task.stream_time));
    setText(standby, task.standbys.length ? (task.standby_lag === null ? `${task.standbys.length}` : `${task.standbys.length}, ${short(task.standby_lag)} behind`) : "–");
    setAttribute(row, "class", `vrow is-${task.state}${this.moved.has(task.id) ? " moved" : ""}`);
  }

  showWorkers(workers) {
    const before = still.matches ? null : this.places();
    const byWorker = new Map();
    if (this.all.length <= SQUARES_MAX) for (const task of this.all) {
      if (!byWorker.has(task.worker)) byWorker.set(task.worker, []);
      byWorker.get(task.worker).push(task);
    }
    const known = new Set();
    for (const worker of workers) {
      const name = `${worker.id}\n${worker.process}`;
      known.add(name);
      if (!this.cards.has(name)) {
        const card = this.card();
        this.cards.set(name, card);
        this.workers.append(card.element);
      }
      this.writeCard(this.cards.get(name), worker, byWorker.get(worker.id) ?? []);
    }
    for (const [name, card] of this.cards) if (!known.has(name)) {
      card.element.remove();
      this.cards.delete(name);
    }
    if (before) this.glide(before);
  }

  card() {
    const name = h("h3");
    const id = h("code", { class: "worker-id" });
    const state = h("span", { class: "pill" });
    const place = h("span");
    const where = h("p", { class: "where" }, place, id);
    const busy = h("meter", { min: 0, max: 1, high: 0.8, "aria-label": "Busy" });
    const facts = h("p", { class: "worker-facts" });
    const squares = h("div", { class: "squares", "aria-hidden": "true" });
    const element = h("article", { class: "worker-card", role: "listitem" }, h("div", { class: "worker-head" }, name, state), where, busy, facts, squares);
    return { element, name, id, state, place, busy, facts, squares };
  }

  writeCard(card, worker, tasks) {
    setText(card.name, worker.name);
    setAttribute(card.name, "title", worker.name);
    setText(card.id, worker.short_id);
    setAttribute(card.id, "title", worker.id);
    setText(card.state, worker.state);
    const gone = ["closed", "failed", "lost"].includes(worker.state);
    setAttribute(card.state, "class", `pill ${gone ? (worker.state === "closed" ? "off" : "bad") : worker.state === "running" ? "good" : "busy"}`);
    setAttribute(card.element, "class", gone ? "worker-card gone" : "worker-card");
    setText(card.place, `${worker.executor ? `executor ${worker.executor} · ` : ""}process ${worker.process} · `);
    const value = worker.busy ?? 0;
    if (card.busy.value !== value) card.busy.value = value;
    setAttribute(card.busy, "aria-label", `Busy ${percent(worker.busy)}`);
    const restoring = worker.restore_remaining ? ` · ${short(worker.restore_remaining)} to restore` : "";
    const standbys = worker.standbys ? ` · standby copies ${worker.standbys}` : "";
    setText(card.facts, gone ? (worker.failure ?? "its tasks move to other workers")
      : `${worker.tasks} tasks · ${rate(worker.rate)} · lag ${short(worker.lag)} · commit ${milliseconds(worker.commit_ms)}${restoring}${standbys}`);
    for (const task of tasks) {
      let square = this.squares.get(task.id);
      if (!square) this.squares.set(task.id, square = h("span", { class: "square" }));
      setAttribute(square, "class", `square is-${task.state}${this.moved.has(task.id) ? " moved" : ""}`);
      setAttribute(square, "title", `task ${task.id}: ${task.state}`);
      if (square.parentNode !== card.squares) card.squares.append(square);
    }
  }

  places() {
    const places = new Map();
    for (const [task, square] of this.squares) if (square.isConnected) places.set(task, [square.parentNode, square]);
    return places;
  }

  /** Have squares that changed their worker glide from the old to the new one. */
  glide(before) {
    for (const [, entry] of before) {
      const [parent, square] = entry;
      if (square.parentNode === parent || !square.isConnected || !parent.isConnected) continue;
      const from = parent.getBoundingClientRect();
      const to = square.getBoundingClientRect();
      square.animate([{ transform: `translate(${from.left - to.left}px, ${from.top - to.top}px) scale(1.6)` }, { transform: "none" }],
        { duration: 700, easing: "cubic-bezier(.2,.8,.2,1)" });
    }
  }
}

function compare(one, other) {
  if (one === null || one === undefined) return other === null || other === undefined ? 0 : -1;
  if (other === null || other === undefined) return 1;
  return typeof one === "string" ? collator.compare(one, other) : one - other;
}
