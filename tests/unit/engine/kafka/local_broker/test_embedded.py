"""The embedded broker as a cluster: which topics it must have, and where state is kept."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from penstock import (
    Consumed,
    Grouped,
    Materialized,
    Produced,
    StreamsBuilder,
    StreamsConfig,
    serdes,
)
from penstock._engine.kafka.local_broker.embedded import topics_of, with_state_beside_broker

TEXT = serdes.string()


def test_topics_of_global_tables_are_named_too() -> None:
    builder = StreamsBuilder()
    rows = Materialized("products", TEXT, TEXT)
    products = builder.global_table("products", materialized=rows)
    orders = builder.stream("orders")
    orders.join(products, lambda key, order: key, lambda order, product: product).to("priced")
    config = StreamsConfig({"application.id": "app"})
    assert topics_of(builder.build(), config) == {"products", "orders", "priced"}


def test_topics_of_a_program_are_those_it_names() -> None:
    builder = StreamsBuilder()
    lines = builder.stream(["a", "b"], Consumed(TEXT, TEXT))
    lines.group_by(lambda key, value: value, Grouped("by", TEXT, TEXT)).count().to_stream().to(
        "counts", Produced(TEXT, serdes.long())
    )
    builder.stream(re.compile("in-.*"), Consumed(TEXT, TEXT)).to(
        lambda key, value, context: value, Produced(TEXT, TEXT)
    )
    topology = builder.build()
    config = {"application.id": "x"}
    assert topics_of(topology, StreamsConfig(config)) == {"a", "b", "counts"}
    dead = {**config, "errors.dead.letter.queue.topic.name": "dead"}
    assert topics_of(topology, StreamsConfig(dead)) == {"a", "b", "counts", "dead"}


def test_state_is_kept_beside_the_broker_unless_the_user_has_a_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PENSTOCK_HOME", str(tmp_path))
    here = with_state_beside_broker(StreamsConfig({"application.id": "x"}))
    assert here.state_dir == tmp_path / "broker" / "state"
    chosen = with_state_beside_broker(StreamsConfig({"application.id": "x", "state.dir": "/mine"}))
    assert chosen.state_dir == Path("/mine")
