"""The low-level topology. What it refuses is in tests/refusals."""

from __future__ import annotations

import re
from typing import Any

import pytest

from penstock import (
    FixedKeyProcessor,
    Processor,
    Record,
    Stores,
    Topology,
    TopologyError,
    serdes,
)
from penstock._engine.topology.nodes.stream_nodes import (
    ProcessorNode,
    SinkNode,
    SourceNode,
    UserProcessor,
)


class Echo(Processor[Any, Any, Any, Any]):
    def process(self, record: Record[Any, Any]) -> None:
        self.context.forward(record)


class EchoValues(FixedKeyProcessor[Any, Any, Any]):
    pass


def store(name: str) -> Any:
    return Stores.in_memory_key_value_store(name, key=serdes.string(), value=serdes.string())


def test_sources_read_topics_or_a_pattern() -> None:
    topology = Topology().add_source("a", "x", "y").add_source("b", re.compile("in-.*"))
    a, b = topology.nodes.values()
    assert isinstance(a, SourceNode)
    assert isinstance(b, SourceNode)
    assert (a.topics, a.pattern) == (("x", "y"), None)
    assert (b.topics, b.pattern) == ((), re.compile("in-.*"))


def test_options_of_sources_and_sinks_are_kept() -> None:
    long = serdes.long()
    topology = Topology().add_source("s", "in", key=long, offset_reset="earliest")
    topology.add_sink("k", "out", "s", value=long, partitioner=lambda t, k, v, n: 0)
    source, sink = topology.nodes.values()
    assert isinstance(source, SourceNode)
    assert isinstance(sink, SinkNode)
    assert (source.key_serde, source.value_serde, source.offset_reset) == (long, None, "earliest")
    assert (sink.key_serde, sink.value_serde) == (None, long)
    assert sink.partitioner is not None


def test_a_processor_knows_whether_its_key_is_fixed() -> None:
    topology = Topology().add_source("s", "in")
    topology.add_processor("any", Echo, "s").add_processor("fixed", EchoValues, "s")
    kinds = [
        node.operation.fixed_key
        for node in topology.nodes.values()
        if isinstance(node, ProcessorNode) and isinstance(node.operation, UserProcessor)
    ]
    assert kinds == [False, True]


def test_stores_of_a_processor_come_in_the_order_they_were_added() -> None:
    topology = Topology().add_source("s", "in").add_processor("p", Echo, "s")
    topology.add_state_store(store("one")).add_state_store(store("two"), "p")
    topology.connect_processor_and_state_stores("p", "one", "two")
    assert topology.stores_of("p") == ["two", "one"]
    assert topology.store_users() == {"two": ["p"], "one": ["p"]}


def test_the_same_store_may_be_added_again_for_another_processor() -> None:
    shared = store("shared")
    topology = Topology().add_source("s", "in")
    topology.add_processor("p", Echo, "s").add_processor("q", Echo, "s")
    topology.add_state_store(shared, "p").add_state_store(shared, "q")
    assert topology.store_users() == {"shared": ["p", "q"]}


def test_a_topic_may_be_written_by_many_and_by_its_own_reader() -> None:
    topology = Topology().add_source("s", "in").add_sink("k", "in", "s").add_sink("l", "in", "s")
    assert len(topology.nodes) == 3


def test_pictures_are_made_of_the_description() -> None:
    topology = Topology().add_source("s", "in").add_sink("k", "out", "s")
    assert "flowchart" in topology.to_mermaid()
    assert topology.to_svg().startswith("<svg")


@pytest.mark.parametrize("listed", ["s", ["s"], ("s",)])
def test_parents_may_be_listed(listed: Any) -> None:
    topology = Topology().add_source("s", "in")
    topology.add_processor("p", Echo, parents=listed).add_sink("k", "out", parents=["p"])
    plain = Topology().add_source("s", "in").add_processor("p", Echo, "s").add_sink("k", "out", "p")
    assert str(topology.describe()) == str(plain.describe())


class _Brings(Processor[Any, Any, Any, Any]):
    @staticmethod
    def stores() -> Any:
        return [_BROUGHT]


_BROUGHT = Stores.in_memory_key_value_store("brought")


def test_stores_of_a_supplier_are_added_and_connected() -> None:
    topology = Topology().add_source("in", "in").add_processor("a", _Brings, "in")
    topology.add_processor("b", _Brings, "in")
    assert list(topology.stores) == ["brought"]
    assert topology.store_users() == {"brought": ["a", "b"]}


@pytest.mark.parametrize(
    ("stores", "message"),
    [
        (
            staticmethod(lambda one: []),
            r"must take no arguments and return the stores of the processor; got a",
        ),
        (staticmethod(lambda: "s"), r"must return a list of stores, made with Stores; got 's'"),
        (staticmethod(lambda: ["s"]), r"takes a StoreBuilder; got 's'"),
        (staticmethod(lambda: _BROUGHT), r"must return a list of stores"),
    ],
)
def test_what_is_no_list_of_stores_is_refused(stores: Any, message: str) -> None:
    supplier = type("Wrong", (Processor,), {"stores": stores})
    with pytest.raises(TopologyError, match=message):
        Topology().add_source("in", "in").add_processor("a", supplier, "in")


@pytest.mark.parametrize("own", [lambda self: 5, ("a",), property(lambda self: 5)])
def test_what_a_processor_calls_stores_is_its_own_business(own: Any) -> None:
    supplier = type("Own", (Processor,), {"stores": own})
    assert not Topology().add_source("in", "in").add_processor("a", supplier, "in").stores


def test_a_supplier_may_bring_no_stores() -> None:
    supplier = type("None_", (Processor,), {"stores": staticmethod(lambda: None)})
    assert not Topology().add_source("in", "in").add_processor("a", supplier, "in").stores


def test_global_and_read_only_stores_take_no_other_stores() -> None:
    store = Stores.in_memory_key_value_store("s")
    for add in ("add_global_store", "add_read_only_state_store"):
        with pytest.raises(TopologyError, match=rf"{add} takes a supplier without stores"):
            getattr(Topology(), add)(store, "source", "topic", "processor", _Brings)


def test_a_read_only_store_is_restored_from_its_topic() -> None:
    store = Stores.in_memory_key_value_store("s")
    supplier: Any = type("Fill", (Processor,), {})
    topology = Topology().add_read_only_state_store(store, "source", "topic", "fill", supplier)
    source: Any = topology.nodes["source"]
    assert (source.topics, source.offset_reset) == (("topic",), "earliest")
    assert topology.source_changelogs == {"s": "topic"}
    assert not topology.stores["s"].logged
    with pytest.raises(TopologyError, match="already named 's'"):
        topology.add_read_only_state_store(store, "again", "other", "refill", supplier)
    assert "again" not in topology.nodes


def test_the_repr_says_how_much_there_is_and_how_to_see_it() -> None:
    shown = "; print(topology.describe()) shows them>"
    assert repr(Topology().add_source("in", "orders")) == f"<Topology of 1 node{shown}"
    assert repr(Topology()) == f"<Topology of 0 nodes{shown}"
