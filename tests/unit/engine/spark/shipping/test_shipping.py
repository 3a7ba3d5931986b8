"""What is shipped is the same where it arrives: types, sentinels, caches, variables of a script.

Two processes are needed: in one, cloudpickle finds its own classes again.
"""

from __future__ import annotations

import json
import os
import pickle
import struct
import subprocess
import sys
import threading
from dataclasses import MISSING
from enum import Enum
from importlib import import_module
from importlib.machinery import ModuleSpec
from itertools import count
from pathlib import Path
from pickle import PicklingError
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from penstock._engine.spark.shipping.dict_enum_classes import reduce_dict_or_enum
from penstock._engine.spark.shipping.sentinels import (
    SentinelPlaces,
    find_sentinel,
    looks_like_sentinel,
)
from penstock._engine.spark.shipping.shipping import dumps
from tests.meanwhile import at_collections, at_instructions, names_of_many

HERE = Path(__file__).parent
PACKAGE = "tests.unit.engine.spark.shipping"
AS_MODULE = f"""
import sys
from {PACKAGE} import {{name}}, shipping_trip
shipping_trip.send({{name}}.observe, sys.argv[1])
"""
ONE_DATACLASS = """
import sys
from dataclasses import dataclass
from penstock import serdes
from tests.unit.engine.spark.shipping.shipping_trip import send

@dataclass
class Order:
    id: str
    amount: int

ORDERS = serdes.json(Order)

def observe():
    try:
        return [repr(ORDERS.decode(b'{"id":"a"}'))]
    except Exception as error:
        return [str(error)]

send(observe, sys.argv[1])
"""
SHAPES = """
import enum
import functools
import msgspec

class Colour(enum.Enum):
    RED = 1
    CRIMSON = 1

class Shape(msgspec.Struct):
    size: int = 0
    colour: "Colour" = Colour.RED

@functools.cache
def area(size):
    return Shape(size).size ** 2
"""
BY_VALUE = """
import os
import sys
import msgspec
import shapes
from pyspark import cloudpickle
from shapes import Colour, Shape, area
from tests.unit.engine.spark.shipping.shipping_trip import send

cloudpickle.register_pickle_by_value(shapes)

def observe():
    shape = msgspec.json.decode(b'{"size":3}', type=Shape)
    return [repr(shape), repr(list(Colour.__members__)), repr(area(4))]

send(observe, sys.argv[1])
os.remove(shapes.__file__)
"""


def trip(sender: list[str], folder: Path) -> tuple[list[str], list[str]]:
    """Return what a program tells at home and in another process."""
    environment = {**os.environ, "PYTHONPATH": str(HERE.parents[4])}
    there = str(folder / "shipped")
    subprocess.run([sys.executable, *sender, there], check=True, env=environment)
    trip = [sys.executable, str(HERE / "shipping_trip.py"), there]
    told = subprocess.run(trip, check=True, env=environment, capture_output=True, text=True)
    at_home, arrived = json.loads(told.stdout)
    return at_home, arrived


def without_future(name: str, folder: Path) -> str:
    """Write a copy of a program whose annotations are no text but where they must be."""
    text = (HERE / f"{name}.py").read_text().replace("from __future__ import annotations\n", "")
    for later in (
        "Clock | None",
        "list[Tree]",
        "Linked | None",
        "list[StructTree]",
        "Invoice | None",
    ):
        text = text.replace(later, f'"{later}"')
    for later in ("Planet", "Plan", "Tolerant"):
        text = text.replace(f"-> {later}:", f'-> "{later}":')
    copy = folder / f"{name}.py"
    copy.write_text(text)
    return str(copy)


