"""Serdes are pickled to reach the workers: with cloudpickle, as Spark does it.

The hard part are classes of the user's main script. They travel by value, so they must be fit to
be pickled after a serde was made for them, and must be understood where their module is not.
"""

from __future__ import annotations

import importlib
import importlib.util
import pickle
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec
import pytest

from penstock import Windowed, serdes
from penstock.serdes import HeaderPairs, Serde
from penstock.serdes.changes import ChangeSerde
from penstock.serdes.documents import JsonSerde
from penstock.serdes.foreign_key import AnswerKeySerde
from penstock.serdes.plain import BytesSerde
from penstock.serdes.wrapping import completed

MAIN_SCRIPT = """
from __future__ import annotations

import sys
from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum
from typing import NamedTuple, TypedDict

from penstock import serdes

cloudpickle = __import__("{cloudpickle}", fromlist=["dumps"])


class Status(Enum):
    OPEN = "open"


@dataclass
class Item:
    price: Decimal


@dataclass
class Base:
    id: str


@dataclass
class Order(Base):
    status: Status
    items: list[Item] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Payment:
    amount: Decimal
    status: Status = Status.OPEN


@dataclass
class Tree:
    children: list[Tree] = field(default_factory=list)


class Reading(TypedDict):
    value: Decimal


class Point(NamedTuple):
    x: Decimal


VALUES = [
    (Order, Order("o-1", Status.OPEN, [Item(Decimal("1.5"))])),
    (list[Order], [Order("o-1", Status.OPEN)]),
    (Payment, Payment(Decimal("2.5"))),
    (Tree, Tree([Tree()])),
    (Reading, {{"value": Decimal("3.5")}}),
    (Point, Point(Decimal("4.5"))),
    (Status, Status.OPEN),
]
shipped = []
for of, value in VALUES:
    serde = serdes.json(of)
    serde.decode(serde.encode(value))
    # The function comes first: its class is pickled before the serde is.
    shipped.append((lambda value, of=of: (of, Item, value), serde, serde.encode(value)))
sys.stdout.buffer.write(cloudpickle.dumps(shipped))
"""

WORKER_SCRIPT = """
import pickle, sys
shipped = pickle.loads(sys.stdin.buffer.read())
for function, serde, data in shipped:
    assert serde.encode(serde.decode(data)) == data, serde
    function(serde.decode(data))
print([repr(serde) for _, serde, _ in shipped])
"""


@dataclass
class Known:
    """A class of a module that workers can import."""

    id: str
    next: Known | None = None


class Event(msgspec.Struct):
    """A struct of a module that workers can import."""

    id: str


@pytest.fixture(scope="module")
def cloudpickle() -> str:
    for name in ("cloudpickle", "pyspark.cloudpickle"):
        try:
            importlib.import_module(name)
        except ImportError:
            continue
        return name
    pytest.skip("needs cloudpickle, which PySpark brings along")


@pytest.mark.parametrize(
    ("serde", "value"),
    [
        (serdes.string(), "a"),
        (serdes.bytes(), b"a"),
        (serdes.short(), 1),
        (serdes.integer(), 1),
        (serdes.long(), 1),
        (serdes.float(), 1.5),
        (serdes.double(), 1.5),
        (serdes.boolean(), True),
        (serdes.uuid(), UUID(int=1)),
        (serdes.json(), {"a": 1}),
        (serdes.json(dict[str, int]), {"a": 1}),
        (serdes.json(Known), Known("a", Known("b"))),
        (serdes.json(Event), Event("a")),
        (serdes.of(str.encode, bytes.decode, name="text"), "a"),
    ],
    ids=repr,
)
def test_a_serde_is_the_same_after_pickling(serde: Serde[Any], value: Any) -> None:
    arrived = pickle.loads(pickle.dumps(serde))

    assert arrived == serde
    assert arrived.decode(arrived.encode(value)) == value


def test_void_is_the_same_after_pickling() -> None:
    assert pickle.loads(pickle.dumps(serdes.void())) == serdes.void()


def test_lambdas_and_local_classes_travel(cloudpickle: str) -> None:
    @dataclass
    class Local:
        id: str

    dumps = importlib.import_module(cloudpickle).dumps
    upper = serdes.of(lambda text: text.upper().encode(), lambda data: data.decode())

    assert pickle.loads(dumps(upper)).encode("a") == b"A"
    assert pickle.loads(dumps(serdes.json(Local))).encode(Local("a")) == b'{"id":"a"}'


