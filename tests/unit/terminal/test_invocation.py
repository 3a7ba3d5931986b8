"""What `penstock run` was told reaches the program's KafkaStreams."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from penstock import Consumed, KafkaStreams, StreamsBuilder, serdes
from penstock.settings import StreamsConfig
from penstock.terminal.invocation import (
    Invocation,
    cluster_line,
    current,
    invoked,
    settings_with_options,
)


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


@pytest.mark.parametrize("variable", ["a:9092", "a:9092, b:9092", " a:9092 "])
@pytest.mark.parametrize("reads_variables", [False, True])
@pytest.mark.parametrize("options", [{}, {"poll.ms": 9}])
def test_a_cluster_of_the_environment_is_said_to_be_so(
    monkeypatch: pytest.MonkeyPatch,
    *,
    variable: str,
    reads_variables: bool,
    options: dict[str, int],
) -> None:
    monkeypatch.setenv("PENSTOCK_BOOTSTRAP_SERVERS", variable)
    own = {"application.id": "a", "bootstrap.servers": "own:1"}
    config = StreamsConfig.from_environment(own) if reads_variables else {"application.id": "a"}
    assert _namer(config, options) == "PENSTOCK_BOOTSTRAP_SERVERS"


@pytest.mark.parametrize(
    ("options", "namer"), [({}, "program"), ({"bootstrap.servers": "a:1"}, "command line")]
)
def test_a_cluster_that_the_environment_names_as_well_is_not_said_to_be_its_own(
    monkeypatch: pytest.MonkeyPatch, options: dict[str, str], namer: str
) -> None:
    monkeypatch.setenv("PENSTOCK_BOOTSTRAP_SERVERS", "a:1")
    config = {"application.id": "a", "bootstrap.servers": "a:1"}
    assert _namer(config, options) == f"the {namer}"


def _namer(config: StreamsConfig | dict[str, str], options: Mapping[str, object]) -> str:
    builder = StreamsBuilder()
    builder.stream("in", Consumed(serdes.string(), serdes.string())).to("out")
    with invoked(Invocation(options)):
        settled = KafkaStreams(builder.build(), config)._config
    return cluster_line(settled, options).partition(", named by ")[2]


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
