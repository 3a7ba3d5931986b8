"""KStream: each verb draws one node, named as Java names it."""

from __future__ import annotations

from typing import Any

import pytest

from penstock import (
    Consumed,
    FixedKeyProcessor,
    KStream,
    Named,
    Printed,
    Processor,
    Produced,
    StreamsBuilder,
    serdes,
)
from penstock._engine.topology.nodes.stream_nodes import SinkNode


class Echo(Processor[Any, Any, Any, Any]):
    pass


class EchoValues(FixedKeyProcessor[Any, Any, Any]):
    pass


Stream = KStream[Any, Any]

VERBS: dict[str, Any] = {
    "KSTREAM-FILTER": lambda s, **n: s.filter(lambda k, v: True, **n),
    "KSTREAM-FILTER (not)": lambda s, **n: s.filter_not(lambda k, v: True, **n),
    "KSTREAM-MAP": lambda s, **n: s.map(lambda k, v: (k, v), **n),
    "KSTREAM-MAPVALUES": lambda s, **n: s.map_values(lambda v: v, **n),
    "KSTREAM-MAPVALUES (key)": lambda s, **n: s.map_values_with_key(lambda k, v: v, **n),
    "KSTREAM-FLATMAP": lambda s, **n: s.flat_map(lambda k, v: [], **n),
    "KSTREAM-FLATMAPVALUES": lambda s, **n: s.flat_map_values(lambda v: [], **n),
    "KSTREAM-FLATMAPVALUES (key)": lambda s, **n: s.flat_map_values_with_key(lambda k, v: [], **n),
    "KSTREAM-KEY-SELECT": lambda s, **n: s.select_key(lambda k, v: v, **n),
    "KSTREAM-PEEK": lambda s, **n: s.peek(lambda k, v: None, **n),
    "KSTREAM-FOREACH": lambda s, **n: s.for_each(lambda k, v: None, **n),
    "KSTREAM-BRANCH": lambda s, **n: s.split(**n),
    "KSTREAM-MERGE": lambda s, **n: s.merge(s.filter(lambda k, v: True, named="other"), **n),
    "KSTREAM-PROCESSOR": lambda s, **n: s.process(Echo, **n),
    "KSTREAM-PROCESSVALUES": lambda s, **n: s.process_values(EchoValues, **n),
}


def last_node(verb: Any, **named: Any) -> str:
    builder = StreamsBuilder()
    verb(builder.stream("in"), **named)
    return list(builder.build().nodes)[-1]


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_draws_a_node_of_its_name(verb: str) -> None:
    name, _, number = last_node(VERBS[verb]).rpartition("-")
    assert name == verb.partition(" ")[0]
    assert number in {"0000000001", "0000000002"}


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_takes_a_name(verb: str) -> None:
    assert last_node(VERBS[verb], named="mine") == "mine"
    assert last_node(VERBS[verb], named=Named("mine")) == "mine"


def test_sinks_and_printers_are_named_by_their_options() -> None:
    assert last_node(lambda s: s.to("out")) == "KSTREAM-SINK-0000000001"
    assert last_node(lambda s: s.to("out", Produced(name="mine"))) == "mine"
    assert last_node(lambda s: s.print()) == "KSTREAM-PRINTER-0000000001"
    assert last_node(lambda s: s.print(Printed.to_sys_out(name="mine"))) == "mine"


def test_a_handle_does_not_change_when_a_verb_is_said() -> None:
    builder = StreamsBuilder()
    stream = builder.stream("in")
    assert stream.filter(lambda k, v: True) is not stream
    stream.to("one")
    stream.to("two")
    sinks = [node for node in builder.build().nodes.values() if isinstance(node, SinkNode)]
    assert {sink.parents for sink in sinks} == {("KSTREAM-SOURCE-0000000000",)}


@pytest.mark.parametrize(
    ("verb", "keeps_key_serde", "keeps_value_serde"),
    [
        (lambda s: s.filter(lambda k, v: True), True, True),
        (lambda s: s.filter_not(lambda k, v: True), True, True),
        (lambda s: s.peek(lambda k, v: None), True, True),
        (lambda s: s.map_values(lambda v: v), True, False),
        (lambda s: s.flat_map_values(lambda v: [v]), True, False),
        (lambda s: s.process_values(EchoValues), True, False),
        (lambda s: s.select_key(lambda k, v: k), False, True),
        (lambda s: s.map(lambda k, v: (k, v)), False, False),
        (lambda s: s.flat_map(lambda k, v: [(k, v)]), False, False),
        (lambda s: s.process(Echo), False, False),
        (lambda s: s.merge(s), False, False),
        (lambda s: s.split(named="s-").default_branch()["s-0"], True, True),
    ],
)
def test_a_sink_inherits_the_serdes_that_no_verb_made_unsure(
    verb: Any, keeps_key_serde: bool, keeps_value_serde: bool
) -> None:
    key, value = serdes.string(), serdes.long()
    builder = StreamsBuilder()
    verb(builder.stream("in", Consumed(key=key, value=value))).to("out", Produced(name="sink"))
    sink = builder.build().nodes["sink"]
    assert isinstance(sink, SinkNode)
    assert sink.key_serde == (key if keeps_key_serde else None)
    assert sink.value_serde == (value if keeps_value_serde else None)
