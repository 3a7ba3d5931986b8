"""Serdes that are passed one by one are explained, and signatures stay. (Whole messages:
tests/refusals.)
"""

# mypy: ignore-errors
# Wrong on purpose.

from __future__ import annotations

import inspect

import pytest

from penstock import Consumed, KStream, StreamsBuilder, TopologyError, serdes

TEXT = serdes.string()


@pytest.mark.parametrize(
    ("given", "named", "how"),
    [
        ((TEXT,), {}, "Consumed(value=serdes.string())"),
        ((serdes.long(), TEXT), {}, "Consumed(key=serdes.long(), value=serdes.string())"),
        ((), {"consumed": TEXT}, "Consumed(value=serdes.string())"),
        (
            (),
            {"key": serdes.long(), "value": TEXT},
            "Consumed(key=serdes.long(), value=serdes.string())",
        ),
        ((), {"value_serde": TEXT}, "Consumed(value=serdes.string())"),
    ],
)
@pytest.mark.parametrize("verb", ["stream", "table", "global_table"])
def test_how_to_write_it(verb: str, given: tuple, named: dict, how: str) -> None:
    with pytest.raises(TopologyError) as caught:
        getattr(StreamsBuilder(), verb)("topic", *given, **named)
    assert caught.value.message.startswith(f"{verb} takes a Consumed; got ")
    assert caught.value.message.endswith(f"; write {how}")


def test_a_serde_beside_the_option_is_meant_for_something_else() -> None:
    with pytest.raises(TopologyError, match=r"^table takes a Materialized; got serdes"):
        StreamsBuilder().table("topic", Consumed(TEXT, TEXT), TEXT)


def test_other_arguments_too_many_are_pythons_business() -> None:
    with pytest.raises(TypeError, match="positional arguments"):
        StreamsBuilder().stream("topic", None, None)


def test_signatures_stay() -> None:
    assert list(inspect.signature(StreamsBuilder.stream).parameters) == [
        "self",
        "topics",
        "consumed",
    ]
    assert list(inspect.signature(KStream.to).parameters) == ["self", "topic", "produced"]
