// A table of which only the rows in sight exist: two thousand rows cost as much as thirty.

import { h, setAttribute } from "./dom.js";

const ROWS_AROUND = 6;

export class VirtualTable {
  /**
   * `columns`: [{title, class, make?}] ; `update(cells, item, row)` writes an item into its cells.
   */
  constructor({ label, columns, update, rowHeight = 34, onSort = null, onOpen = null }) {
    this.rowHeight = rowHeight;
    this.update = update;
    this.columns = columns;
    this.items = [];
    this.rows = [];
    this.onOpen = onOpen;
    const titles = columns.map((column) =>
      onSort && column.key
        ? h("div", { role: "columnheader", class: column.class, "aria-sort": "none" },
            h("button", { type: "button", class: "sort", onclick: () => onSort(column.key) }, column.title))
        : h("div", { role: "columnheader", class: column.class }, column.title),
    );
    this.head = h("div", { role: "row", class: "vrow", "aria-rowindex": 1 }, titles);
    this.space = h("div", { class: "vspace", role: "rowgroup" });
    // The head scrolls with the rows, and stays: both are as wide as the scrollbar leaves them.
    this.scroller = h("div", { class: "vscroll", tabindex: 0 }, h("div", { role: "rowgroup", class: "vhead" }, this.head), this.space);
    this.element = h("div", { role: "table", class: "vtable", "aria-label": label }, this.scroller);
    this.scroller.addEventListener("scroll", () => this.draw(), { passive: true });
    this.observer = new ResizeObserver(() => this.draw());
    this.observer.observe(this.scroller);
  }

  /** Change the height of all rows: on a phone they have two lines. */
  setRowHeight(height) {
    this.rowHeight = height;
    for (const { element } of this.rows) {
      element.style.height = `${height}px`;
      element.style.transform = ""; // it is placed anew
    }
    this.show(this.items);
  }

  sorted(key, downwards) {
    this.columns.forEach((column, at) => {
      const how = column.key === key ? (downwards ? "descending" : "ascending") : "none";
      if (column.key) setAttribute(this.head.children[at], "aria-sort", how);
    });
  }

  show(items) {
    this.items = items;
    const height = `${items.length * this.rowHeight}px`;
    if (this.space.style.height !== height) this.space.style.height = height;
    setAttribute(this.element, "aria-rowcount", items.length + 1);
    this.draw();
  }

  draw() {
    const first = Math.max(0, Math.floor(this.scroller.scrollTop / this.rowHeight) - ROWS_AROUND);
    const inSight = Math.ceil(this.scroller.clientHeight / this.rowHeight) + 2 * ROWS_AROUND;
    const last = Math.min(this.items.length, first + inSight);
    while (this.rows.length < last - first) this.rows.push(this.makeRow());
    this.rows.forEach((row, at) => {
      const number = first + at;
      const used = number < last;
      if (row.element.hidden === used) row.element.hidden = !used;
      if (!used) return;
      const place = `translateY(${number * this.rowHeight}px)`;
      if (row.element.style.transform !== place) {
        row.element.style.transform = place;
        setAttribute(row.element, "aria-rowindex", number + 2);
      }
      this.update(row.cells, this.items[number], row.element);
    });
  }

  makeRow() {
    const cells = this.columns.map((column) =>
      h("div", { role: "cell", class: column.class }, ...(column.make ? column.make() : [])));
    const element = h("div", { role: "row", class: "vrow" }, cells);
    element.style.height = `${this.rowHeight}px`;
    this.space.append(element);
    return { element, cells };
  }
}
