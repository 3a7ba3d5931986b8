"""Types of state that change between two runs: what still reads does, the rest is explained."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from penstock import Consumed, Grouped, Materialized, Produced, StreamsBuilder, Topology, serdes
from penstock.errors import StreamsError
from penstock.testing.broker import CreateTopic, LocalBroker
from tests.broker.applications import latest, run_until, settings, write

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
    assert f"changelog '{config.application_id}-totals-changelog' was written as another" in told
    assert "cannot read JSON as WithCurrency: Object missing required field `currency`" in told
    assert told.endswith("change the type so that it reads both, or begin anew: penstock reset")
    assert latest(kafka_broker, sink) == {"ada": '{"cents":12,"owner":"unknown"}'}
