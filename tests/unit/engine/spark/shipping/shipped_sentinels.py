"""A module that workers can import, with sentinels of all makes and functions that know them."""

from __future__ import annotations

import functools
from typing import Final


class _Missing:
    def __bool__(self) -> bool:
        return False


class _Named:
    def __init__(self, name: str) -> None:
        self.name = name


class _Slotted:
    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name


class Owner:
    """A class with a sentinel of its own."""

    UNSET: Final = object()


class Settings:
    """Has data, so it is no sentinel."""

    def __init__(self) -> None:
        self.mode = "slow"


class Host:
    """Has a name and data, all of it text."""

    def __init__(self, name: str, address: str) -> None:
        self.name = name
        self.address = address


NOTHING: Final = object()
MISSING: Final = _Missing()
NAMED: Final = _Named("<named>")
SLOTTED: Final = _Slotted("sentinels.SLOTTED")
SETTINGS: Final = Settings()
DEV: Final = Host("dev", "localhost")


@functools.cache
def doubled(number: int) -> int:
    """Return twice `number`."""
    return number * 2


def names(*values: object) -> list[str]:
    """Return the names of sentinels of this module; a copy of one has none."""
    known = {
        "NOTHING": NOTHING,
        "MISSING": MISSING,
        "NAMED": NAMED,
        "SLOTTED": SLOTTED,
        "UNSET": Owner.UNSET,
    }
    return [next((name for name, it in known.items() if it is value), "?") for value in values]
