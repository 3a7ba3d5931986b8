"""A foreign-key join across partitions: the tables have different numbers of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from penstock import Consumed, Materialized, StreamsBuilder, TableJoined, Topology, serdes
from penstock._engine.kafka.application.preparation import prepare
from penstock._engine.runtime.records import Output
from penstock.testing.broker import CreateTopic, LocalBroker
from tests.broker.applications import latest, run_until, settings, write

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("_kafka_can_be_had")]

TEXT = serdes.string()
ORDERS, CUSTOMERS = 40, 7


def orders_with_customers(orders: str, customers: str, out: str) -> Topology:
    builder = StreamsBuilder()
    left = builder.table(orders, Consumed(TEXT, TEXT), Materialized("orders"))
    right = builder.table(customers, Consumed(TEXT, TEXT), Materialized("customers"))
    left.join(
        right,
        lambda order: order.partition("/")[0],
        lambda order, customer: f"{order}={customer}",
        TableJoined("hop"),
        Materialized("joined", value=TEXT),
    ).to_stream().to(out)
    return builder.build()


def test_the_topics_have_the_partitions_of_the_tables_they_are_read_with(
    kafka_broker: LocalBroker, kafka_topic: CreateTopic, tmp_path: Path
) -> None:
    orders, customers = kafka_topic("orders", partitions=2), kafka_topic("customers", partitions=3)
    config = settings(kafka_broker, tmp_path, f"fk-{orders}")
    blueprint = prepare(orders_with_customers(orders, customers, kafka_topic("out")), config)
    assert blueprint.partition_counts == {
        orders: 2,
        customers: 3,
        f"fk-{orders}-hop-subscription-registration-topic": 3,
        f"fk-{orders}-hop-subscription-response-topic": 2,
    }
    assert [(task.id, len(task.inputs)) for task in blueprint.tasks] == [
        ("0_0", 2),
        ("1_0", 2),
        ("0_1", 2),
        ("1_1", 2),
        ("1_2", 2),
    ]


def test_every_row_finds_its_partner_and_after_a_restart_without_local_state_too(
    kafka_broker: LocalBroker, kafka_topic: CreateTopic, tmp_path: Path
) -> None:
    orders, customers = kafka_topic("orders", partitions=2), kafka_topic("customers", partitions=3)
    out = kafka_topic("out")
    rows = {f"o{n}": f"c{n % CUSTOMERS}/{n}" for n in range(ORDERS)}
    people = {f"c{n}": f"name {n}" for n in range(CUSTOMERS)}

    def run(directory: str) -> dict[str, str | None]:
        expected = {
            key: f"{row}={people[row.partition('/')[0]]}"
            for key, row in rows.items()
            if row.partition("/")[0] in people
        }

        def done(committed: list[Output]) -> bool:
            seen.update(
                {
                    (record[2] or b"").decode(): (record[3] or b"").decode()
                    for record in committed
                    if record[0] == out
                }
            )
            return all(seen.get(key) == value for key, value in expected.items())

        seen: dict[str, str] = {key: value for key, value in before.items() if value is not None}
        config = settings(kafka_broker, tmp_path / directory, f"fk-{orders}")
        run_until(orders_with_customers(orders, customers, out), config, done)
        joined = latest(kafka_broker, out)
        assert {key: value for key, value in joined.items() if value is not None} == expected
        return joined

    before: dict[str, str | None] = {}
    write(kafka_broker, customers, people.items())
    write(kafka_broker, orders, rows.items())
    before = run("first")
    # Another partner for some orders, another name for a customer: the subscriptions are known.
    changed = {key: f"c0/{key} again" for key in ("o1", "o9", "o20")}
    rows.update(changed)
    people["c3"] = "new name"
    write(kafka_broker, orders, changed.items())
    write(kafka_broker, customers, [("c3", "new name")])
    run("second")
