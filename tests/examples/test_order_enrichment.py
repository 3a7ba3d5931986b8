"""The order enrichment example, in the test driver."""

from __future__ import annotations

from examples.order_enrichment import (
    EnrichedOrder,
    Order,
    Profile,
    enriched,
    order,
    profile,
    text,
    topology,
)
from penstock.testing import TopologyTestDriver


def test_an_order_has_the_profile_of_its_own_time_or_none() -> None:
    with TopologyTestDriver(topology()) as driver:
        profiles = driver.create_input_topic("customer-profiles", text, profile)
        orders = driver.create_input_topic("customer-orders", text, order)
        profiles.pipe_input("c1", Profile("Ada", "bronze", 1000), timestamp=10)
        profiles.pipe_input("c1", Profile("Ada", "gold", 9000), timestamp=20)
        profiles.pipe_input("c1", None, timestamp=30)
        for number, at in (("a", 5), ("b", 10), ("late", 15), ("c", 25), ("d", 30)):
            orders.pipe_input(number, Order(number, "c1", 2000), timestamp=at)
        orders.pipe_input("e", Order("e", "c2", 0), timestamp=40)
        results = driver.create_output_topic("enriched-orders", text, enriched)
        assert results.read_key_values() == [
            ("c1", EnrichedOrder("a", 2000, "UNKNOWN", "unknown", False)),
            ("c1", EnrichedOrder("b", 2000, "Ada", "bronze", False)),
            ("c1", EnrichedOrder("late", 2000, "Ada", "bronze", False)),
            ("c1", EnrichedOrder("c", 2000, "Ada", "gold", True)),
            ("c1", EnrichedOrder("d", 2000, "UNKNOWN", "unknown", False)),
            ("c2", EnrichedOrder("e", 0, "UNKNOWN", "unknown", True)),
        ]
