"""Failed records on their way to the driver are few and short."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from penstock._engine.metrics.record_failures import (
    HEADER_CHARACTERS_MAX,
    HEADERS_MAX,
    KEPT_MAX,
    PREVIEW_CHARACTERS_MAX,
    RecentFailures,
    RecordFailure,
    merged,
    preview,
    preview_headers,
)


class Rude:
    def __repr__(self) -> str:
        raise RuntimeError("no")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, None),
        ("text", "text"),
        (b"\xff\x00", "b'\\xff\\x00'"),
        ({"a": 1}, "{'a': 1}"),
        (Rude(), "<Rude instance at"),
    ],
)
def test_a_preview_is_the_text_of_a_value(value: Any, text: str | None) -> None:
    shown = preview(value)
    assert shown == text or (shown is not None and text is not None and shown.startswith(text))


@pytest.mark.parametrize("value", ["x" * 10**7, b"x" * 10**7, ["x" * 10**6] * 100, 10**300])
def test_a_preview_of_a_huge_value_is_short(value: Any) -> None:
    shown = preview(value)
    assert shown is not None
    assert len(shown) <= PREVIEW_CHARACTERS_MAX


def test_few_headers_are_shown() -> None:
    headers = [(f"h{number}", b"\xff" * 1000) for number in range(100)]
    shown = preview_headers(headers)
    assert len(shown) == HEADERS_MAX
    assert {len(text) for _, text in shown} == {HEADER_CHARACTERS_MAX}
    assert preview_headers([("none", None)]) == (("none", ""),)


def failed(node: str = "map", *, skipped: bool = True, offset: int = 0) -> RecordFailure:
    return RecordFailure(
        "0_0", node, "processing-error", "E: x", topic="in", offset=offset, skipped=skipped
    )


def add(recent: RecentFailures, failure: RecordFailure) -> None:
    recent.add(failure.kind, lambda: failure)


def test_the_first_of_each_kind_is_kept_until_it_is_taken_and_all_are_counted() -> None:
    recent = RecentFailures()
    for offset in range(KEPT_MAX * 2):
        add(recent, failed(offset=offset))
    add(recent, failed("other", offset=99))
    taken = recent.take()
    assert [(one.node, one.offset, one.count) for one in taken] == [
        ("map", 0, KEPT_MAX * 2),
        ("other", 99, 1),
    ]
    assert recent.take() == ()
    add(recent, failed(offset=100))
    assert [(one.offset, one.count) for one in recent.take()] == [(100, 1)]


def test_what_is_taken_leaves_nothing_behind() -> None:
    """Kinds change with the lines of a program's code and its topics, in a worker that lives on."""
    recent = RecentFailures()
    for number in range(3):
        add(recent, failed(f"n{number}"))
        recent.take()
    assert not recent._counts


def test_few_kinds_are_kept_and_what_made_the_task_fail_always_is() -> None:
    recent = RecentFailures()
    for number in range(KEPT_MAX + 5):
        add(recent, failed(f"n{number}"))
    add(recent, failed(skipped=False))
    taken = recent.take()
    assert len(taken) == KEPT_MAX + 1
    assert not taken[-1].skipped


def test_failures_of_several_tasks_are_one_of_each_kind_and_the_fatal_one_is_last() -> None:
    fatal, other = failed(skipped=False, offset=5), failed("other")
    together = merged([failed(offset=1), fatal, failed(offset=2), other], 2)
    assert together == (other, fatal)
    assert merged([failed(offset=1), fatal, failed(offset=2)], 9) == (
        replace(failed(offset=1), count=2),
        fatal,
    )
