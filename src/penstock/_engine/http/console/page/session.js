// Who looks: the code of a link becomes a session, which this tab keeps and sends as a bearer token.

import { byId } from "./dom.js";

const KEPT = "penstock-session";

export class Refused extends Error {}

function headers() {
  const session = sessionStorage.getItem(KEPT);
  return session ? { authorization: `Bearer ${session}` } : {};
}

/** Ask the server; a session that is over asks for another one. */
export async function ask(path, options = {}) {
  const answer = await fetch(path, { ...options, headers: { ...headers(), ...options.headers } });
  if (answer.status === 401) throw new Refused(await why(answer));
  return answer;
}

export async function document_(path) {
  return JSON.parse(await text(path));
}

export async function text(path) {
  const answer = await ask(path);
  if (!answer.ok) throw new Error(await why(answer));
  return answer.text();
}

async function why(answer) {
  try {
    return (await answer.json()).error.message;
  } catch {
    return `the server answered ${answer.status}`;
  }
}

/** Take the code out of the address, which so does not stay in the history, and redeem it. */
export async function enterByLink() {
  const code = location.hash.slice(1);
  if (!/^[\w-]{20,}$/.test(code)) return;
  history.replaceState(null, "", location.pathname);
  try {
    await login({ code }, {});
  } catch (error) {
    if (!sessionStorage.getItem(KEPT)) byId("login-error").textContent = error.message;
  }
}

async function login(body, extra) {
  const answer = await fetch("/console/login", {
    method: "POST",
    headers: { "content-type": "application/json", ...extra },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(await why(answer));
  sessionStorage.setItem(KEPT, (await answer.json()).session);
}

/** Show the form, and return when the server has let this browser in. */
export function enterByToken() {
  const dialog = byId("login");
  sessionStorage.removeItem(KEPT);
  if (!dialog.open) dialog.showModal();
  return new Promise((resolve) => {
    byId("login-form").onsubmit = async (event) => {
      event.preventDefault();
      try {
        await login({}, { authorization: `Bearer ${byId("token").value.trim()}` });
      } catch (error) {
        byId("login-error").textContent = error.message;
        return;
      }
      byId("token").value = "";
      dialog.close();
      resolve();
    };
    dialog.oncancel = (event) => event.preventDefault();
  });
}

/** Return a link by which another browser is let in, once. */
export async function newLink() {
  const answer = await ask("/console/link", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: "{}",
  });
  if (!answer.ok) throw new Error(await why(answer));
  return `${location.origin}/#${(await answer.json()).code}`;
}

export const hasSession = () => sessionStorage.getItem(KEPT) !== null;
