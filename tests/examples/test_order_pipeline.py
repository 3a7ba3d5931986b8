"""The order pipeline example, in the test driver and with real databases."""

from __future__ import annotations

from examples.order_pipeline import (
    Customer,
    Order,
    PricedOrder,
    Product,
    Rejection,
    create_tables,
    customer,
    order,
    outbox,
    priced,
    product,
    rejection,
    settings,
    text,
    topology,
)
from penstock import serdes
from penstock.database import Database
from penstock.testing import TopologyTestDriver

RAW = serdes.bytes()


def test_orders_are_priced_added_up_and_written_down(database: Database) -> None:
    create_tables(database)
    for _ in range(2):  # the second time they are known, as after a crash
        with TopologyTestDriver(topology(database), settings) as driver:
            products = driver.create_input_topic("products", text, product)
            orders = driver.create_input_topic("submitted-orders", text, order)
            products.pipe_input("p-1", Product("nails", 95))
            orders.pipe_input("1", Order("ada", "p-1", 2))
            orders.pipe_input("2", Order("ada", "p-2", 1))
            orders.pipe_input("3", Order("", "p-1", 1))
            orders.pipe_input("4", Order("ada", "p-1", 0))
            orders.pipe_input("5", Order("ada", "p-1", 10))
            processed = driver.create_output_topic("processed-orders", text, priced)
            assert processed.read_key_values() == [
                ("1", PricedOrder("ada", "nails", 2, 190)),
                ("5", PricedOrder("ada", "nails", 10, 950)),
            ]
            rejected = driver.create_output_topic("rejected-orders", text, rejection)
            assert rejected.read_key_values() == [
                ("2", Rejection(Order("ada", "p-2", 1), "no product p-2")),
                ("3", Rejection(Order("", "p-1", 1), "no customer")),
                ("4", Rejection(Order("ada", "p-1", 0), "quantity 0")),
            ]
            customers = driver.create_output_topic("customers", text, customer)
            assert customers.read_key_values() == [
                ("ada", Customer(1, 190)),
                ("ada", Customer(2, 1140)),
            ]
    assert sorted(database.read("SELECT * FROM orders")) == [
        ("1", "ada", "nails", 190),
        ("5", "ada", "nails", 950),
    ]
    messages = database.read(f"SELECT topic, message_key, message_value FROM {outbox.table}")
    assert sorted(messages) == [
        ("shipments", b"1", b"2 x nails to ada"),
        ("shipments", b"5", b"10 x nails to ada"),
    ]


def test_what_is_no_order_is_set_aside(database: Database) -> None:
    create_tables(database)
    with TopologyTestDriver(topology(database), settings) as driver:
        driver.create_input_topic("submitted-orders", RAW, RAW).pipe_input(b"1", b"an order")
        letters = driver.create_output_topic("unreadable-orders", RAW, RAW)
        assert letters.read_key_values() == [(b"1", b"an order")]
