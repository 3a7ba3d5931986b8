// The page: what is above all views, the tabs, and the stream that feeds them.

import { Details } from "./details.js";
import { byId, h, setAttribute, setText } from "./dom.js";
import { ErrorsView } from "./errors.js";
import { count, duration, rate, short } from "./format.js";
import { document_, enterByLink, hasSession, newLink } from "./session.js";
import { follow } from "./stream.js";
import { TasksView } from "./tasks.js";
import { TimeView } from "./time.js";
import { TimelineView } from "./timeline.js";
import { TopologyView } from "./topology.js";

const sections = {};
const details = new Details();
const topology = new TopologyView((shape, at) => details.open(shape, at, topology.graph, sections));
const views = [topology, new TasksView(), new TimelineView(), new TimeView(), new ErrorsView()];
const FIGURES = [["in", "In"], ["out", "Out"], ["lag", "Lag"], ["tasks", "Tasks"], ["workers", "Workers"], ["errors", "Errors"]];
let active = null;
let status = "connecting";
let plan = null;
let drawing = false;

function makeTabs() {
  const tabs = views.map((view, at) => {
    view.tab = h("button", {
      type: "button", role: "tab", id: `tab-${at}`, "aria-controls": "view", "aria-selected": "false", tabindex: -1,
      onclick: () => choose(at, false),
    }, h("span", {}, view.title), h("span", { class: "tab-count" }));
    return view.tab;
  });
  byId("tabs").append(...tabs);
  byId("tabs").addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const at = views.indexOf(active);
    if (step) choose((at + step + views.length) % views.length, true);
    else if (event.key === "Home") choose(0, true);
    else if (event.key === "End") choose(views.length - 1, true);
    else return;
    event.preventDefault();
  });
  byId("view").setAttribute("role", "tabpanel");
}

function choose(at, focus) {
  if (active === views[at]) return;
  if (active) {
    setAttribute(active.tab, "aria-selected", "false");
    active.tab.tabIndex = -1;
  }
  active = views[at];
  setAttribute(active.tab, "aria-selected", "true");
  active.tab.tabIndex = 0;
  if (focus) active.tab.focus();
  const panel = byId("view");
  panel.setAttribute("aria-labelledby", active.tab.id);
  panel.replaceChildren(active.element);
  if (active !== topology && details.shape) details.close();
  if (active === topology) topology.shownAgain();
  draw();
}

function makeFigures() {
  byId("figures").append(...FIGURES.map(([id, name]) =>
    h("div", { id: `figure-${id}` }, h("dt", {}, name), h("dd", {}, "–"))));
}

function showHead(head) {
  setText(byId("name"), head.application);
  document.title = `${head.application} · Penstock`;
  const shown = {
    in: rate(head.rate_in), out: rate(head.rate_out), lag: short(head.lag), workers: count(head.workers), errors: short(head.errors),
    tasks: `${count(head.running + head.elsewhere)}/${count(head.tasks)}`,
  };
  for (const [id] of FIGURES) setText(byId(`figure-${id}`).lastChild, shown[id]);
  setAttribute(byId("figure-errors"), "class", head.errors ? "bad" : null);
  setText(views[1].tab.lastChild, head.missing ? `${head.missing} missing` : head.restoring ? `${head.restoring} restoring` : "");
  setAttribute(views[1].tab.lastChild, "class", head.missing ? "tab-count" : "tab-count busy");
  setText(views[4].tab.lastChild, head.errors ? short(head.errors) : "");
  const away = head.broker_away_seconds === null ? null : `The cluster has not answered for ${duration(head.broker_away_seconds * 1000)}.`;
  const trouble = head.trouble ?? away;
  setText(byId("trouble"), trouble);
  byId("trouble").hidden = !trouble;
}

function showState() {
  const state = status === "live" ? (sections.head?.state ?? "live") : { lost: "no connection, trying again", ended: "the application has ended" }[status] ?? status;
  setText(byId("state"), state);
  const kind = status === "connecting" ? "off" : status !== "live" ? "bad" : { RUNNING: "good", REBALANCING: "busy", ERROR: "bad", PENDING_ERROR: "bad" }[state] ?? "off";
  setAttribute(byId("state"), "class", `pill ${kind}`);
  document.body.classList.toggle("stale", status !== "live");
}

function draw() {
  if (drawing) return;
  drawing = true;
  requestAnimationFrame(() => {
    drawing = false;
    showState();
    if (sections.head) showHead(sections.head);
    active?.update(sections);
    details.update(sections);
  });
}

async function drawGraph() {
  try {
    topology.draw(await document_("/console/graph"));
    draw();
  } catch {
    plan = null; // it is asked for with the next figures
  }
}

function onSections(changed) {
  if (sections.head && changed.head && changed.head.run !== sections.head.run) {
    location.reload(); // another run of the application counts anew
    return;
  }
  Object.assign(sections, changed);
  if (sections.head && sections.head.plan !== plan) {
    plan = sections.head.plan;
    drawGraph();
  }
  draw();
}

function onStatus(now) {
  status = now;
  byId("link").hidden = !hasSession();
  draw();
}

function makeTools() {
  const names = { auto: "Auto", light: "Light", dark: "Dark" };
  const apply = (theme) => {
    document.documentElement.dataset.theme = theme;
    setText(byId("theme"), names[theme]);
    setAttribute(byId("theme"), "aria-label", `Colours: ${theme === "auto" ? "as the system" : theme}`);
  };
  apply(localStorage.getItem("penstock-theme") ?? "auto");
  byId("theme").onclick = () => {
    const order = ["auto", "light", "dark"];
    const next = order[(order.indexOf(document.documentElement.dataset.theme) + 1) % order.length];
    localStorage.setItem("penstock-theme", next);
    apply(next);
  };
  byId("link").onclick = async () => {
    try {
      await navigator.clipboard.writeText(await newLink());
      setText(byId("link"), "Copied: it works once");
    } catch (error) {
      setText(byId("link"), `No link: ${error.message}`);
    }
    setTimeout(() => setText(byId("link"), "Link for another browser"), 3000);
  };
}

makeTabs();
makeFigures();
makeTools();
choose(0, false);
await enterByLink();
follow(onSections, onStatus);