def test_a_struct_that_workers_cannot_import_is_refused() -> None:
    class Local(msgspec.Struct):
        id: str

    with pytest.raises(pickle.PicklingError) as caught:
        pickle.dumps(serdes.json(list[Local]))

    assert str(caught.value) == (
        f"msgspec.Struct {Local.__qualname__} cannot be sent to workers: it is not at the top "
        f"level of a module they can import (it is in {__name__}); "
        "move it to a module, or make it a dataclass"
    )


@pytest.mark.slow
def test_classes_of_the_main_script_arrive_in_another_process(
    cloudpickle: str, tmp_path: Path
) -> None:
    script = tmp_path / "main_script.py"
    script.write_text(MAIN_SCRIPT.format(cloudpickle=cloudpickle))

    shipped = subprocess.run([sys.executable, script], check=True, capture_output=True).stdout
    arrived = subprocess.run(
        [sys.executable, "-c", WORKER_SCRIPT], input=shipped, check=True, capture_output=True
    ).stdout.decode()

    names = ["Order", "list[Order]", "Payment", "Tree", "Reading", "Point", "Status"]
    assert arrived.strip() == str([f"serdes.json({name})" for name in names])


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("pydantic") is None, reason="needs pydantic")
def test_pydantic_models_of_the_main_script_arrive_in_another_process(
    cloudpickle: str, tmp_path: Path
) -> None:
    script = tmp_path / "main_script.py"
    script.write_text(
        "from __future__ import annotations\n"
        "import sys\n"
        "from decimal import Decimal\n"
        "from pydantic import BaseModel\n"
        "from penstock import serdes\n"
        f"from {cloudpickle} import dumps\n"
        "class Item(BaseModel):\n"
        "    price: Decimal\n"
        "class Order(BaseModel):\n"
        "    items: list[Item]\n"
        "serde = serdes.json(Order)\n"
        "data = serde.encode(Order(items=[Item(price=Decimal('1.5'))]))\n"
        "sys.stdout.buffer.write(dumps([(lambda value: (Order, value), serde, data)]))\n"
    )

    shipped = subprocess.run([sys.executable, script], check=True, capture_output=True).stdout
    arrived = subprocess.run(
        [sys.executable, "-c", WORKER_SCRIPT], input=shipped, check=True, capture_output=True
    ).stdout.decode()

    assert arrived.strip() == "['serdes.json(Order)']"


class InCapitals(Serde[str]):
    """A serde of the user, run by its `encode` and `decode`."""

    def encode(self, value: str, /) -> bytes:
        return value.upper().encode()

    def decode(self, data: bytes, /) -> str:
        return data.decode()


class OfTopic(InCapitals):
    """One that wants to know the topic."""

    def serialize(self, topic: str, value: str | None, headers: HeaderPairs = ()) -> bytes | None:
        del headers
        return None if value is None else f"{topic}/{value}".encode()


@pytest.mark.parametrize("inner", [serdes.string(), serdes.json(Known), InCapitals(), OfTopic()])
@pytest.mark.parametrize(
    "wrapping",
    [
        lambda inner: serdes.time_windowed(inner, 5000),
        serdes.session_windowed,
        ChangeSerde,
        AnswerKeySerde,
    ],
)
def test_a_serde_around_another_travels_when_it_is_ready_for_use(
    wrapping: Callable[[Serde[Any] | None], Serde[Any]], inner: Serde[Any]
) -> None:
    value = Known("a") if isinstance(inner, JsonSerde) else "a"
    for serde in (wrapping(inner), wrapping(None)):
        ready = completed(serde, lambda: inner, lambda: inner)
        arrived = pickle.loads(pickle.dumps(ready))
        given: Any = Windowed(value, 5000, 10_000)
        if isinstance(serde, ChangeSerde):
            given = value, value
        elif isinstance(serde, AnswerKeySerde):
            given = b"a" if isinstance(ready, BytesSerde) else value
        data = ready.serialize("orders", given)
        assert data is not None
        assert arrived.serialize("orders", given) == data
        assert arrived.deserialize("orders", data) == ready.deserialize("orders", data)
        assert type(arrived) is type(ready)
