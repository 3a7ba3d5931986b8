"""Lines become records."""

from __future__ import annotations

import io
import struct
import sys
from collections.abc import Sequence
from typing import Any

import pytest

from penstock import serdes
from penstock._engine.kafka.client.topic_io import Read
from penstock.cli.arguments.values import serde_of
from penstock.cli.consume import as_json
from penstock.cli.produce import Form, Line, _typed_lines, produce, read_lines
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
    ("separator", "lines", "expected"),
    [
        (None, ["a=1\n", "b\n", "\n"], [(None, b"a=1"), (None, b"b"), (None, b"")]),
        ("=", ["a=1\n", "b=\n", "=\n"], [(b"a", b"1"), (b"b", b""), (b"", b"")]),
    ],
    ids=["values", "pairs"],
)
def test_each_line_is_a_record(
    separator: str | None, lines: list[str], expected: list[tuple[bytes | None, bytes]]
) -> None:
    writer = FakeWriter()
    assert produce(lines, writer, Form("lines", separator=separator)) == 3
    assert writer.written == [("lines", *pair) for pair in expected]
    assert writer.flushed


def test_keys_and_values_have_types_and_may_be_null() -> None:
    form = Form("t", key="integer", value="long", separator=":", null="NULL")
    assert list(read_lines(["1:2", "3:NULL"], form)) == [
        Line(b"\0\0\0\1", bytes(7) + b"\2"),
        Line(b"\0\0\0\3", None),
    ]


def test_a_document_that_is_typed_is_written_as_it_is_and_not_as_a_text() -> None:
    form = Form("t", key="json", value="json", separator="=")
    assert list(read_lines(['"ada"={"cents": 420, "note": null}', "7=[1]"], form)) == [
        Line(b'"ada"', b'{"cents":420,"note":null}'),
        Line(b"7", b"[1]"),
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
        ("hello", Form("t", value="json"), "'hello' is no json: Expecting value"),
        ("ada", Form("t", separator="="), "it has no '=' between key and value; got 'ada'"),
        ("\udcff\udcfe", Form("t"), "it is not UTF-8; got b'\\xff\\xfe'"),
        ("[1]", Form("t", is_json=True), 'it must be an object with a "value"'),
        ("{", Form("t", is_json=True), "Expecting property name"),
        ('{"value": 1, "kee": 2}', Form("t", is_json=True), "unknown: kee; known: headers, key,"),
        ('{"value": 1, "timestamp": "now"}', Form("t", is_json=True), "must be whole milliseconds"),
        ('{"value": "v", "headers": [["a", 1]]}', Form("t", is_json=True), "a header must be a"),
    ],
)
def test_a_line_that_is_no_record_is_told_with_its_number(line: str, form: Form, said: str) -> None:
    good = '{"value": "1"}' if form.is_json else "true" if form.value == "boolean" else "1"
    good = f"{form.separator}{good}" if form.separator else good
    writer = FakeWriter()
    with pytest.raises(StreamsError, match="line 2 is no record: ") as caught:
        produce([good, line], writer, form)
    assert said in str(caught.value)
    assert (len(writer.written), writer.flushed) == (1, True)


def test_a_copied_record_keeps_headers_that_are_not_text() -> None:
    headers = (
        ("trace", b"\x00\xff\x10\x80"),
        ("text", "é".encode()),
        ("none", None),
        ("empty", b""),
    )
    copied = as_json(Read("a", b"k", b"v", 5, headers=headers), serdes.string(), serdes.string())
    (line,) = read_lines([copied], Form("b", is_json=True))
    assert line.headers == headers


@pytest.mark.parametrize("type", ["string", "json", "bytes"])
@pytest.mark.parametrize(
    "data",
    [struct.pack(">q", 200), "été".encode("latin-1"), b"\xff", b'{"base64":"AA=="}', b"", None],
)
def test_a_copied_record_keeps_its_bytes(data: bytes | None, type: str) -> None:
    if type == "json" and data is not None and data[:1] != b"{":
        return  # no document: consume says so
    serde = serde_of(type)
    copied = as_json(Read("a", data, data, 5), serde, serde)
    (line,) = read_lines([copied], Form("b", type, type, is_json=True))
    assert (line.key, line.value) == (data, data)


def test_lines_before_one_that_is_not_utf_8_are_written(monkeypatch: pytest.MonkeyPatch) -> None:
    typed = io.TextIOWrapper(io.BytesIO(b"a\r\nb\n\xe9t\xe9\nc\n"), encoding="ascii")
    monkeypatch.setattr(sys, "stdin", typed)
    writer = FakeWriter()
    with pytest.raises(StreamsError, match="line 3 is no record: it is not UTF-8; got"):
        produce(_typed_lines(), writer, Form("t"))
    assert [value for *_, value in writer.written] == [b"a", b"b"]


@pytest.mark.parametrize("value", ['{"base64": "?"}', '{"base64": 1}', '{"hex": "00"}', "{}", "[]"])
def test_a_header_that_is_no_base64_is_refused(value: str) -> None:
    text = f'{{"value": "v", "headers": [["h", {value}]]}}'
    with pytest.raises(StreamsError, match="a header must be a name and a text, null or"):
        list(read_lines([text], Form("t", is_json=True)))
