// Reads a store: a key, a range, a prefix, windows between two times; rows as a table.

import { h } from "./dom.js";
import { read } from "./exact.js";
import { count, momentParts } from "./format.js";
import { document_, text } from "./session.js";

const LIMIT = 50;
const CHARACTERS_MAX = 2000;
let boxes = 0;

export class QueryBox {
  constructor(store) {
    this.store = store;
    this.number = boxes++;
    this.note = h("p", { class: "result-note", role: "status" });
    this.result = h("div", { class: "result", tabindex: 0, role: "group", "aria-label": "Rows" });
    this.more = h("button", { type: "button", class: "more", hidden: true, onclick: () => this.run(this.cursor) }, "More rows");
    this.form = h("form", { class: "query", onsubmit: (event) => { event.preventDefault(); this.run(null); } });
    this.element = h("section", { class: "querybox", "aria-label": "Query" }, h("h3", {}, "Query"), this.form, this.note, this.result, this.more);
    this.build();
  }

  async build() {
    let known = null;
    try {
      known = (await document_("/stores")).stores.find((one) => one.name === this.store);
    } catch (error) {
      this.note.textContent = error.message;
      return;
    }
    if (!known?.queryable) {
      this.note.textContent = known ? "This store belongs to an operator and cannot be read." : "The store can be read when the application runs.";
      return;
    }
    this.kind = known.kind;
    const fields = [this.field("key", "Key", "text, a number, or JSON")];
    if (this.kind !== "versioned") fields.push(this.field("from", "From key", "first"), this.field("to", "To key", "last, included"));
    if (this.kind === "key_value") fields.push(this.field("prefix", "Prefix", "what keys begin with"));
    if (this.kind === "versioned") fields.push(this.field("as_of", "As of", "", "datetime-local"));
    if (["window", "session", "versioned"].includes(this.kind)) {
      fields.push(this.field("time_from", "Time from", "", "datetime-local"), this.field("time_to", "Time to", "", "datetime-local"));
    }
    if (known.partitions > 1) fields.push(this.field("partition", "Partition", "all", "number"));
    this.form.replaceChildren(...fields, h("button", { type: "submit" }, "Read"));
  }

  field(name, title, hint, type = "text") {
    const id = `query-${this.number}-${name}`;
    const extra = type === "datetime-local" ? { step: 1 } : type === "number" ? { min: 0 } : {};
    return h("label", { for: id }, h("span", {}, title),
      h("input", { id, name, type, placeholder: hint, autocomplete: "off", spellcheck: "false", ...extra }));
  }

  words() {
    const words = new URLSearchParams();
    for (const { name, value, type } of this.form.querySelectorAll("input")) {
      if (value === "" || name === "key") continue;
      words.set(name, type === "datetime-local" ? String(new Date(value).getTime()) : value);
    }
    words.set("limit", String(LIMIT));
    return words;
  }

  async run(cursor) {
    const key = this.form.querySelector("input[name=key]").value;
    const words = this.words();
    if (key !== "") for (const name of ["from", "to", "prefix"]) words.delete(name);
    else if (this.kind === "versioned") {
      this.note.textContent = "A versioned store is read by key.";
      return;
    }
    if (cursor) words.set("cursor", cursor);
    const path = `/stores/${encodeURIComponent(this.store)}${key === "" ? "" : `/${encodeURIComponent(key)}`}`;
    this.note.textContent = "Reading …";
    try {
      this.show(read(await text(`${path}?${words}`)), cursor !== null);
    } catch (error) {
      if (!cursor) this.result.replaceChildren();
      this.more.hidden = true;
      this.note.textContent = error.message;
    }
  }

  show({ value: answer, shown: inText }, further) {
    const fresh = (answer.rows ?? [answer]).map((row) => flattened(row, inText));
    this.rows = further ? [...this.rows, ...fresh] : fresh;
    // A day that all times have in common is said once, above the rows.
    const days = new Set(this.rows.flatMap((row) => Object.values(row).map((cell) => cell.day).filter(Boolean)));
    const names = [...new Set(this.rows.flatMap((row) => Object.keys(row)))];
    const table = h("table", {}, h("thead", {}, h("tr", {}, names.map((name) => h("th", { scope: "col", class: kindOf(name, this.rows) }, name.replaceAll("_", " "))))),
      h("tbody", {}, this.rows.map((row) => tableRow(names, row, days.size > 1))));
    this.result.replaceChildren(...(this.rows.length ? [table] : []));
    this.cursor = answer.cursor ?? null;
    this.more.hidden = this.cursor === null;
    const shown = this.rows.length;
    // A page is sent when its time is over, be it empty.
    const rest = this.cursor ? ", and there may be more" : "";
    this.note.textContent = shown || rest ? `${count(shown)} row${shown === 1 ? "" : "s"}${rest}${days.size === 1 ? `; times of ${[...days][0]}` : ""}` : "There is no such row.";
  }
}

function flattened(row, inText) {
  const flat = {};
  const time = (value) => {
    const [day, hour] = typeof value === "string" ? [inText(value)] : momentParts(value);
    return hour ? { kind: "time", day, text: hour } : { kind: "time", text: day };
  };
  for (const [name, value] of Object.entries(row)) {
    if (name === "store" || name === "position") continue;
    if (name === "window") {
      flat.start = time(value.start);
      flat.end = time(value.end);
    } else if (name === "timestamp" || name === "valid_to") flat[name] = value === null ? { kind: "time", text: "" } : time(value);
    else flat[name] = { kind: kindOfText(inText(value)), text: inText(value) };
  }
  return flat;
}

const kindOfText = (text) => (/^-?\d[\d.eE+-]{0,40}$/.test(text) ? "number" : "text");

const kindOf = (name, rows) => rows.find((row) => row[name])?.[name].kind;

function tableRow(names, row, withDays) {
  return h("tr", {}, names.map((name) => {
    const { kind, day, text } = row[name] ?? { kind: "text", text: "" };
    return h("td", { class: kind }, day && withDays ? `${day} ${text}` : cut(text));
  }));
}

const cut = (text) => (text.length > CHARACTERS_MAX ? `${text.slice(0, CHARACTERS_MAX)} … (${count(text.length)} characters)` : text);
