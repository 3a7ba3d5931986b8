"""Struct classes of a main script reach another process whole: fields, options and methods."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import msgspec
import pytest

from penstock._engine.spark.shipping.struct_classes import must_be_sent

SENDER = '''
import sys

import msgspec

from penstock import serdes
from penstock._engine.spark.shipping.shipping import dumps


class Item(msgspec.Struct, rename="camel"):
    item_id: int
    tags: list[str] = msgspec.field(default_factory=list)


class Order(msgspec.Struct, frozen=True, tag="order"):
    """An order."""

    user: str
    items: list[Item]
    amount: float = 1.0

    def __post_init__(self):
        if self.amount < 0:
            raise ValueError("negative")

    @property
    def size(self):
        return len(self.items)

    def twice(self):
        return Order(self.user, self.items, self.amount * 2)


def show(order):
    return repr(order.twice()), order.size, isinstance(order, Order)


open(sys.argv[1], "wb").write(dumps((serdes.json(Order), show)))
'''

RECEIVER = """
import pickle
import sys

serde, show = pickle.load(open(sys.argv[1], "rb"))
order = serde.decode(b'{"type":"order","user":"u","items":[{"itemId":1}]}')
print(serde.encode(order).decode())
print(*show(order), type(order).__doc__)
try:
    serde.decode(b'{"type":"order","user":"u","items":[],"amount":-2}')
except Exception as error:
    print(type(error).__name__)
"""


@pytest.mark.slow
def test_a_class_of_the_main_script_arrives_whole(tmp_path: Path) -> None:
    sender = tmp_path / "sender.py"
    sender.write_text(SENDER)
    pickled = str(tmp_path / "order.pickle")
    subprocess.run([sys.executable, str(sender), pickled], check=True)
    received = subprocess.run(
        [sys.executable, "-c", RECEIVER, pickled], check=True, capture_output=True, text=True
    )
    assert received.stdout == textwrap.dedent("""\
        {"type":"order","user":"u","items":[{"itemId":1,"tags":[]}],"amount":1.0}
        Order(user='u', items=[Item(item_id=1, tags=[])], amount=2.0) 1 True An order.
        SerializationError
    """)


class AtTheTop(msgspec.Struct):
    """A class that others can import."""

    a: int


def test_only_classes_that_cannot_be_imported_are_sent() -> None:
    class Inside(msgspec.Struct):
        a: int

    assert must_be_sent(Inside)
    assert not must_be_sent(AtTheTop)
    assert not must_be_sent(int)
    assert not must_be_sent("AtTheTop")
