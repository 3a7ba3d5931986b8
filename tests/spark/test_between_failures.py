"""A streaming input that fails, and processes that do not start: one error for all parts, nothing
left running, and the next start goes on, each row once.
"""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

from penstock.errors import StreamsError
from penstock.testing.broker import LocalBroker
from tests.spark.python_processes import HangingUp
from tests.spark.test_between import WAIT_SECONDS, Files, Shop, locked, wait_for

pytestmark = [pytest.mark.slow, pytest.mark.long]

_numbers = itertools.count(1)


class StreamingShop(Shop):
    """A shop whose customers come as a stream, too; broken files are an error."""

    def __init__(self, spark: SparkSession, servers: str, name: str, path: Path) -> None:
        super().__init__(spark, servers, name, path)
        self.new_customers = Files(spark, path / "customers")
        self.customers = self.new_customers.frame()

    def orders_with(self, lock: Path) -> dict[str, DataFrame]:
        """Return the orders, of which some cannot be read while a file is there."""
        reader = self.spark.readStream.schema("key string, value string, timestamp long")
        frame = reader.option("mode", "FAILFAST").json(str(self.path / "orders"))
        return {f"{self.name}-orders": locked(frame, lock)}


@pytest.fixture
def shop(spark: SparkSession, kafka_broker: LocalBroker, tmp_path: Path) -> StreamingShop:
    name = f"failing{next(_numbers)}"
    return StreamingShop(spark, kafka_broker.bootstrap_servers, name, tmp_path)


def run_until_an_input_fails(shop: StreamingShop, inputs: dict[str, DataFrame]) -> None:
    with shop.run(inputs=inputs) as result:
        shop.write(result)
        wait_for(lambda: shop.written() == [("a", 1)], "the first total")
        shop.orders.add(("b", "tea", 2001), ("b", "bob", 2002), ("a", "pie", 2003))
        assert result.wait(WAIT_SECONDS * 1000), "the run goes on"


def test_a_failed_input_ends_all_parts_and_the_next_start_goes_on(
    shop: StreamingShop, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.new_customers.add(("a", "ada", 1000), ("b", "bert", 1001))
    shop.orders.add(("a", "tea", 2000))
    lock = shop.path / "lock"
    inputs = shop.orders_with(lock)
    with pytest.raises(StreamsError, match=r"input '.*-orders' failed, .*this customer is locked"):
        run_until_an_input_fails(shop, inputs)
    assert shop.spark.streams.active == []
    lock.unlink()
    # Of the next file, Spark cannot read the second row.
    broken = shop.path / "orders" / "broken.json"
    broken.write_text('{"key": "a", "value": "cake", "timestamp": 2004}\n{"key": "b", "val')
    with pytest.raises(StreamsError, match=r"input '.*-orders' failed, .*broken.json.*Malformed"):
        shop.run(inputs=inputs, available_now=True)
    assert shop.spark.streams.active == []
    broken.write_text('{"key": "a", "value": "cake", "timestamp": 2004}')
    python = HangingUp(shop.path)
    monkeypatch.setattr(shop.spark.sparkContext, "pythonExec", python.program)
    python.next(1)  # that of the application, which is started again
    with shop.run(inputs=inputs, available_now=True) as result:
        assert python.left == 0
        python.next(1)
        assert shop.write(result, availableNow=True).awaitTermination(WAIT_SECONDS)
    assert python.left == 0
    assert shop.written() == [("a", 1), ("a", 2), ("a", 3), ("b", 1), ("b", 2)]
    assert (shop.records("customers"), shop.records("orders")) == (2, 5)
