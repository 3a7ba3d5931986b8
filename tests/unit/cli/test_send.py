"""Lines become records."""

from __future__ import annotations

import pytest

from penstock.cli.send import send


class FakeWriter:
    """Remembers what was written."""

    def __init__(self) -> None:
        self.written: list[tuple[str, bytes | None, bytes | None]] = []
        self.flushed = False

    def write(self, topic: str, key: bytes | None, value: bytes | None) -> None:
        self.written.append((topic, key, value))

    def flush(self) -> None:
        self.flushed = True


@pytest.mark.parametrize(
    ("separator", "expected"),
    [
        (None, [(None, b"a=1"), (None, b"b"), (None, b"")]),
        ("=", [(b"a", b"1"), (None, b"b"), (None, b"")]),
    ],
    ids=["values", "pairs"],
)
def test_each_line_is_a_record(
    separator: str | None, expected: list[tuple[bytes | None, bytes]]
) -> None:
    writer = FakeWriter()
    assert send(["a=1\n", "b\n", "\n"], writer, "lines", separator) == 3
    assert writer.written == [("lines", *pair) for pair in expected]
    assert writer.flushed
