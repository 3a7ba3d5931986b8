// Elements from plain data. Texts are only ever text nodes: what a record holds cannot become markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return element;
}

/** Return an element: `h("p", {class: "note"}, "text", other)`. */
export function h(tag, properties = {}, ...children) {
  return fill(document.createElement(tag), properties, children);
}

/** Return an SVG element. */
export function s(tag, properties = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), properties, children);
}

/** Set the text of an element, if it is another one: the page stays still where nothing changes. */
export function setText(element, text) {
  const wanted = text === null || text === undefined ? "" : String(text);
  if (element.textContent !== wanted) element.textContent = wanted;
}

export function setAttribute(element, name, value) {
  if (value === null || value === false) {
    if (element.hasAttribute(name)) element.removeAttribute(name);
  } else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, String(value));
}

/** Return a legend: of each mark its class, its name, and what else there is to say where there is room. */
export function legend(marks) {
  return h("p", { class: "legend" }, marks.map(([kind, name, more]) =>
    h("span", { class: "key" }, h("span", { class: kind, "aria-hidden": "true" }), h("span", {}, name, more ? h("span", { class: "more-words" }, more) : null))));
}

export const byId = (id) => document.getElementById(id);