@pytest.mark.slow
def test_a_dataclass_of_the_main_script_keeps_its_required_fields(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(ONE_DATACLASS)
    assert trip([str(script)], tmp_path)[1] == [
        'cannot read JSON as Order: Object missing required field `amount`; data: b\'{"id":"a"}\''
    ]


@pytest.mark.slow
@pytest.mark.parametrize("sent_as", ["script", "script without future", "module"])
def test_required_fields_and_all_else_of_a_type_are_the_same_on_a_worker(
    sent_as: str, tmp_path: Path
) -> None:
    pytest.importorskip("pydantic")
    path = str(HERE / "shipped_types.py")
    senders = {
        "script": lambda: [path],
        "script without future": lambda: [without_future("shipped_types", tmp_path)],
        "module": lambda: ["-c", AS_MODULE.format(name="shipped_types")],
    }
    at_home, arrived = trip(senders[sent_as](), tmp_path)
    assert at_home == arrived
    refused = [told for told in arrived if "SerializationError" in told]
    assert len(refused) == 74
    assert not [told for told in arrived if "_MISSING_TYPE" in told or "NameError" in told]


@pytest.mark.slow
@pytest.mark.parametrize("sent_as", ["script", "module"])
def test_sentinels_and_variables_of_a_script_are_themselves_on_a_worker(
    sent_as: str, tmp_path: Path
) -> None:
    sender = {
        "script": [str(HERE / "shipped_objects.py")],
        "module": ["-c", AS_MODULE.format(name="shipped_objects")],
    }
    at_home, arrived = trip(sender[sent_as], tmp_path)
    assert at_home == arrived
    assert "['NOTHING', 'MISSING', 'NAMED', 'SLOTTED', 'UNSET']" in arrived
    assert f"('dev', '{'prod-host' if sent_as == 'script' else 'localhost'}')" in arrived


@pytest.mark.slow
def test_a_module_that_is_registered_to_be_sent_needs_not_be_there(tmp_path: Path) -> None:
    (tmp_path / "shapes.py").write_text(SHAPES)
    script = tmp_path / "script.py"
    script.write_text(BY_VALUE)
    at_home, arrived = trip([str(script)], tmp_path)
    assert arrived == at_home
    assert arrived == [
        "Shape(size=3, colour=<Colour.RED: 1>)",
        "['RED', 'CRIMSON']",
        "16",
    ]


def test_all_that_is_sent_brings_the_paths_of_the_driver(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = list(sys.path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *before])
    (tmp_path / "only_the_driver_has_it.py").write_text("def rate(): return 'mine'")
    packed = dumps(import_module("only_the_driver_has_it").rate)
    del sys.modules["only_the_driver_has_it"]
    monkeypatch.setattr(sys, "path", before)
    try:
        assert pickle.loads(packed)() == "mine"
    finally:
        del sys.modules["only_the_driver_has_it"]


def test_a_lock_of_the_script_is_refused() -> None:
    lock = threading.Lock()
    with pytest.raises(TypeError, match=r"cannot pickle '_thread.lock' object"):
        dumps(lambda: lock)


class KnownByName:
    """Its objects say under which name their module has them."""

    def __init__(self, module: str) -> None:
        self.__module__ = module

    def __reduce__(self) -> str:
        return "NAME"


def test_what_only_the_main_script_has_by_that_name_is_refused() -> None:
    held = KnownByName("__main__")
    with pytest.raises(PicklingError) as caught:
        dumps(lambda: held)
    assert str(caught.value) == (
        f"{__name__}.KnownByName 'NAME' is found by its name in the main script, which workers "
        "cannot import; move it to a module of its own"
    )


def test_data_is_no_sentinel() -> None:
    assert looks_like_sentinel(MISSING)
    assert not looks_like_sentinel(None)
    assert not looks_like_sentinel(threading.Lock())
    assert not looks_like_sentinel(Path())
    assert not looks_like_sentinel(struct.Struct("q"))


def test_a_sentinel_is_found_where_its_class_is() -> None:
    assert SentinelPlaces().find(MISSING) == ("dataclasses", "MISSING")
    assert SentinelPlaces().find(object()) is None


def test_a_sentinel_that_the_driver_has_put_into_a_module_is_put_there_once() -> None:
    sys.modules["shipped_by_the_driver"] = ModuleType("shipped_by_the_driver")
    try:
        made = find_sentinel("shipped_by_the_driver", "PUT", object)
        assert find_sentinel("shipped_by_the_driver", "PUT", object) is made
    finally:
        del sys.modules["shipped_by_the_driver"]


@pytest.mark.parametrize("changed", ["modules", "module", "class"])
def test_other_threads_may_import_and_set_names_during_a_search(
    changed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Programs that start side by side import the engine at once."""
    sentinel, many = object(), dict.fromkeys(names_of_many())
    cls = type("Holder", (), {**many, "__module__": "searched", "MISSING": sentinel})
    module = ModuleType("searched")
    vars(module).update(many, Holder=cls, __spec__=ModuleSpec("searched", None))
    modules = {**many, "searched": module}
    searched = "penstock._engine.spark.shipping.sentinels.sys"
    monkeypatch.setattr(searched, SimpleNamespace(modules=modules))

    def change() -> None:
        if changed == "modules":
            if modules.pop("new", None) is None:
                modules["new"] = module
        else:
            holder: Any = module if changed == "module" else cls
            if hasattr(holder, "new"):
                del holder.new
            else:
                holder.new = 1

    with at_collections(change):
        place = SentinelPlaces().find(sentinel)
    assert place == ("searched", "Holder.MISSING")


def test_another_thread_may_set_attributes_of_what_is_looked_at() -> None:
    """As SparkSession does when its settings are asked for; a search looks at each session."""
    numbers = count()
    looked_at = Settings()

    with at_instructions(lambda: setattr(looked_at, f"new_{next(numbers)}", 1)):
        assert not looks_like_sentinel(looked_at)


class Settings:
    """Has data."""

    def __init__(self) -> None:
        self.first, self.second = 1, 2


def test_another_thread_may_make_a_codec_of_an_enum_that_is_sent() -> None:
    class Colour(Enum):
        RED = 1
        BLUE = 2

    Colour.__module__ = "__main__"

    def change() -> None:
        if "__msgspec_cache__" in vars(Colour):
            type.__delattr__(Colour, "__msgspec_cache__")
        else:
            type.__setattr__(Colour, "__msgspec_cache__", None)

    with at_instructions(change):
        reduced = reduce_dict_or_enum(Colour)
    assert reduced is not None
