"""Failed records on their way to the driver are few and short."""

from __future__ import annotations

from typing import Any

import pytest

from penstock._engine.metrics.record_failures import (
    HEADER_CHARACTERS_MAX,
    HEADERS_MAX,
    KEPT_MAX,
    PREVIEW_CHARACTERS_MAX,
    RecentFailures,
    RecordFailure,
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


def test_the_newest_failures_are_kept_until_they_are_taken() -> None:
    recent = RecentFailures()
    for offset in range(KEPT_MAX + 5):
        recent.add(RecordFailure("0_0", "map", "processing-error", "E: x", offset=offset))
    assert not recent.has_room
    assert [one.offset for one in recent.take()] == list(range(5, KEPT_MAX + 5))
    assert recent.take() == ()
    assert recent.has_room
