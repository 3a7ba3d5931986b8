"""Stores with headers: what is put into them, and how the test driver shows them."""

from __future__ import annotations

import pytest

from penstock import (
    AggregationWithHeaders,
    Headers,
    Processor,
    StoreBuilder,
    Stores,
    Topology,
    ValueTimestampHeaders,
    Windowed,
    serdes,
)
from penstock.errors import StreamsError
from penstock.testing import TopologyTestDriver

TEXT = serdes.string()


def driver_with(*stores: StoreBuilder) -> TopologyTestDriver:
    topology = Topology().add_source("in", "in").add_processor("user", Processor, "in")
    for store in stores:
        topology.add_state_store(store, "user")
    return TopologyTestDriver(topology, {"default.key.serde": TEXT, "default.value.serde": TEXT})


def test_the_driver_shows_them_with_headers_and_without() -> None:
    trace = Headers([("trace", b"1")])
    stores = (
        Stores.timestamped_key_value_store_with_headers("last"),
        Stores.timestamped_window_store_with_headers("by-time", retention=100, window_size=10),
        Stores.session_store_with_headers("visits", retention=100),
    )
    with driver_with(*stores) as driver:
        last = driver.get_timestamped_key_value_store_with_headers("last")
        last.put("a", ValueTimestampHeaders("x", 5, trace))
        assert last.get("a") == ValueTimestampHeaders("x", 5, trace)
        assert driver.get_key_value_store("last").get("a") == "x"
        by_time = driver.get_timestamped_window_store_with_headers("by-time")
        by_time.put("a", ValueTimestampHeaders("x", 5, trace), 0)
        assert list(by_time.fetch("a", 0, 9)) == [(0, ValueTimestampHeaders("x", 5, trace))]
        assert driver.get_window_store("by-time").fetch("a", 0) == "x"
        visits = driver.get_session_store_with_headers("visits")
        visits.put(Windowed("a", 0, 5), AggregationWithHeaders("x", trace))
        assert visits.fetch_session("a", 0, 5) == AggregationWithHeaders("x", trace)
        assert driver.get_session_store("visits").fetch_session("a", 0, 5) == "x"


def test_what_a_reader_changes_is_not_the_stores() -> None:
    with driver_with(Stores.timestamped_key_value_store_with_headers("last")) as driver:
        last = driver.get_timestamped_key_value_store_with_headers("last")
        last.put("a", ValueTimestampHeaders("x", 5, Headers()))
        read = last.get("a")
        assert read is not None
        read.headers.add("trace", b"1")
        again = last.get("a")
        assert again is not None
        assert not len(again.headers)


def test_a_plain_value_is_refused() -> None:
    with driver_with(Stores.timestamped_key_value_store_with_headers("last")) as driver:
        store = driver.get_state_store("last")
        with pytest.raises(StreamsError, match="a timestamped store with headers takes"):
            store.put("a", "x")
