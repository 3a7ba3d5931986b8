"""The payment matching example, in the test driver."""

from __future__ import annotations

from examples.payment_matching import (
    Order,
    Payment,
    Settlement,
    order,
    payment,
    settlement,
    text,
    topology,
)
from penstock.testing import TopologyTestDriver

MINUTE = 60_000


def test_orders_and_payments_find_each_other_or_come_out_alone() -> None:
    with TopologyTestDriver(topology()) as driver:
        orders = driver.create_input_topic("orders", text, order)
        payments = driver.create_input_topic("payments", text, payment)

        def settled(topic: str) -> list[tuple[str | None, Settlement | None]]:
            return driver.create_output_topic(topic, text, settlement).read_key_values()

        orders.pipe_input("1", Order("ada", 500), timestamp=0)
        payments.pipe_input("1", Payment("card", 500), timestamp=10 * MINUTE)
        assert settled("paid-orders") == [("1", Settlement("ada", "card", 500, 500))]

        orders.pipe_input("2", Order("boris", 900), timestamp=11 * MINUTE)
        payments.pipe_input("2", Payment("cash", 800), timestamp=12 * MINUTE)
        assert settled("wrong-amounts") == [("2", Settlement("boris", "cash", 900, 800))]

        orders.pipe_input("3", Order("chloe", 700), timestamp=13 * MINUTE)
        payments.pipe_input("9", Payment("transfer", 100), timestamp=13 * MINUTE)
        # Ten minutes and one more of grace: not yet over.
        orders.pipe_input("4", Order("dora", 100), timestamp=24 * MINUTE)
        assert settled("unpaid-orders") == settled("orphan-payments") == []
        orders.pipe_input("5", Order("dora", 100), timestamp=24 * MINUTE + 1)
        assert settled("unpaid-orders") == [("3", Settlement("chloe", None, 700, 0))]
        assert settled("orphan-payments") == [("9", Settlement(None, "transfer", 0, 100))]
        assert settled("paid-orders") == settled("wrong-amounts") == []
