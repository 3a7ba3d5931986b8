"""Types of state that change between two runs: what still reads does, the rest is explained."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from penstock import (
    Consumed,
    Grouped,
    KafkaStreams,
    Materialized,
    Produced,
    State,
    StreamsBuilder,
    Suppressed,
    Topology,
    UncaughtResponse,
    serdes,
)
from penstock.errors import StreamsError
from penstock.testing.broker import CreateTopic, LocalBroker
from tests.broker.applications import PATIENCE_SECONDS, latest, run_until, settings, write
from tests.broker.test_local_host import wait_for

pytestmark = pytest.mark.slow

TEXT = serdes.string()


@dataclass
class Account:
    """As the first version of a program has it."""

    cents: int = 0


@dataclass
class WithOwner:
    """A field more, with a default: what was stored before has none."""

    cents: int = 0
    owner: str = "unknown"


@dataclass
class WithCurrency:
    """A field more that old state cannot have."""

    currency: str
    cents: int = 0
    owner: str = "unknown"


SKIPPING = {"processing.exception.handler": "LogAndContinueProcessingExceptionHandler"}


def totals(of: Any, source: str, sink: str) -> Topology:
    def add(key: str, value: str, account: Any) -> Any:
        account.cents += int(value)
        return account

    builder = StreamsBuilder()
    (
        builder.stream(source, Consumed(TEXT, TEXT))
        .group_by_key(Grouped(key=TEXT, value=TEXT))
        .aggregate(
            lambda: of("EUR") if of is WithCurrency else of(),
            add,
            Materialized("totals", key=TEXT, value=serdes.json(of)),
        )
        .to_stream()
        .to(sink, Produced(TEXT, serdes.json(of)))
    )
    return builder.build()


def test_a_field_with_a_default_reads_old_state_and_others_are_refused(
    kafka_broker: LocalBroker, kafka_topic: CreateTopic, tmp_path: Path
) -> None:
    source, sink = kafka_topic("payments"), kafka_topic("accounts")
    config = settings(kafka_broker, tmp_path, f"evolution-{source}")

    write(kafka_broker, source, [("ada", "5")])
    run_until(totals(Account, source, sink), config, lambda outputs: len(outputs) >= 1)
    assert latest(kafka_broker, sink) == {"ada": '{"cents":5}'}

    write(kafka_broker, source, [("ada", "7")])
    run_until(totals(WithOwner, source, sink), config, lambda outputs: len(outputs) >= 1)
    assert latest(kafka_broker, sink) == {"ada": '{"cents":12,"owner":"unknown"}'}

    write(kafka_broker, source, [("ada", "1")])
    with pytest.raises(StreamsError) as caught:
        run_until(totals(WithCurrency, source, sink), config, lambda outputs: len(outputs) >= 1)
    told = str(caught.value)
    log = f"{config.application_id}-totals-changelog"
    assert f"a value of state store 'totals' (changelog '{log}') cannot be read: " in told
    assert "cannot read JSON as WithCurrency: Object missing required field `currency`" in told
    assert told.endswith("change the type so that it reads both, or begin anew: penstock reset")
    assert latest(kafka_broker, sink) == {"ada": '{"cents":12,"owner":"unknown"}'}


def held_back(of: Any, source: str, sink: str) -> Topology:
    """Values that are held back for an hour of stream time, in a buffer."""
    builder = StreamsBuilder()
    # Not there after a restart: only the buffer behind it is.
    last: Any = Materialized("last", TEXT, serdes.json(of), store="in_memory", logging=False)
    (
        builder.stream(source, Consumed(TEXT, TEXT))
        .map_values(lambda value: of("EUR") if of is WithCurrency else of())
        .to_table(last)
        .suppress(Suppressed.until_time_limit(3_600_000, name="held"))
        .to_stream()
        .to(sink, Produced(TEXT, serdes.json(of)))
    )
    return builder.build()


def test_a_buffer_that_cannot_be_read_fails_before_it_is_ready(
    kafka_broker: LocalBroker, kafka_topic: CreateTopic, tmp_path: Path
) -> None:
    """The handler skips whatever fails, and no record would meet the row for an hour."""
    source, sink = kafka_topic("held-in"), kafka_topic("held-out")
    config = settings(kafka_broker, tmp_path, f"held-{source}", **SKIPPING)
    write(kafka_broker, source, [("ada", "5")])
    with KafkaStreams(held_back(Account, source, sink), config, host="local") as streams:
        streams.start()
        assert streams.wait_until(State.RUNNING, PATIENCE_SECONDS * 1000)
        wait_for(lambda: (streams.progress() or {}).get("recordsIn") == 1, "the record")

    states: list[State] = []
    streams = KafkaStreams(held_back(WithCurrency, source, sink), config, host="local")
    with streams:
        streams.set_state_listener(lambda new, old: states.append(new))
        streams.set_uncaught_exception_handler(lambda failure: UncaughtResponse.REPLACE_THREAD)
        streams.start()
        assert streams.wait_until(State.ERROR, PATIENCE_SECONDS * 1000), streams.state
    assert State.RUNNING not in states
    told = streams.failure.message if streams.failure else ""
    assert "state store 'held-store' (changelog '" in told
    assert "Object missing required field `currency`" in told
    assert latest(kafka_broker, sink) == {}
