"""Order pipeline: orders are checked, priced, added up by customer, and written to a database, each
exactly once; the database's outbox asks for their shipment.

    python -m examples order_pipeline          live, with orders of which some make no sense
    penstock run examples/order_pipeline.py    the program alone

It shows a global table (each worker has all products, so orders need not be moved), branches, a
dead letter topic, state by customer, and effects outside Kafka: `write_once` writes an order and
its message for the warehouse in one database transaction, together with the order's topic,
partition and offset, so that an order that is processed again after a crash is not written again. A
relay publishes the messages to `shipments`; the program alone leaves them in the outbox.

The database is orders.db in this folder, or what DATABASE_URL names: postgresql://localhost/shop
"""

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from penstock import (
    Branched,
    Consumed,
    FixedKeyRecord,
    Grouped,
    KafkaStreams,
    Materialized,
    Produced,
    StreamsBuilder,
    StreamsConfig,
    Topology,
    serdes,
)
from penstock.database import Database, Transaction
from penstock.errors import StreamsError
from penstock.outbox import Outbox, OutboxRelay, write_once


@dataclass
class Order:
    customer: str
    product: str
    quantity: int


@dataclass
class Product:
    name: str
    cents: int


@dataclass
class PricedOrder:
    customer: str
    product: str
    quantity: int
    cents: int


@dataclass
class Rejection:
    order: Order
    reason: str


@dataclass
class Customer:
    orders: int = 0
    cents: int = 0

    def plus(self, order: PricedOrder) -> "Customer":
        return Customer(self.orders + 1, self.cents + order.cents)


@dataclass
class Inspected:
    """An order and the product it is for, if there is one."""

    order: Order
    product: Product | None

    @property
    def fault(self) -> str:
        """What is wrong with it, empty if nothing is."""
        if not self.order.customer:
            return "no customer"
        if not 1 <= self.order.quantity <= 100:
            return f"quantity {self.order.quantity}"
        return "" if self.product else f"no product {self.order.product}"

    def priced(self) -> PricedOrder:
        assert self.product
        order, cents = self.order, self.order.quantity * self.product.cents
        return PricedOrder(order.customer, self.product.name, order.quantity, cents)


text = serdes.string()
order, product, priced = serdes.json(Order), serdes.json(Product), serdes.json(PricedOrder)
customer, rejection = serdes.json(Customer), serdes.json(Rejection)

settings = {
    "application.id": "order-pipeline",
    "processing.guarantee": "exactly_once_v2",
    "deserialization.exception.handler": "penstock.handlers.LogAndContinueExceptionHandler",
    "errors.dead.letter.queue.topic.name": "unreadable-orders",
}

outbox = Outbox("orders_outbox")

ORDERS = """
CREATE TABLE IF NOT EXISTS orders (
    number TEXT NOT NULL, customer TEXT NOT NULL, product TEXT NOT NULL, cents BIGINT NOT NULL
)
"""


def create_tables(database: Database) -> None:
    database.create_tables(ORDERS)
    outbox.create(database)


def save(transaction: Transaction, record: FixedKeyRecord[str, PricedOrder]) -> None:
    """Write an order down and have it shipped: both or neither."""
    number, order = record.key, record.value
    transaction.execute(
        "INSERT INTO orders VALUES (?, ?, ?, ?)",
        (number, order.customer, order.product, order.cents),
    )
    shipment = f"{order.quantity} x {order.product} to {order.customer}"
    outbox.add(transaction, "shipments", number.encode(), shipment.encode())


def topology(database: Database) -> Topology:
    builder = StreamsBuilder()
    products = builder.global_table(
        "products", Consumed(key=text, value=product), Materialized("products", text, product)
    )
    inspected = (
        builder.stream("submitted-orders", Consumed(key=text, value=order))
        .left_join(products, lambda number, order: order.product, Inspected)
        .split(named="orders-")
        .branch(lambda number, inspected: inspected.fault, Branched("faulty"))
        .default_branch(Branched("sound"))
    )
    (
        inspected["orders-faulty"]
        .map_values(lambda inspected: Rejection(inspected.order, inspected.fault))
        .to("rejected-orders", Produced(key=text, value=rejection))
    )
    orders = (
        inspected["orders-sound"]
        .map_values(Inspected.priced)
        .process_values(write_once(database, save, name="orders"), named="write-orders")
    )
    orders.to("processed-orders", Produced(key=text, value=priced))
    (
        orders.group_by(lambda number, order: order.customer, Grouped("by-customer", text, priced))
        .aggregate(
            Customer,
            lambda name, order, customer: customer.plus(order),
            Materialized("customers", key=text, value=customer),
        )
        .to_stream()
        .to("customers", Produced(key=text, value=customer))
    )
    return builder.build()


@contextmanager
def relaying(database: Database, config: StreamsConfig) -> Iterator[None]:
    """Publish what the outbox holds, on a thread, until the block ends; then the rest."""
    ended = threading.Event()

    def relay() -> None:
        with OutboxRelay(database, outbox, config) as relay:
            last = False
            while not last:
                last = ended.is_set()  # before publishing: what was added last is published as well
                try:
                    while relay.publish():
                        pass
                except StreamsError as error:  # database or Kafka are away, or a message is refused
                    print(f"the outbox waits: {error}", file=sys.stderr)
                ended.wait(0.2)

    thread = threading.Thread(target=relay, name="outbox-relay")
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


if __name__ == "__main__":
    database = Database(os.environ.get("DATABASE_URL", "sqlite:orders.db"))
    create_tables(database)
    KafkaStreams(topology(database), settings).run()
