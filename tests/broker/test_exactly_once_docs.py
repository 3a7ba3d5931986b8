"""The program of docs/concepts/exactly-once.md runs on a broker, and the picture shows its log."""

from __future__ import annotations

import pytest

from penstock.testing.broker import CreateTopic, LocalBroker
from scripts.pictures.commits import LOG
from tests.docs.blocks import DOCS, blocks_of, run_page

pytestmark = pytest.mark.slow

PAGE = DOCS / "concepts" / "exactly-once.md"


def test_the_lag_of_one_is_as_told(kafka_broker: LocalBroker, kafka_topic: CreateTopic) -> None:
    topic = kafka_topic("marked")
    run_page(PAGE, {"servers": kafka_broker.bootstrap_servers, "topic": topic})
    (shown,) = [block.text for block in blocks_of(PAGE, "text")]
    place = max(offset for offset, kind in enumerate(LOG) if kind == "record") + 1
    assert f"committed: {place}  end: {len(LOG)}  lag: {len(LOG) - place}\n" in shown
