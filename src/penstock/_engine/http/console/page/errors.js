// Failures and dead letters by kind: how many, where, in which line of the program, and the last record.

import { h, setText } from "./dom.js";
import { clock, count, moment } from "./format.js";

export class ErrorsView {
  constructor() {
    this.title = "Errors";
    this.cards = new Map();
    this.empty = h("p", { class: "empty" }, "No errors since the application started.");
    this.list = h("ol", { class: "errors", "aria-label": "Errors by kind" });
    this.element = h("section", { class: "errors-view", "aria-label": "Errors and dead letters" }, this.empty, this.list);
  }

  update({ errors }) {
    if (!errors) return;
    this.empty.hidden = errors.length > 0;
    const before = this.cards;
    this.cards = new Map(errors.toReversed().map((error) => [error.number, this.card(error, before.get(error.number))]));
    for (const [number, card] of before) if (!this.cards.has(number)) card.remove();
  }

  /** Return the card of a kind of errors: the one that is there where nothing is new, or while it is read. */
  card(error, before) {
    const times = error.count > 1 ? `${count(error.count)} times since ${moment(error.first)}, last at ${clock(error.at)}` : clock(error.at);
    if (before?.dataset.count === String(error.count) || before?.matches(":focus-within, :has([open])")) {
      setText(before.querySelector("time"), times);
      return before;
    }
    const place = error.topic ? `${error.topic} / ${error.partition} @ ${error.offset}` : null;
    const facts = [["Task", error.task_id], ["Node", error.node], ["Record", place], ["Code", error.location],
      ["Reason", error.reason?.replaceAll("-", " ")], ["Worker", error.worker_name, error.worker],
      ["Dead letter", error.dead_letters?.length ? error.dead_letters.join(", ") : null]];
    const preview = [["key", error.key], ["value", error.value], ...(error.headers ?? []).map(([name, value]) => [`header ${name}`, value])]
      .filter(([, text]) => text !== null && text !== undefined);
    const card = h("li", { class: error.fatal ? "error-card fatal" : "error-card", "data-count": error.count },
      h("div", { class: "error-head" }, h("time", { datetime: new Date(error.at).toISOString() }, times),
        h("span", { class: error.fatal ? "pill bad" : "pill busy" }, error.fatal ? "worker ended" : error.dead_letters?.length ? "dead letter" : "skipped")),
      h("p", { class: "error-text" }, error.error),
      h("dl", { class: "facts" }, facts.filter(([, value]) => value).map(([name, value, whole]) => h("div", {}, h("dt", {}, name), h("dd", { title: whole }, value)))),
      preview.length ? h("details", {}, h("summary", {}, "The record"), h("dl", { class: "record" },
        preview.map(([name, text]) => h("div", {}, h("dt", {}, name), h("dd", {}, h("code", {}, text)))))) : null,
      error.trace ? h("details", {}, h("summary", {}, "Traceback"), h("pre", { tabindex: 0 }, error.trace)) : null);
    if (before) before.replaceWith(card);
    else this.list.prepend(card);
    return card;
  }
}
