"""What `penstock run` was told reaches the program's KafkaStreams."""

from __future__ import annotations

from penstock import Consumed, KafkaStreams, StreamsBuilder, serdes
from penstock.terminal.invocation import Invocation, current, invoked


def test_wishes_are_in_force_only_inside() -> None:
    # What is in force outside is shared by all tests of a process: only that it returns is told.
    before = current()
    wishes = Invocation(quiet=True)
    with invoked(wishes):
        assert current() is wishes
    assert current() is before


def test_settings_go_before_those_of_the_program() -> None:
    builder = StreamsBuilder()
    builder.stream("in", Consumed(serdes.string(), serdes.string())).to("out")
    with invoked(Invocation({"application.id": "wished"})):
        streams = KafkaStreams(builder.build(), {"application.id": "programmed", "poll.ms": 5})
    assert streams.application_id == "wished"
