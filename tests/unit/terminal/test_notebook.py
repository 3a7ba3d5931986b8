"""What a notebook shows."""

from __future__ import annotations

import queue
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from penstock import StreamsBuilder
from penstock.application import KafkaStreams, Progress
from penstock.queries.query_iterator import QueryIterator
from penstock.stores import ValueAndTimestamp
from penstock.terminal import notebook
from penstock.windowed import Windowed

PATIENCE_SECONDS = 20
PLANTED = "<script>alert(1)</script>"


def test_windows_are_a_table_with_times_and_bars() -> None:
    rows = [(Windowed("home", 0, 60_000), 4), (Windowed("shop", 60_000, 120_000), 2)]
    shown = notebook.rows_table(rows, more=False)
    assert "<td>1970-01-01 00:01:00</td>" in shown
    assert 'width="120" height="10" rx' in shown
    assert 'width="60" height="10" rx' in shown
    assert "2 rows" in shown


@pytest.mark.parametrize(
    "row",
    [
        (PLANTED, PLANTED),
        (Windowed(PLANTED, 0, 10**20), PLANTED),
        (PLANTED, ValueAndTimestamp(PLANTED, 5)),
        PLANTED,
        (1, 2, PLANTED),
    ],
)
def test_texts_of_records_are_no_markup(row: Any) -> None:
    assert "<script" not in notebook.rows_table([row], more=False)


def test_a_long_value_is_cut() -> None:
    assert len(notebook.rows_table([("k", "x" * 10**6)], more=True)) < 2000


def test_results_show_their_first_rows_and_can_still_be_read() -> None:
    results = QueryIterator((f"k{number}", number) for number in range(200))
    assert next(results) == ("k0", 0)
    shown = results._repr_html_()
    assert "the first 50 rows" in shown
    assert "<td>k1</td>" in shown
    assert "<td>k51</td>" not in shown
    assert [number for _, number in results] == list(range(1, 200))
    assert "0 rows" in results._repr_html_()


def test_a_topology_draws_itself() -> None:
    topology = _topology()
    assert topology._repr_svg_() == topology.to_svg()


def test_an_application_shows_its_state_before_it_starts() -> None:
    streams = KafkaStreams(_topology(), {"application.id": f"a{PLANTED}"[:1]})
    shown = streams._repr_html_()
    assert "<td>PREPARING</td>" in shown
    assert "<svg" in shown


def test_progress_is_a_dict_and_a_table() -> None:
    figures = {"lag": 17, "asOf": PLANTED, "stateOperators": [{"operatorName": "counts"}]}
    progress = Progress({"batchId": 3, "sources": [{"latestOffset": figures}]})
    assert progress == {"batchId": 3, "sources": [{"latestOffset": figures}]}
    shown = progress._repr_html_()
    assert "<td>lag</td><td>17</td>" in shown
    assert "<td>counts</td>" in shown
    assert "<script" not in shown
    assert Progress({})._repr_html_()


def test_progress_of_the_development_host_is_a_table_too() -> None:
    stores = [{"operatorName": "counts", "numRowsTotal": 2}]
    shown = Progress({"host": "local", "lag": 17, "stateOperators": stores})._repr_html_()
    assert "<td>host</td><td>local</td>" in shown
    assert "<td>lag</td><td>17</td>" in shown
    assert "<td>counts</td><td>2</td>" in shown
    assert "rows each second" not in shown


class Running:
    application_id = "shop"
    task_count = 2
    failed = False
    reason: str | None = None
    note = ""

    def __init__(self) -> None:
        self.ended = False
        self.phase = "RUNNING"

    def reports(self) -> dict[str, Any]:
        return {}

    def lag(self) -> int | None:
        return None

    def close(self) -> bool:
        return True


@pytest.fixture
def no_atexit(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    registered: list[Any] = []
    monkeypatch.setattr(notebook, "atexit", SimpleNamespace(register=registered.append))
    return registered


def test_without_a_kernel_nothing_is_shown(no_atexit: list[Any]) -> None:
    notebook.show_live(Running())()
    assert no_atexit == []


def test_a_shell_without_a_kernel_is_no_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    shell = SimpleNamespace(get_ipython=SimpleNamespace)
    monkeypatch.setitem(sys.modules, "IPython", shell)
    assert notebook.kernel_display() is None


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch, no_atexit: list[Any]) -> queue.SimpleQueue[str]:
    """The lines that a kernel is given."""
    given: queue.SimpleQueue[str] = queue.SimpleQueue()

    def show(html: str) -> Any:
        given.put(html)
        return given.put

    monkeypatch.setattr(notebook, "kernel_display", lambda: show)
    return given


def test_a_line_lives_to_the_end_and_the_kernel_s_end_closes(
    lines: queue.SimpleQueue[str], no_atexit: list[Any]
) -> None:
    application = Running()
    finish = notebook.show_live(application)
    assert no_atexit == [application.close]
    assert lines.get(timeout=PATIENCE_SECONDS) == "<pre>starting</pre>"
    assert "RUNNING" in lines.get(timeout=PATIENCE_SECONDS)
    application.phase = "PENDING_SHUTDOWN"
    finish()
    last = ""
    while not lines.empty():
        last = lines.get()
    assert "shop: ended" in last


def test_a_line_ends_though_the_application_had_ended_before_it_was_drawn(
    lines: queue.SimpleQueue[str],
) -> None:
    application = Running()
    application.ended = True
    notebook.show_live(application)
    assert lines.get(timeout=PATIENCE_SECONDS) == "<pre>starting</pre>"
    assert "shop: ended" in lines.get(timeout=PATIENCE_SECONDS)


def _topology() -> Any:
    builder = StreamsBuilder()
    builder.stream("in").to("out")
    return builder.build()
