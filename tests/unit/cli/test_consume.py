"""Records become lines."""

from __future__ import annotations

import argparse
import json

import pytest

from penstock import Windowed, serdes
from penstock._engine.kafka.client.topic_io import Read
from penstock.cli import main
from penstock.cli.consume import Hints, as_json, detailed, plain, start
from penstock.errors import StreamsError

TEXT, NUMBER = serdes.string(), serdes.long()
FIVE = bytes(7) + b"\x05"


@pytest.mark.parametrize(
    ("key", "value", "line"),
    [
        (b"the", FIVE, "the\t5"),
        (b"the", None, "the\tnull"),
        (None, bytes(8), "0"),
    ],
)
def test_record_is_a_line(key: bytes | None, value: bytes | None, line: str) -> None:
    assert plain(Read("counts", key, value, 0), TEXT, NUMBER) == line


def test_details_say_where_a_record_lies_and_its_headers() -> None:
    record = Read("t", b"k", FIVE, 1000, 2, 7, (("h", b"x"),))
    assert detailed(record, TEXT, NUMBER) == "2:7 1000 h=x\tk\t5"


def test_json_is_an_object_in_one_line() -> None:
    record = Read("t", b"k", FIVE, 1000, 2, 7, (("h", b"x"), ("n", None)))
    assert json.loads(as_json(record, TEXT, NUMBER)) == {
        "topic": "t",
        "partition": 2,
        "offset": 7,
        "timestamp": 1000,
        "headers": [["h", "x"], ["n", None]],
        "key": "k",
        "value": 5,
    }


def test_bytes_that_are_something_else_are_told_with_their_place() -> None:
    with pytest.raises(StreamsError) as caught:
        plain(Read("t", b"k", b"x", 0, 2, 7), TEXT, NUMBER)
    assert str(caught.value).startswith(
        "the value at offset 7 of partition 2 of 't' cannot be read: "
    )
    assert str(caught.value).endswith("; say what it is, or --value bytes")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("beginning", {"at_end": False}),
        ("end", {"at_end": True}),
        ("12", {"offset": 12}),
        ("1970-01-01T00:00:01Z", {"time_ms": 1000}),
    ],
)
def test_where_reading_begins(text: str, expected: dict[str, object]) -> None:
    assert start(text) == expected


def test_where_reading_begins_must_be_somewhere() -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="beginning, end, an offset or a time"):
        start("yesterday")


def test_windows_need_their_size(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["consume", "views", "--key", "time-windowed:string"]) == 1
    assert "needs --window-ms" in capsys.readouterr().err


def test_what_is_no_text_is_told_once_with_the_option_that_reads_it() -> None:
    hints = Hints(["key", "value"])
    window = serdes.time_windowed(TEXT, 10).serialize("t", Windowed("ada", 0, 10))
    assert hints.about(Read("t", "größe\t".encode(), b"\x1b[1mbold\n", 0)) == []
    assert hints.about(Read("t", None, None, 0)) == []
    (hint,) = hints.about(Read("t", window, b"5", 0))
    assert hint.startswith("penstock: a key of 't' is not UTF-8 or has control characters, so ")
    assert "--key time-windowed:string --window-ms MS" in hint
    (hint,) = hints.about(Read("t", window, FIVE, 0))
    assert hint.endswith(
        "say what it is: --value long, double and the like for numbers, --value bytes"
    )
    assert hints.about(Read("t", window, FIVE, 0)) == []
