"""Orders for the pipeline: some for products nobody has, some of nobody, some unreadable."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from examples import order_pipeline
from examples.order_pipeline import (
    Customer,
    Inspected,
    Order,
    Product,
    Rejection,
    create_tables,
    customer,
    order,
    product,
    rejection,
    relaying,
)
from examples.stage.lifelike import between, happens, pick
from examples.stage.show import Answer, Message, Show, Stored
from examples.stage.tables import ROWS, beside, money, table
from penstock import SerializationError, StreamsConfig, Topology
from penstock.database import Database

NAMES = ("nails", "hammer", "saw", "plane", "chisel", "glue", "varnish", "hinge", "screws", "drill")
PRODUCTS = {f"p-{number}": Product(name, 95 + 310 * number) for number, name in enumerate(NAMES)}
CUSTOMERS = ("ada", "boris", "chloe", "dmitri", "edith", "farid", "grace", "hugo", "ines", "jonas")


class OrderPipeline(Show):
    name = "order_pipeline"
    about = "orders priced, added up, written to a database exactly once, shipped by an outbox"
    inputs = ("products", "submitted-orders")
    outputs = ("processed-orders", "rejected-orders", "customers", "unreadable-orders", "shipments")
    rate, step_ms = 40, 1_000
    settings = order_pipeline.settings

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._customers: dict[str, Customer] = {}
        self._rejected: list[tuple[str, str]] = []
        self.database = Database("sqlite::memory:")  # until it is known where it shall be

    def prepare(self, config: StreamsConfig) -> None:
        # Beside the state: whoever deletes the broker's data deletes it, too.
        folder = config.state_dir
        folder.mkdir(parents=True, exist_ok=True)
        self.database = Database(os.environ.get("DATABASE_URL", f"sqlite:{folder / 'orders.db'}"))
        create_tables(self.database)

    def topology(self) -> Topology:
        return order_pipeline.topology(self.database)

    @contextmanager
    def beside(self, config: StreamsConfig) -> Iterator[None]:
        admin = AdminClient({"bootstrap.servers": config.bootstrap_servers})
        if "shipments" not in admin.list_topics(timeout=30).topics:
            admin.create_topics([NewTopic("shipments", 4, 1)])["shipments"].result()
        with relaying(self.database, config):
            yield

    def first(self, at: int) -> Iterator[Message]:
        for key, value in PRODUCTS.items():
            yield Message("products", key.encode(), product.serialize("", value), at)

    def messages(self, number: int, at: int) -> Iterator[Message]:
        key = f"order-{number:06}".encode()
        if happens(0.01, "unreadable", number):
            yield Message("submitted-orders", key, b"\xff\xfe an order", at)
            return
        who = "" if happens(0.01, "nobody", number) else pick(CUSTOMERS, "who", number, favour=1.8)
        wanted = f"p-{between(0, 10, 'product', number)}"
        quantity = 0 if happens(0.02, "none", number) else between(1, 12, "quantity", number)
        value = order.serialize("", Order(who, wanted, quantity))
        yield Message("submitted-orders", key, value, at)

    def take(self, record: Stored) -> None:
        self._counts[record.topic] += 1
        if record.topic == "customers":
            value = customer.deserialize("", record.value)
            assert value
            self._customers[(record.key or b"").decode()] = value
        elif record.topic == "rejected-orders":
            refused = rejection.deserialize("", record.value)
            assert refused
            row = ((record.key or b"").decode(), refused.reason)
            self._rejected = [*self._rejected, row][-ROWS:]

    def lines(self) -> list[str]:
        ((in_database,),) = self.database.read("SELECT count(*) FROM orders")
        stations = [
            ("processed", self._counts["processed-orders"]),
            ("in the database", in_database),
            ("shipped", self._counts["shipments"]),
            ("rejected", self._counts["rejected-orders"]),
            ("unreadable", self._counts["unreadable-orders"]),
        ]
        best = sorted(self._customers.items(), key=lambda item: -item[1].cents)[:ROWS]
        rows = [(name, value.orders, money(value.cents)) for name, value in best]
        left = [
            *table("ORDERS", ("", "count"), stations),
            "",
            *table("REJECTED", ("order", "because"), self._rejected[:-4:-1]),
        ]
        return beside(left, table("CUSTOMERS", ("customer", "orders", "amount"), rows))

    def expected(self, inputs: Iterable[Stored]) -> Answer:
        answer: dict[str, Counter[object]] = {
            name: Counter()
            for name in ("customers", "rejected", "in database", "shipped", "unreadable")
        }
        for record in inputs:
            if record.topic != "submitted-orders":
                continue
            number = (record.key or b"").decode()
            try:
                submitted = order.deserialize("", record.value)
            except SerializationError:
                answer["unreadable"][number] += 1
                continue
            assert submitted
            inspected = Inspected(submitted, PRODUCTS.get(submitted.product))
            if inspected.fault:
                answer["rejected"][number, inspected.fault] += 1
                continue
            priced = inspected.priced()
            answer["customers"][priced.customer] += priced.cents
            answer["in database"][number, priced.customer, priced.product, priced.cents] += 1
            shipment = f"{priced.quantity} x {priced.product} to {priced.customer}"
            answer["shipped"][number, shipment] += 1
        return answer

    def actual(self, outputs: Iterable[Stored]) -> Answer:
        latest: dict[str, int] = {}
        rejected: Counter[object] = Counter()
        shipped: Counter[object] = Counter()
        unreadable: Counter[object] = Counter()
        for record in outputs:
            key = (record.key or b"").decode()
            if record.topic == "customers":
                value = customer.deserialize("", record.value)
                latest[key] = value.cents if value else 0
            elif record.topic == "rejected-orders":
                refused = rejection.deserialize("", record.value) or Rejection(Order("", "", 0), "")
                rejected[key, refused.reason] += 1
            elif record.topic == "shipments":
                shipped[key, (record.value or b"").decode()] += 1
            elif record.topic == "unreadable-orders":
                unreadable[key] += 1
        rows = Counter(self.database.read("SELECT number, customer, product, cents FROM orders"))
        return {
            "customers": latest,
            "rejected": rejected,
            "in database": rows,
            "shipped": shipped,
            "unreadable": unreadable,
        }
