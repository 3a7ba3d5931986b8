"""What `penstock run` was told reaches the program's KafkaStreams."""

from __future__ import annotations

import pytest

from penstock import Consumed, KafkaStreams, StreamsBuilder, serdes
from penstock.terminal.invocation import Invocation, current, invoked, settings_with_options


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


@pytest.mark.parametrize(
    ("own", "options", "names", "poll_ms"),
    [
        ({}, {}, "there:1", 7),
        ({}, {"poll_ms": 9}, "there:1", 9),
        ({"bootstrap.servers": "own:1"}, {}, "own:1", 5),
        ({"bootstrap.servers": "own:1"}, {"bootstrap.servers": "line:1"}, "line:1", 5),
    ],
)
def test_variables_count_where_neither_program_nor_command_line_names_a_cluster(
    own: dict[str, str],
    options: dict[str, str],
    names: str,
    poll_ms: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    builder = StreamsBuilder()
    builder.stream("in", Consumed(serdes.string(), serdes.string())).to("out")
    monkeypatch.setenv("PENSTOCK_BOOTSTRAP_SERVERS", "there:1")
    monkeypatch.setenv("PENSTOCK_POLL_MS", "7")
    with invoked(Invocation(options)):
        streams = KafkaStreams(builder.build(), {"application.id": "a", "poll.ms": 5, **own})
    assert streams.bootstrap_servers == names
    assert streams._config.poll_ms == poll_ms


@pytest.mark.parametrize("option", ["poll.ms", "poll_ms"])
@pytest.mark.parametrize("own", ["poll.ms", "poll_ms"])
def test_settings_go_before_those_of_the_program_in_any_spelling(option: str, own: str) -> None:
    builder = StreamsBuilder()
    builder.stream("in", Consumed(serdes.string(), serdes.string())).to("out")
    with invoked(Invocation({option: "9"})):
        streams = KafkaStreams(builder.build(), {"application.id": "programmed", own: 5})
        settings = settings_with_options({own: 5})
    assert streams._config.poll_ms == 9
    assert settings == {"poll.ms": "9"}
