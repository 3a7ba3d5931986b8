// Numbers, times and sizes as people read them; all of stable width.

const WHOLE = new Intl.NumberFormat("en");
const UNKNOWN = "–";

export function count(value) {
  return value === null || value === undefined ? UNKNOWN : WHOLE.format(Math.round(value));
}

/** 12, 3.4 k, 56 k, 7.8 M */
export function short(value) {
  if (value === null || value === undefined) return UNKNOWN;
  const size = Math.abs(value);
  if (size >= 1e9) return `${trimmed(value / 1e9)} G`;
  if (size >= 1e6) return `${trimmed(value / 1e6)} M`;
  if (size >= 1e4) return `${trimmed(value / 1e3)} k`;
  return size < 10 && !Number.isInteger(value) ? value.toFixed(1) : WHOLE.format(Math.round(value));
}

const trimmed = (value) => (Math.abs(value) < 100 ? value.toFixed(1) : value.toFixed(0));

/** Rows of a store: engines estimate them. */
export const about = (value) => (value === null || value === undefined ? UNKNOWN : `≈\u2009${short(value)}`);
export const rows = (value) => (value === null || value === undefined ? "" : `${about(value)} row${value === 1 ? "" : "s"}`);

export const rate = (value) =>
  value === null || value === undefined ? UNKNOWN : `${short(value)}/s`;

export function bytes(value) {
  if (value === null || value === undefined) return UNKNOWN;
  for (const [unit, size] of [["GB", 1e9], ["MB", 1e6], ["kB", 1e3]]) {
    if (value >= size) return `${trimmed(value / size)} ${unit}`;
  }
  return `${value} B`;
}

export function percent(part) {
  return part === null || part === undefined ? UNKNOWN : `${Math.round(part * 100)} %`;
}

export function milliseconds(value) {
  if (value === null || value === undefined) return UNKNOWN;
  return value < 1000 ? `${value < 10 ? value.toFixed(1) : Math.round(value)} ms` : duration(value);
}

/** 4 s, 3 min 20 s, 2 h 5 min, 3 d 4 h */
export function duration(ms) {
  if (ms === null || ms === undefined) return UNKNOWN;
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const parts = [[86400, "d"], [3600, "h"], [60, "min"], [1, "s"]];
  let left = seconds;
  const shown = [];
  for (const [size, unit] of parts) {
    const whole = Math.floor(left / size);
    left -= whole * size;
    if (whole > 0 && shown.length < 2) shown.push(`${whole} ${unit}`);
  }
  return shown.join(" ");
}

/** What is left, in one unit: nobody knows it better. */
export function roughly(ms) {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}

export function clock(ms) {
  return ms === null || ms === undefined ? UNKNOWN : new Date(ms).toLocaleTimeString("en-GB");
}

export const moment = (ms) => momentParts(ms).join(" ");

/** Return day and time of day; one text alone if it is no moment. */
export function momentParts(ms) {
  if (ms === null || ms === undefined) return [UNKNOWN];
  const time = new Date(ms);
  if (Number.isNaN(time.getTime())) return [String(ms)];
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return [day, `${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`];
}

const two = (value) => String(value).padStart(2, "0");
