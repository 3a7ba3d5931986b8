"""What the views of the console say, and that it can be read, on a screen and on a phone."""

from __future__ import annotations

import pytest

from tests.console.shown import Shown, text, texts, view

pytestmark = pytest.mark.slow

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


def test_a_phone_begins_where_the_records_come_in(shown: Shown) -> None:
    page = shown.page(390, 780)
    edges = page.run(
        "(box => [box.left, box.right])"
        "(document.querySelector('.shape.topic').getBoundingClientRect())"
    )
    assert 0 <= edges[0] < edges[1] <= 390


def test_a_phone_finds_what_is_below_without_a_search_at_the_sides(shown: Shown) -> None:
    page = shown.page(390, 780)
    page.run("document.querySelector('.canvas').scrollTop = 1e6")
    page.until("document.querySelector('.canvas.more-top')", "that it is scrolled")
    centre = "(box => box.left + box.width / 2)"
    panels = page.run(
        "[...document.querySelectorAll('.panel rect')].map(one => one.getBoundingClientRect())"
        f".map({centre})"
    )
    assert all(0 <= x <= 390 for x in panels), panels


@pytest.mark.parametrize("width", [390, 1280])
def test_the_lines_of_a_table_reach_its_border(shown: Shown, width: int) -> None:
    page = shown.page(width, 700)
    for name in ("Tasks", "Time"):
        view(page, name)
        page.until("document.querySelector('.vspace .vrow:not([hidden])')", "a row")
        rights = page.run(
            "['.vtable', '.vhead .vrow', '.vspace .vrow'].map(one => "
            "document.querySelector(one).getBoundingClientRect().right)"
        )
        assert rights[0] - 2 <= rights[1] == rights[2] <= rights[0], name
    # All rows of few tasks are in sight below the head.
    assert page.run(
        "(one => one.scrollHeight <= one.clientHeight)(document.querySelector('.vscroll'))"
    )


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
