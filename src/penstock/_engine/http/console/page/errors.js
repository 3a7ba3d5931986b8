// Recent failures and dead letters: where, in which line of the program, and which record.

import { h } from "./dom.js";
import { clock } from "./format.js";

export class ErrorsView {
  constructor() {
    this.title = "Errors";
    this.cards = new Map();
    this.empty = h("p", { class: "empty" }, "No errors since the application started.");
    this.list = h("ol", { class: "errors", "aria-label": "Errors, newest first" });
    this.element = h("section", { class: "errors-view", "aria-label": "Errors and dead letters" }, this.empty, this.list);
  }

  update({ errors }) {
    if (!errors) return;
    this.empty.hidden = errors.length > 0;
    const fresh = errors.filter((error) => !this.cards.has(error.number));
    for (const error of fresh.reverse()) {
      const card = this.card(error);
      this.cards.set(error.number, card);
      this.list.prepend(card);
    }
    const known = new Set(errors.map((error) => error.number));
    for (const [number, card] of this.cards) if (!known.has(number)) {
      card.remove();
      this.cards.delete(number);
    }
  }

  card(error) {
    const place = error.topic ? `${error.topic} / ${error.partition} @ ${error.offset}` : null;
    const facts = [["Task", error.task_id], ["Node", error.node], ["Record", place], ["Code", error.location],
      ["Reason", error.reason?.replaceAll("-", " ")], ["Worker", error.worker_name, error.worker],
      ["Dead letter", error.dead_letters?.length ? error.dead_letters.join(", ") : null]];
    const preview = [["key", error.key], ["value", error.value], ...(error.headers ?? []).map(([name, value]) => [`header ${name}`, value])];
    const has = preview.some(([, text]) => text !== null && text !== undefined);
    return h("li", { class: error.fatal ? "error-card fatal" : "error-card" },
      h("div", { class: "error-head" }, h("time", { datetime: new Date(error.at).toISOString() }, clock(error.at)),
        h("span", { class: error.fatal ? "pill bad" : "pill busy" }, error.fatal ? "worker ended" : error.dead_letters?.length ? "dead letter" : "skipped")),
      h("p", { class: "error-text" }, error.error),
      h("dl", { class: "facts" }, facts.filter(([, value]) => value).map(([name, value, whole]) => h("div", {}, h("dt", {}, name), h("dd", { title: whole }, value)))),
      has ? h("details", {}, h("summary", {}, "The record"), h("dl", { class: "record" },
        preview.filter(([, text]) => text !== null && text !== undefined).map(([name, text]) => h("div", {}, h("dt", {}, name), h("dd", {}, h("code", {}, text)))))) : null,
      error.trace ? h("details", {}, h("summary", {}, "Traceback"), h("pre", { tabindex: 0 }, error.trace)) : null);
  }
}
