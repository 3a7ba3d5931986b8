"""The console in a real Chromium, with a real server and a simulated application.

Long because all share the browser, which takes seconds to start.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import axe_core_python  # type: ignore[import-untyped]
import pytest

from penstock._engine.http.access import Access
from penstock._engine.http.console import feed, open_windows, rates
from penstock._engine.http.listening import Listening
from penstock._engine.http.server import HttpServer
from tests.console.browser import HOW_TO_GET_ONE, Browser, Page, found
from tests.console.simulated import PLANTED, Simulated

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(found() is None, reason=HOW_TO_GET_ONE),
]

TOKEN = "a-token-of-the-tests"
VIEWS = ["Topology", "Tasks", "Timeline", "Time", "Errors"]


class Shown:
    """A server, and pages that look at it."""

    def __init__(self, browser: Browser, application: Simulated) -> None:
        self._browser, self.application = browser, application
        self.access = Access(TOKEN)
        self.server = HttpServer(application, Listening("127.0.0.1", 0, self.access))
        self._pages: list[Page] = []

    def page(self, width: int = 1280, height: int = 800, *, dark: bool = False) -> Page:
        """Return a page that was let in by a link."""
        page = self.stranger(width, height, dark=dark)
        page.open(f"{self.server.url}/#{self.access.logins.new_code()}")
        page.until("document.querySelectorAll('.shape').length > 20", "the graph")
        return page

    def stranger(self, width: int = 1280, height: int = 800, *, dark: bool = False) -> Page:
        page = self._browser.page(width, height, dark=dark)
        self._pages.append(page)
        return page

    def close(self) -> None:
        for page in self._pages:
            page.close()
        self.server.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with Browser() as opened, pytest.MonkeyPatch.context() as patch:
        # What takes a second or two otherwise is seen sooner.
        patch.setattr(feed, "LOOK_SECONDS", 0.2)
        patch.setattr(rates, "WINDOW_SECONDS", 0.3)
        yield opened


@pytest.fixture
def shown(browser: Browser) -> Iterator[Shown]:
    made = Shown(browser, Simulated(partitions=4, workers=3))
    yield made
    made.close()


def view(page: Page, name: str) -> None:
    page.click(f"#tab-{VIEWS.index(name)}")
    page.until(f"document.querySelector('#tab-{VIEWS.index(name)}').ariaSelected === 'true'", name)


def text(selector: str) -> str:
    return f"document.querySelector({json.dumps(selector)})?.textContent"


def texts(selector: str) -> str:
    return f"[...document.querySelectorAll({json.dumps(selector)})].map(one => one.textContent)"


def test_the_graph_appears_and_numbers_move(shown: Shown) -> None:
    page = shown.page()
    page.until(f"{text('#state')} === 'RUNNING'", "the state")
    page.until(
        f"{texts('.rate')}.some(one => /[1-9].*\\/s/.test(one))",
        "rates on arrows",
    )
    page.until(
        f"{texts('.rate')}.some(one => /lag/.test(one))",
        "lag at a source",
    )
    page.until(f"/[1-9]/.test({text('#figure-in dd')})", "records each second")
    shown.application.speed = 9000.0
    before = page.run(text("#figure-in dd"))
    page.until(f"{text('#figure-in dd')} !== {json.dumps(before)}", "another number")
    assert page.problems == []
    assert all(url.startswith(shown.server.url) for url in page.requested), page.requested


def test_a_node_shows_its_code_line_and_the_keyboard_opens_it(shown: Shown) -> None:
    page = shown.page()
    page.run("document.querySelector('[aria-label*=\"paid-orders\"]').focus()")
    page.key("Enter")
    page.until("!document.querySelector('#details').hidden", "the details")
    said = page.until(text("#details .code"), "the code line")
    assert "simulated.py:" in said
    page.until(f"/Records.*\\/s/.test({text('#details .facts')})", "its figures")
    page.key("Escape")
    page.until("document.querySelector('#details').hidden", "the end of the details")
    focused = page.run("document.activeElement.getAttribute('aria-label')")
    assert "paid-orders" in focused
    page.run("document.querySelector('#tab-0').focus()")
    page.key("ArrowRight")
    assert page.run("document.activeElement.id") == "tab-1"
    assert page.problems == []


def test_inner_nodes_have_figures_at_debug_and_the_page_says_how_to_get_them(shown: Shown) -> None:
    page = shown.page()
    open_ = "[...document.querySelectorAll('.rate')].filter(one => !one.textContent).length"
    page.until("!document.querySelector('.hint').hidden", "how to get the figures")
    assert "metrics.recording.level to DEBUG" in page.run(text(".hint"))
    without = page.run(open_)
    shown.application.debug = True
    page.until("document.querySelector('.hint').hidden", "the end of the hint")
    page.until(f"{open_} < {without}", "rates on more arrows")
    page.run("document.querySelector('[aria-label*=\"paid-orders\"]').focus()")
    page.key("Enter")
    page.until(f"/since its tasks opened/.test({text('#details .facts')})", "its own count")
    assert page.problems == []


def query(page: Page, store: str, **words: str) -> None:
    page.run(
        f"document.querySelector('.shape.store[aria-label=\"store {store}\"]')"
        ".dispatchEvent(new MouseEvent('click', {bubbles: true}))"
    )
    page.until("document.querySelector('.query button')", "the query box")
    for name, value in words.items():
        page.run(f"document.querySelector('.query input[name={name}]').focus()")
        page.write(value)
    page.click(".query button")


ROWS = (
    "[...document.querySelectorAll('.result tbody tr')]"
    ".map(row => [...row.children].map(cell => cell.textContent))"
)


def test_a_store_answers_keys_ranges_and_windows(shown: Shown) -> None:
    page = shown.page()
    query(page, "counts", key="key-07")
    assert page.until(f"(rows => rows.length ? rows : null)({ROWS})", "a row")[0][:2] == [
        "key-07",
        "7",
    ]
    query(page, "counts", **{"from": "key-03", "to": "key-05"})
    rows = page.until(f"(rows => rows.length === 3 ? rows : null)({ROWS})", "three rows")
    assert [row[0] for row in rows] == ["key-03", "key-04", "key-05"]
    query(page, "windows", key="a")
    rows = page.until(f"(rows => rows.length === 5 ? rows : null)({ROWS})", "windows")
    assert [(row[0], row[-1]) for row in rows] == [("a", str(number)) for number in range(5)]
    query(page, "numbers", key="text")
    page.until(f"/is none of this store/.test({text('.result-note')})", "a refusal")
    query(page, "counts", key="absent")
    page.until(f"/no such key/.test({text('.result-note')})", "nothing found")
    # The last two answers are of status 400 and 404, which Chromium notes.
    assert [one for one in page.problems if "status of 40" not in one] == []


def test_an_error_shows_with_its_place_and_its_record(shown: Shown) -> None:
    page = shown.page()
    shown.application.fail()
    page.until(f"{text('#figure-errors dd')} === '1'", "the error's number")
    page.until("document.querySelector('.shape.failing')", "the node that fails")
    view(page, "Errors")
    card = page.until(text(".error-card"), "the error")
    for part in ("ValueError: boom", "orders / 0 @ 42", "/app/shopboom.py:12", "value boom"):
        assert part in card
    assert page.problems == []


def test_a_killed_worker_shows_and_its_tasks_move(shown: Shown) -> None:
    page = shown.page()
    view(page, "Tasks")
    page.until("document.querySelectorAll('.worker-card').length === 3", "three workers")
    page.until("document.querySelectorAll('.vspace .vrow').length >= 12", "all tasks")
    shown.application.kill(1)
    page.until("document.querySelector('.worker-card.gone .pill.bad')", "the dead worker")
    page.until(
        f"{texts('.vspace .c-worker')}.every(one => one !== 'host-1 \u00b7 slot 1')",
        "its tasks elsewhere",
    )
    page.until("document.querySelector('.vrow.moved')", "that they moved")
    view(page, "Timeline")
    page.until(
        f"{texts('.event-text')}.some(one => /worker-1 .*died/.test(one))",
        "the event",
    )
    assert page.problems == []


def test_time_shows_windows_and_names_idle_partitions(
    shown: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_windows, "IDLE_SECONDS", 1.0)
    shown.application.idle = {"2_1"}
    page = shown.page()
    view(page, "Time")
    page.until(f"/tumbling windows of 5 min, grace 1 min/.test({text('.windows')})", "windows")
    page.until(f"/partition 1 of .* has had no record/.test({text('.held')})", "the idle partition")
    assert page.problems == []


def test_who_has_no_link_is_asked_for_the_token(shown: Shown) -> None:
    page = shown.stranger()
    page.open(f"{shown.server.url}/#{'x' * 32}")
    page.until("document.querySelector('#login')?.open", "the form")
    page.until(f"/used already/.test({text('#login-error')})", "what was wrong")
    page.run("document.querySelector('#token').focus()")
    page.write("wrong")
    page.key("Enter")
    page.until(f"/missing or wrong/.test({text('#login-error')})", "a refusal")
    page.run(
        "document.querySelector('#token').value = ''; document.querySelector('#token').focus()"
    )
    page.write(TOKEN)
    page.key("Enter")
    page.until("document.querySelectorAll('.shape').length > 20", "the graph")
    assert (
        page.run("[...Object.values(sessionStorage), document.cookie, location.href].join()").count(
            TOKEN
        )
        == 0
    )


def test_a_link_leaves_no_trace_and_works_once(shown: Shown) -> None:
    code = shown.access.logins.new_code()
    first, second = shown.stranger(), shown.stranger()
    first.open(f"{shown.server.url}/#{code}")
    first.until("document.querySelectorAll('.shape').length > 20", "the graph")
    assert (
        first.run("location.href + document.cookie + JSON.stringify({...localStorage})").count(code)
        == 0
    )
    assert not any(code in url for url in first.requested if "#" not in url)
    second.open(f"{shown.server.url}/#{code}")
    second.until("document.querySelector('#login')?.open", "the form")


def test_the_end_of_the_application_is_said(shown: Shown) -> None:
    page = shown.page()
    shown.server.close()
    page.until(f"/has ended/.test({text('#state')})", "the end")
    assert page.problems == []


@pytest.mark.parametrize(
    "where", ["keys, values, headers and errors", "workers, machines and nodes"]
)
def test_planted_scripts_stay_text(browser: Browser, where: str) -> None:
    hostile = PLANTED if where.startswith("workers") else ""
    shown = Shown(browser, Simulated(partitions=2, workers=2, hostile=hostile))
    try:
        if not hostile:
            shown.application.fail(text=PLANTED)
            shown.application.fail(text=PLANTED, skipped=False)
        shown.application.kill(1)
        shown.application.trouble = PLANTED
        page = shown.page()
        for name in VIEWS:
            view(page, name)
            page.until("document.querySelector('#view > section')", name)
        if hostile:
            view(page, "Topology")
            page.click(".shape.source[aria-label*=script]")
            page.until(f"{text('#details h2')}?.includes('<script>')", "the hostile node")
        else:
            view(page, "Errors")
            page.until(f"{text('.errors')}.includes('<script>')", "the planted text")
        assert (
            page.run(
                "document.querySelectorAll('main img, aside img, body script, svg script').length"
            )
            == 0
        )
        assert page.run("window.planted ?? null") is None
        assert page.problems == []
    finally:
        shown.close()


def test_rows_of_a_store_are_shown_as_they_are(shown: Shown) -> None:
    page = shown.page()
    query(page, "counts", key=PLANTED)
    page.until(
        f"{text('.result-note')}?.includes('no such key')", "an answer about the planted key"
    )
    page.run(
        "window.fetchBefore = window.fetch; window.fetch = async (path, ...rest) => "
        "String(path).startsWith('/stores/counts') ? new Response(window.answer) "
        ": fetchBefore(path, ...rest)"
    )
    answered(page, [{"key": PLANTED, "value": {PLANTED: PLANTED}, PLANTED: 1}])
    page.until(f"{text('.result')}.includes('<script>')", "the planted row")
    assert page.run("document.querySelectorAll('.result img, .result script').length") == 0
    assert page.run("window.planted ?? null") is None

    # Numbers of JavaScript are exact up to 2**53.
    nested = {"n": [2**70, 0.5, 1.0, "12345678901234567890"], "#": '"9007199254740993\\'}
    values = [2**53 + 1, -(2**63), 1e300, nested]
    rows = [{"key": 2**60 + number, "value": value} for number, value in enumerate(values)]
    rows.append({"key": "w", "value": 1, "window": {"start": 0, "end": 2**63 - 1}})
    answered(page, rows)
    cells = page.until(f"(rows => rows.length === 5 ? rows : null)({ROWS})", "all rows")
    assert [row[0] for row in cells[:4]] == [str(2**60 + number) for number in range(4)]
    assert [row[1] for row in cells[:4]] == [
        json.dumps(value, separators=(",", ":")) for value in values
    ]
    assert cells[4][3] == str(2**63 - 1)


def test_times_and_numbers_of_rows_stay_on_one_line_and_the_day_is_said_once(
    shown: Shown,
) -> None:
    page = shown.page()
    query(page, "windows", key="a")
    page.until(f"(rows => rows.length === 5)({ROWS})", "windows")
    assert page.run(text(".result-note")) == "5 rows; times of 1970-01-01"
    lines = page.run(
        "[...document.querySelectorAll('.result td')].map(one => "
        "{ const range = document.createRange(); range.selectNodeContents(one); "
        "return range.getClientRects().length; })"
    )
    assert set(lines) == {1}
    kinds = page.run(
        "[...document.querySelector('.result tr:last-child').children].map(one => one.className)"
    )
    assert kinds == ["text", "time", "time", "number"]


def answered(page: Page, rows: list[dict[str, Any]]) -> None:
    """Ask again; the page gets these rows."""
    answer = json.dumps({"rows": rows, "cursor": None})
    page.run(f"window.answer = {json.dumps(answer)}; true")
    page.click(".query button")


def axe(page: Page, options: str = "{}") -> list[dict[str, Any]]:
    """Return what axe finds that is serious or critical."""
    source = (Path(axe_core_python.__file__).parent / "axe.min.js").read_text("utf-8")
    if not page.run("'axe' in window"):
        page.run(f"{source}; true")
    found: list[dict[str, Any]] = page.run(
        f"axe.run({options}).then("
        "result => result.violations.filter(one => "
        "['serious', 'critical'].includes(one.impact)).map(one => "
        "({id: one.id, nodes: one.nodes.slice(0, 3).map(node => "
        "node.html.slice(0, 300) + ' ' + node.failureSummary)})))"
    )
    return found


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_axe_finds_nothing_serious(shown: Shown, dark: bool) -> None:
    shown.application.fail()
    shown.application.restoring = {shown.application.plan()[0].id: 1000}
    page = shown.page(dark=dark)
    # Only colours differ in the dark.
    options = "{runOnly: ['color-contrast']}" if dark else "{}"
    page.until(f"/[1-9]/.test({text('#figure-in dd')})", "figures")
    for name in VIEWS:
        view(page, name)
        assert axe(page, options) == [], name
    view(page, "Topology")
    query(page, "counts", key="key-07")
    page.until("document.querySelector('.result td')", "a row")
    assert axe(page, options) == [], "details"


def test_a_phone_needs_no_sideways_scrolling(shown: Shown) -> None:
    page = shown.page(390, 780)
    for name in VIEWS:
        view(page, name)
        width = page.run("document.documentElement.scrollWidth")
        assert width <= 390, (name, width)
        titles = "[...document.querySelectorAll('[role=columnheader]')]"
        cut = page.run(f"{titles}.filter(one => one.scrollWidth > one.clientWidth).length")
        assert cut == 0, name
    assert axe(page) == []


def test_edges_behind_which_the_graph_goes_on_fade(shown: Shown) -> None:
    page = shown.page(390, 780)
    canvas = "document.querySelector('.canvas')"
    page.until(f"{canvas}?.classList.contains('more-right')", "a faded edge")
    page.run(f"{canvas}.scrollLeft = 0")
    page.until(f"!{canvas}.classList.contains('more-left')", "no fading on the left")

    page.run(f"{canvas}.scrollLeft = 1e6")

    page.until(f"{canvas}.classList.contains('more-left')", "the other edge")
    assert not page.run(f"{canvas}.classList.contains('more-right')")


SCALE = (
    "(one => one.getBoundingClientRect().width / one.viewBox.baseVal.width)"
    "(document.querySelector('.graph'))"
)
CAPTION = "parseFloat(getComputedStyle(document.querySelector('.graph .caption')).fontSize)"


@pytest.mark.parametrize("width", [390, 1280, 1920])
def test_the_graph_can_be_read_at_the_start_and_fit_shows_all_of_it(
    shown: Shown, width: int
) -> None:
    page = shown.page(width, 800)
    assert page.run(f"{SCALE} >= 0.89")
    assert page.run(f"{SCALE} * {CAPTION} >= 11")
    hidden = (
        "(one => Math.max(one.scrollWidth - one.clientWidth, one.scrollHeight - one.clientHeight))"
        "(document.querySelector('.canvas'))"
    )
    assert page.run(f"{hidden} > 1")

    page.click(".zoom button[aria-label=Fit]")

    page.until(f"{hidden} <= 1", "all of the graph in sight")


def test_the_graph_stays_where_it_was_scrolled_to(shown: Shown) -> None:
    page = shown.page()
    page.run("document.querySelector('.canvas').scrollTop = 300")
    page.until("document.querySelector('.canvas.more-top')", "that it is scrolled")
    view(page, "Errors")
    view(page, "Topology")
    assert page.run("document.querySelector('.canvas').scrollTop") == 300


def test_a_skipped_record_is_an_error_and_not_dropped_as_well(shown: Shown) -> None:
    page = shown.page()
    shown.application.fail()
    shown.application.fail()
    badges = texts(".badges text")
    page.until(f"{badges}.includes('2 errors')", "the errors")
    # The aggregation has dropped late records, which are no errors.
    page.until(f"{badges}.length === 2", "errors and what was dropped")
    kinds = page.run("[...document.querySelectorAll('.badges text')].map(one => one.classList[0])")
    assert kinds == ["errors", "dropped"]


def test_nothing_covers_the_graph(shown: Shown) -> None:
    page = shown.page()
    edges = page.run(
        "['.canvas', '.zoom'].map(one => document.querySelector(one).getBoundingClientRect())"
        ".map(box => [box.top, box.bottom])"
    )
    assert edges[0][1] <= edges[1][0]


IDS = texts(".vspace .vrow:not([hidden]) .c-id")
SORTED = "document.querySelector('[role=columnheader]').ariaSort"


def test_tasks_are_sorted_as_the_table_says(shown: Shown) -> None:
    page = shown.page()
    view(page, "Tasks")
    ids = [f"{sub}_{partition}" for sub in range(3) for partition in range(4)]
    page.until(f"{IDS}.length === 12", "all tasks")
    # The elements are in the order of the rows.
    assert (page.run(SORTED), page.run(IDS)) == ("ascending", ids)
    page.click("[role=columnheader] .sort")
    assert (page.run(SORTED), page.run(IDS)) == ("descending", ids[::-1])


def test_workers_are_named_by_their_place(shown: Shown) -> None:
    member = shown.application.members[0] = "a43f263c4e5c4766b136d714b1d2f3a4"
    shown.application.executors = True
    shown.application.fail()
    page = shown.page()
    view(page, "Tasks")
    page.until("document.querySelectorAll('.worker-card').length === 3", "three workers")
    card = page.run(text(".worker-card"))
    assert card.startswith(
        "host-0 \u00b7 slot 0runningexecutor 1 \u00b7 process 1000 \u00b7 a43f263c"
    )
    assert page.run("document.querySelector('.worker-id').title") == member
    assert page.run(text(".vspace .c-worker")) == "host-0 \u00b7 slot 0"
    view(page, "Errors")
    page.until(f"{text('.error-card')}?.includes('host-0 \u00b7 slot 0')", "the worker's name")


def test_on_a_phone_a_restoring_task_says_how_far_it_is_and_where(shown: Shown) -> None:
    task = shown.application.plan()[0].id
    shown.application.restoring = {task: 1000}
    page = shown.page(390, 780)
    view(page, "Tasks")
    page.until("document.querySelector('.is-restoring')", "the task")
    shown.application.restoring = {task: 550}
    row = "document.querySelector('.vspace .is-restoring')"
    said = f"{row}.querySelector('.progress-text')"
    page.until(f"/^45 % \u00b7 \\d+ s$/.test({said}.textContent)", "how far it is")
    cut = f"(one => one.scrollWidth > one.clientWidth)({row}.querySelector('.said'))"
    assert not page.run(cut)
    assert page.run(f"{row}.querySelector('.under').textContent") == "host-0 \u00b7 slot 0"
    edges = page.run(
        f"[{row}, {row}.querySelector('progress')].map(one => one.getBoundingClientRect())"
        ".map(box => [box.left, box.right, Math.round(box.bottom)])"
    )
    assert edges[0][:2] == edges[1][:2]
    assert abs(edges[0][2] - edges[1][2]) <= 1


def test_all_open_windows_are_drawn(shown: Shown) -> None:
    page = shown.page()
    view(page, "Time")
    row = ".windows .vspace .vrow"
    page.until(f"/^[12]$/.test({text(row + ' .c-open')})", "open windows")
    opened = page.run(f"{texts(row + ':not([hidden]) .c-open')}.map(Number)")
    for kind in ("window", "grace"):
        drawn = page.run(
            f"[...document.querySelectorAll('{row}:not([hidden])')]"
            f".map(one => one.querySelectorAll('i.{kind}').length)"
        )
        assert drawn == opened
    said = page.run(text(".windows"))
    for part in ("orders-per-customer", "simulated.py:", "its grace", "stream time of the task"):
        assert part in said


def test_errors_are_added_to_the_event_of_their_minute(shown: Shown) -> None:
    page = shown.page()
    shown.application.fail()
    view(page, "Timeline")
    page.until(f"{texts('.event-text')}.includes('1 error')", "the first error")
    shown.application.fail()
    page.until(f"{texts('.event-text')}.includes('2 errors')", "both errors")
    assert not page.run(f"{texts('.event-text')}.includes('1 error')")


def test_two_thousand_tasks_are_few_elements(browser: Browser) -> None:
    shown = Shown(browser, Simulated(partitions=667, workers=8))
    try:
        page = shown.page()
        view(page, "Tasks")
        page.until(
            "document.querySelector('.vtable').getAttribute('aria-rowcount') === '2002'",
            "all tasks",
        )
        assert page.run("document.querySelectorAll('.vspace .vrow').length") < 60
        page.run("document.querySelector('.vscroll').scrollTop = 1e6")
        page.until(
            f"{texts('.vspace .c-id')}.some(one => one === '2_666')",
            "the last task",
        )
        page.run("document.querySelector('#task-search').focus()")
        page.write("2_123")
        page.until(f"/^1 of 2,001/.test({text('.count')})", "the task that was looked for")
        assert page.problems == []
    finally:
        shown.close()
