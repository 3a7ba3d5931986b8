"""A program of one file whose functions hold sentinels, caches and variables of the script."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import logging
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import KEEP, Enum, IntFlag
from typing import Any, ParamSpec, TypeVarTuple

import msgspec
import pydantic_core

from tests.unit.engine.spark.shipping import shipped_sentinels
from tests.unit.engine.spark.shipping.shipped_sentinels import (
    DEV,
    MISSING,
    NAMED,
    NOTHING,
    SETTINGS,
    SLOTTED,
    doubled,
)
from tests.unit.engine.spark.shipping.shipping_trip import send

P = ParamSpec("P")
Ts = TypeVarTuple("Ts")

_ABSENT: Any = object()
_UNSET = shipped_sentinels.Owner.UNSET
_log = logging.getLogger("shipped.program")
_seen: dict[str, int] = {}
_count = 0


class _ByName:
    def __reduce__(self) -> str:
        return "BY_NAME"


BY_NAME = _ByName()


class _Single:
    _instance: _Single | None = None

    def __new__(cls) -> _Single:
        if cls._instance is None:
            cls._instance = super().__new__(cls)
        return cls._instance


SINGLE = _Single()


class Weekday(str, Enum):  # noqa: UP042 - as in programs that are older than StrEnum
    MONDAY = "mon", "Monday"
    SUNDAY = "sun", "Sunday"

    long: str

    def __new__(cls, short: str, long: str) -> Weekday:
        made = str.__new__(cls, short.upper())
        made._value_ = short
        made.long = long
        return made


_weekday: Any = Weekday


class Bits(IntFlag, boundary=KEEP):
    A = 1
    C = 4
    A_AND_C = 5
    HIGH = 8 | 16


class Circle:
    def __init__(self, radius: int) -> None:
        self.radius = radius

    @functools.cached_property
    def area(self) -> int:
        return self.radius * 3

    @functools.singledispatchmethod
    def told(self, what: object) -> str:
        return f"object {what}"

    @told.register
    def _(self, what: int) -> str:
        return f"int {what}"


@dataclass
class Job:
    name: str
    when: Any = _ABSENT
    notes: list[str] = field(default_factory=list)


@functools.cache
def cached(number: int) -> int:
    return number * 3


@functools.lru_cache(maxsize=2, typed=True)
def cached_a_little(number: int) -> int:
    return number * 4


@functools.singledispatch
def dispatched(what: object) -> str:
    return f"object {what}"


@dispatched.register
def _(what: int) -> str:
    return f"int {what}"


partly = functools.partial(shipped_sentinels.names, NOTHING)


def find(key: str, default: Any = _ABSENT) -> Any:
    return "absent" if default is _ABSENT else default


def give_absent() -> Any:
    return _ABSENT


def write(key: str) -> None:
    global _count  # noqa: PLW0603 - what a script does
    _seen[key] = 1
    _count += 1


def read() -> tuple[int, list[str]]:
    return _count, sorted(_seen)


def _of_modules() -> list[object]:
    first = dataclasses.fields(Job)[0]
    return [
        first.default is dataclasses.MISSING,
        first.default_factory is dataclasses.MISSING,
        first._field_type is dataclasses._FIELD,  # type: ignore[attr-defined]
        inspect.signature(find).parameters["key"].default is inspect.Parameter.empty,
        [held is known() for held, known in _HELD],
        shipped_sentinels.names(NOTHING, MISSING, NAMED, SLOTTED, _UNSET),
        partly(),
        doubled is shipped_sentinels.doubled,
        _log is logging.getLogger("shipped.program"),
        SETTINGS.mode,
        (DEV.name, DEV.address),
    ]


_HELD: list[tuple[object, Callable[[], object]]] = [
    (dataclasses.KW_ONLY, lambda: dataclasses.KW_ONLY),
    (dataclasses._HAS_DEFAULT_FACTORY, lambda: dataclasses._HAS_DEFAULT_FACTORY),  # type: ignore[attr-defined]
    (dataclasses._FIELD_INITVAR, lambda: dataclasses._FIELD_INITVAR),  # type: ignore[attr-defined]
    (msgspec.UNSET, lambda: msgspec.UNSET),
    (msgspec.NODEFAULT, lambda: msgspec.NODEFAULT),
    (pydantic_core.PydanticUndefined, lambda: pydantic_core.PydanticUndefined),
    (..., lambda: ...),
    (NotImplemented, lambda: NotImplemented),
    (inspect.Parameter.empty, lambda: inspect.Parameter.empty),
]


def _of_the_script() -> list[object]:
    return [
        find("k"),
        find("k", give_absent()),
        Job("a").when is _ABSENT,
        type(BY_NAME).__name__,
        _Single() is SINGLE,
        (repr(P), repr(Ts)),
        (cached(2), cached(2), cached_a_little(2), cached_a_little.cache_parameters()),
        (dispatched(1), dispatched("a"), Circle(1).told(1), Circle(1).told("a"), Circle(2).area),
        (_weekday("sun"), Weekday.SUNDAY.long, str.__str__(Weekday.SUNDAY), list(Weekday)),
        (Bits.A_AND_C, Bits["A_AND_C"], Bits(6), list(Bits), Bits.HIGH),
    ]


def observe() -> list[str]:
    """Return all that depends on objects being themselves."""
    write("a")
    write("b")
    return [repr(told) for told in (*_of_modules(), *_of_the_script(), read())]


if __name__ == "__main__":
    SETTINGS.mode = "fast"
    DEV.address = "prod-host"
    cached(2)
    send(observe, sys.argv[1])
