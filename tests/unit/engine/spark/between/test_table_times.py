"""Rows of a table without times are warned of, where records with times are joined with them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from penstock import Consumed, StreamsBuilder, Topology, serdes
from penstock._engine.spark.between.live_inputs import LiveInput
from penstock._engine.spark.between.table_times import warn_of_table_times

TEXT = serdes.string()
OPTIONS: Any = None


def given(topic: str, kind: str, columns: str) -> LiveInput:
    frame: Any = SimpleNamespace(isStreaming=kind == "stream", columns=columns.split())
    return LiveInput(topic, frame, OPTIONS)


def joining(consumed: Consumed[str, str] | None = None) -> Topology:
    builder = StreamsBuilder()
    customers = builder.table("customers", consumed or Consumed(TEXT, TEXT))
    orders = builder.stream("orders", Consumed(TEXT, TEXT))
    orders.join(customers, lambda order, customer: order + customer).to("out")
    builder.stream("others", Consumed(TEXT, TEXT)).to("out")
    return builder.build()


def warnings(
    topology: Topology,
    inputs: list[LiveInput],
    written: list[str],
    caplog: pytest.LogCaptureFixture,
) -> list[str]:
    caplog.clear()
    warn_of_table_times(topology, inputs, written)
    return caplog.messages


ORDERS = given("orders", "stream", "key value timestamp")
CUSTOMERS = given("customers", "batch", "key value")


def test_rows_of_a_table_without_times_are_warned_of(caplog: pytest.LogCaptureFixture) -> None:
    (message,) = warnings(joining(), [CUSTOMERS, ORDERS], [], caplog)
    assert "topic=customers: the rows of the table have no column 'timestamp'" in message
    assert "records of 'orders' with earlier times are processed before them" in message


@pytest.mark.parametrize(
    ("inputs", "written"),
    [
        ([given("customers", "batch", "key value timestamp"), ORDERS], []),
        ([given("customers", "stream", "key value"), ORDERS], []),
        ([CUSTOMERS, given("orders", "stream", "key value")], []),
        ([CUSTOMERS, given("customers", "stream", "key value timestamp")], []),
        ([given("others", "batch", "key value"), ORDERS], []),
        ([CUSTOMERS, ORDERS], ["customers"]),
    ],
    ids=["times", "stream", "no others", "changes", "no table", "written"],
)
def test_what_is_in_order_is_not_warned_of(
    inputs: list[LiveInput], written: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    assert warnings(joining(), inputs, written, caplog) == []


def test_an_extractor_says_the_times_of_a_table(caplog: pytest.LogCaptureFixture) -> None:
    zero = Consumed(TEXT, TEXT, timestamp_extractor=lambda record, time: 0)
    assert warnings(joining(zero), [CUSTOMERS, ORDERS], [], caplog) == []
