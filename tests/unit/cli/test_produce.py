"""Lines become records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from penstock.cli.produce import Form, Line, produce, read_lines
from penstock.errors import StreamsError


class FakeWriter:
    """Remembers what was written."""

    def __init__(self) -> None:
        self.written: list[tuple[str, bytes | None, bytes | None]] = []
        self.more: list[tuple[Any, ...]] = []
        self.flushed = False

    def write(
        self,
        topic: str,
        key: bytes | None,
        value: bytes | None,
        *,
        timestamp: int | None = None,
        partition: int | None = None,
        headers: Sequence[tuple[str, bytes | None]] = (),
    ) -> None:
        self.written.append((topic, key, value))
        self.more.append((timestamp, partition, headers))

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
    assert produce(["a=1\n", "b\n", "\n"], writer, Form("lines", separator=separator)) == 3
    assert writer.written == [("lines", *pair) for pair in expected]
    assert writer.flushed


def test_keys_and_values_have_types_and_may_be_null() -> None:
    form = Form("t", key="integer", value="long", separator=":", null="NULL")
    assert list(read_lines(["1:2", "3:NULL"], form)) == [
        Line(b"\0\0\0\1", bytes(7) + b"\2"),
        Line(b"\0\0\0\3", None),
    ]


def test_a_line_of_json_says_all_of_a_record() -> None:
    text = (
        '{"topic": "from", "partition": 3, "offset": 9, "timestamp": 5, "key": "k", '
        '"value": {"a": 1}, "headers": [["h", "x"], ["n", null]]}'
    )
    (line,) = read_lines([text], Form("t", value="json", is_json=True))
    assert line == Line(b"k", b'{"a":1}', 5, (("h", b"x"), ("n", None)))


def test_the_partition_is_that_of_the_command() -> None:
    writer = FakeWriter()
    produce(['{"value": "v", "headers": {"h": "x"}}'], writer, Form("t", is_json=True), 2)
    assert writer.more == [(None, 2, (("h", b"x"),))]


@pytest.mark.parametrize(
    ("line", "form", "said"),
    [
        ("x", Form("t", value="long"), "'x' is no long: invalid literal"),
        ("perhaps", Form("t", value="boolean"), "'perhaps' is no boolean: it must be true or"),
        ("[1]", Form("t", is_json=True), 'it must be an object with a "value"'),
        ("{", Form("t", is_json=True), "Expecting property name"),
        ('{"value": 1, "kee": 2}', Form("t", is_json=True), "unknown: kee; known: headers, key,"),
        ('{"value": 1, "timestamp": "now"}', Form("t", is_json=True), "must be whole milliseconds"),
        ('{"value": "v", "headers": [["a", 1]]}', Form("t", is_json=True), "a header must be a"),
    ],
)
def test_a_line_that_is_no_record_is_told_with_its_number(line: str, form: Form, said: str) -> None:
    good = '{"value": "1"}' if form.is_json else "true" if form.value == "boolean" else "1"
    writer = FakeWriter()
    with pytest.raises(StreamsError, match="line 2 is no record: ") as caught:
        produce([good, line], writer, form)
    assert said in str(caught.value)
    assert (len(writer.written), writer.flushed) == (1, True)
