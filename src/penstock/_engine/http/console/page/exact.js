// JSON whose numbers are shown as the server wrote them: those of JavaScript are exact up to 2**53 only.

const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Read JSON. A number that JavaScript would show otherwise becomes a marked text; `shown` returns any value as text. */
export function read(text) {
  let mark;
  do mark = `#${Math.random().toString(36).slice(2)}#`;
  while (text.includes(mark));
  const exact = (digits) => (String(Number(digits)) === digits ? digits : `"${mark}${digits}"`);
  let marked = "";
  let at = 0;
  while (at < text.length) {
    const quote = text.indexOf('"', at);
    const begin = quote < 0 ? text.length : quote;
    const end = quote < 0 ? begin : endOfString(text, quote);
    marked += text.slice(at, begin).replace(NUMBER, exact) + text.slice(begin, end);
    at = end;
  }
  const quoted = new RegExp(`"${mark}([^"]*)"`, "g");
  const shown = (value) => {
    if (value === null) return "none";
    if (typeof value === "object") return JSON.stringify(value).replace(quoted, "$1");
    return typeof value === "string" && value.startsWith(mark) ? value.slice(mark.length) : String(value);
  };
  return { value: JSON.parse(marked), shown };
}

function endOfString(text, begin) {
  for (let at = begin + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}
