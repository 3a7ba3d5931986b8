"""Test topics: pipe records in, read records out."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from penstock import Consumed, Headers, Produced, StreamsBuilder, serdes
from penstock.testing import TestInputTopic, TestOutputTopic, TestRecord, TopologyTestDriver
from penstock.testing.topics import Raw

TEXT = serdes.string()


class Pipe:
    """An input and an output topic with nothing between."""

    def __init__(self, start: int = 0, auto_advance: Any = 0) -> None:
        self.raws: list[Raw] = []
        self.into: TestInputTopic[str, str] = TestInputTopic(
            "t", lambda topic, raw: self.raws.append(raw), (TEXT, TEXT), start, auto_advance
        )
        self.out: TestOutputTopic[str, str] = TestOutputTopic("t", {"t": self.raws}, (TEXT, TEXT))

    def times(self) -> list[int | None]:
        return [raw[2] for raw in self.raws]


def test_a_value_alone_has_no_key() -> None:
    pipe = Pipe()
    pipe.into.pipe_input("v")
    pipe.into.pipe_input("k", "w")
    pipe.into.pipe_input(None, None)
    assert pipe.out.read_key_values() == [(None, "v"), ("k", "w"), (None, None)]


def test_records_without_a_time_take_the_topic_s_and_move_it_on() -> None:
    pipe = Pipe(start=100, auto_advance=timedelta(milliseconds=10))
    pipe.into.pipe_input("a")
    pipe.into.pipe_input("b", timestamp=5)
    pipe.into.pipe_input("c")
    pipe.into.advance_time(50)
    pipe.into.pipe_input("d")
    assert pipe.times() == [100, 5, 110, 170]


def test_lists_may_have_times_of_their_own() -> None:
    pipe = Pipe(start=100)
    pipe.into.pipe_key_value_list([("a", "1"), ("b", "2")], start_timestamp=7, advance=3)
    pipe.into.pipe_value_list(["3"])
    pipe.into.pipe_record_list([TestRecord("c", "4", 1), TestRecord("d", "5")])
    assert pipe.times() == [7, 10, 100, 1, 100]
    assert pipe.out.read_values() == ["1", "2", "3", "4", "5"]


def test_headers_go_along() -> None:
    pipe = Pipe()
    pipe.into.pipe_input("k", "v", headers=[("h", b"x"), ("h", None)])
    pipe.into.pipe_record(TestRecord("k", "v", 1, Headers([("i", b"y")])))
    assert [list(record.headers) for record in pipe.out.read_records()] == [
        [("h", b"x"), ("h", None)],
        [("i", b"y")],
    ]


def test_a_record_is_read_with_all_it_has() -> None:
    pipe = Pipe()
    pipe.into.pipe_input("k", "v", timestamp=5, headers=[("h", b"x")])
    assert pipe.out.read_record() == TestRecord("k", "v", 5, Headers([("h", b"x")]))


def test_reading_takes_the_record() -> None:
    pipe = Pipe()
    pipe.into.pipe_value_list(["a", "b"])
    assert (pipe.out.queue_size(), pipe.out.is_empty()) == (2, False)
    pipe.out.read_value()
    assert pipe.out.queue_size() == 1
    assert pipe.out.read_records() == [TestRecord(None, "b", 0)]
    assert pipe.out.is_empty()
    with pytest.raises(LookupError, match="topic 't' is empty"):
        pipe.out.read_record()


def test_a_table_keeps_the_last_value_of_each_key() -> None:
    pipe = Pipe()
    pipe.into.pipe_key_value_list([("a", "1"), ("b", "2"), ("a", "3")])
    assert pipe.out.read_key_values_to_dict() == {"a": "3", "b": "2"}


def test_a_table_has_no_null_keys() -> None:
    pipe = Pipe()
    pipe.into.pipe_input("v")
    with pytest.raises(ValueError, match="has no key and cannot go into a table"):
        pipe.out.read_key_values_to_dict()


@pytest.mark.parametrize("wrong", [-1, timedelta(milliseconds=-1)])
def test_a_topic_s_time_does_not_go_back(wrong: Any) -> None:
    with pytest.raises(ValueError, match="auto_advance must not be negative"):
        Pipe(auto_advance=wrong)
    with pytest.raises(ValueError, match="advance must not be negative"):
        Pipe().into.advance_time(wrong)


def test_a_topic_that_nothing_names_is_warned_of_when_it_is_read(
    caplog: pytest.LogCaptureFixture,
) -> None:
    builder = StreamsBuilder()
    builder.stream("in", Consumed(TEXT, TEXT)).to("out", Produced(TEXT, TEXT))
    with TopologyTestDriver(builder.build()) as driver:
        right, wrong = (driver.create_output_topic(name, TEXT, TEXT) for name in ("out", "uot"))
        assert right.is_empty()
        assert right.read_values() == []
        assert caplog.messages == []
        assert wrong.read_values() == []
    assert caplog.messages == [
        "the topology writes to no topic 'uot' by name, and nothing has been written to it; is the "
        "name right? it writes to: 'out'"
    ]


def test_an_advance_without_a_beginning_is_refused() -> None:
    """Java has no such call; it was ignored, and all records had the same time."""
    pipe = Pipe().into
    with pytest.raises(ValueError, match="must be given with a start_timestamp"):
        pipe.pipe_key_value_list([("a", "1")], advance=timedelta(minutes=1))
    with pytest.raises(ValueError, match="must be given with a start_timestamp"):
        pipe.pipe_value_list(["1"], advance=60_000)
