"""The console in a real Chromium, with a real server and a simulated application."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import axe_core_python  # type: ignore[import-untyped]
import pytest

from penstock._engine.http.console import open_windows
from tests.console.browser import Browser, Page
from tests.console.shown import TOKEN, VIEWS, Shown, text, texts, view
from tests.console.simulated import PLANTED, Simulated

pytestmark = pytest.mark.slow


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


def test_errors_of_a_kind_are_one_card_with_their_number(shown: Shown) -> None:
    page = shown.page()
    shown.application.fail(text="once")
    view(page, "Errors")
    page.until("document.querySelectorAll('.error-card').length === 1", "the first error")
    for offset in (20, 40):
        shown.application.fail(kind="SerdeError", offset=offset, count=20)
        page.until(f"{text('.errors')}.includes('orders / 0 @ {offset}')", "the others")
    assert page.run("document.querySelectorAll('.error-card').length") == 2
    assert page.run(f"{text('.error-card time')}.startsWith('40 times since ')")
    assert page.run(f"{text('.errors')}.includes('ValueError: once')")
    page.click(".error-card summary")
    shown.application.fail(kind="SerdeError", offset=41)
    page.until(f"{text('.error-card time')}.startsWith('41 times since ')", "the number")
    # What is being read stays.
    assert page.run(f"{text('.error-card')}.includes('orders / 0 @ 40')")
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


def test_nothing_covers_the_graph(shown: Shown) -> None:
    page = shown.page()
    edges = page.run(
        "['.canvas', '.zoom'].map(one => document.querySelector(one).getBoundingClientRect())"
        ".map(box => [box.top, box.bottom])"
    )
    assert edges[0][1] <= edges[1][0]


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
