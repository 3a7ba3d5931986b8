"""Results that explain themselves: each figure of an estimate has a unit and an explanation."""

from __future__ import annotations

from dataclasses import field, fields
from typing import Any, NamedTuple


class Figure(NamedTuple):
    """One number of an estimate."""

    name: str
    value: float
    unit: str
    how: str


def figure(unit: str, how: str) -> Any:
    """Declare a figure of an estimate, a field of its dataclass."""
    return field(metadata={"unit": unit, "how": how})


def figures_of(estimate: Any) -> list[Figure]:
    """Return the figures of an estimate, with units and explanations.

    >>> from penstock.capacity import figures_of, hopping_factor
    >>> figures_of(hopping_factor(window_size_ms=300_000, advance_ms=60_000))[0].how
    'window size / advance, rounded up'
    """
    return [
        Figure(part.name, getattr(estimate, part.name), part.metadata["unit"], part.metadata["how"])
        for part in fields(estimate)
    ]


def check_positive(**values: float) -> None:
    """Refuse what is not above 0."""
    for name, value in values.items():
        if not value > 0:
            msg = f"{name} must be above 0; got {value}"
            raise ValueError(msg)


def check_not_negative(**values: float) -> None:
    """Refuse what is below 0."""
    for name, value in values.items():
        if not value >= 0:
            msg = f"{name} must not be negative; got {value}"
            raise ValueError(msg)
