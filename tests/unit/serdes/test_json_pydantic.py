"""JSON of pydantic models: told by their two methods, so a class with the same methods will do."""

from __future__ import annotations

import json
from typing import Any

import pytest

from penstock import serdes
from penstock.errors import SerializationError


class LooksLikePydantic:
    """The part of a pydantic model that the serde uses."""

    def __init__(self, name: str) -> None:
        self.name = name

    @classmethod
    def model_validate_json(cls, data: bytes) -> LooksLikePydantic:
        return cls(json.loads(data)["first-name"])

    def model_dump_json(self, *, by_alias: bool) -> str:
        return json.dumps({"first-name" if by_alias else "name": self.name})


def test_the_model_reads_and_writes_itself_by_alias() -> None:
    serde = serdes.json(LooksLikePydantic)

    assert serde.encode(LooksLikePydantic("Zoë")) == b'{"first-name": "Zo\\u00eb"}'
    assert serde.decode(b'{"first-name": "Ada"}').name == "Ada"


def test_a_value_error_of_the_model_is_explained() -> None:
    with pytest.raises(
        SerializationError, match="cannot read JSON as LooksLikePydantic: Expecting"
    ):
        serdes.json(LooksLikePydantic).decode(b"{")


def test_an_object_of_another_class_is_refused() -> None:
    other: Any = {"first-name": "Ada"}

    with pytest.raises(TypeError, match=r"serdes\.json\(LooksLikePydantic\) writes"):
        serdes.json(LooksLikePydantic).encode(other)


def test_a_model_inside_another_type_is_refused_with_the_way_out() -> None:
    with pytest.raises(TypeError, match="make the whole type a pydantic model or RootModel"):
        serdes.json(list[LooksLikePydantic])


def test_equality_and_repr_are_those_of_the_call() -> None:
    assert serdes.json(LooksLikePydantic) == serdes.json(LooksLikePydantic)
    assert repr(serdes.json(LooksLikePydantic)) == "serdes.json(LooksLikePydantic)"


class TestRealModels:
    """With pydantic itself, if it is installed."""

    @pytest.fixture
    def order(self) -> Any:
        pydantic = pytest.importorskip("pydantic")
        return pydantic.create_model(
            "Order", id=(str, ...), amount=(int, pydantic.Field(alias="amountCents")), tax=(int, 0)
        )

    def test_orders_come_back(self, order: Any) -> None:
        serde = serdes.json(order)
        value = order(id="o-1", amountCents=250)

        assert serde.encode(value) == b'{"id":"o-1","amountCents":250,"tax":0}'
        assert serde.decode(serde.encode(value)) == value

    def test_the_message_has_reason_and_place(self, order: Any) -> None:
        with pytest.raises(SerializationError) as caught:
            serdes.json(order).decode(b'{"id":"o-1","amountCents":"x"}')

        assert str(caught.value) == (
            "cannot read JSON as Order: Input should be a valid integer, unable to parse string as "
            'an integer at $.amountCents; data: b\'{"id":"o-1","amountCents":"x"}\''
        )

    def test_the_other_errors_are_counted(self, order: Any) -> None:
        with pytest.raises(SerializationError, match=r"Field required at \$\.id \(and 1 more\)"):
            serdes.json(order).decode(b"{}")
