"""The serdes of which nobody can tell how they run: our own, for values that are common.

What they do with good keys and values may be done by functions of C with no bytecode in between.
What is not good goes the plain way, which explains it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from penstock.serdes import Serde
from penstock.serdes.contract import BuiltInSerde
from penstock.serdes.documents import JsonSerde
from penstock.serdes.numbers import FloatSerde, IntegerSerde
from penstock.serdes.plain import BytesSerde, StringSerde

# A class derived from one is the user's.
_OWN: Final = frozenset({BytesSerde, FloatSerde, IntegerSerde, JsonSerde, StringSerde})


def decoder_of_good(serde: Serde[Any]) -> Callable[[bytes], Any] | None:
    """Give what decodes good data and raises for other; None if the serde is the user's."""
    if isinstance(serde, BuiltInSerde) and type(serde) in _OWN:
        return serde.decode_good
    return None


def encoder_of_good(serde: Serde[Any]) -> tuple[type, Callable[[Any], bytes]] | None:
    """Give a class and what encodes its instances or raises; None if the serde is the user's."""
    if isinstance(serde, BuiltInSerde) and type(serde) in _OWN:
        return serde.encode_good
    return None
