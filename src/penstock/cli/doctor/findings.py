"""Findings: the results of checks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from penstock.errors import StreamsError

Status: TypeAlias = Literal["ok", "warning", "failed", "skipped"]


@dataclass(frozen=True, slots=True)
class Finding:
    """What was looked at, how it is, and what to do about it."""

    name: str
    status: Status
    told: str
    fix: str = ""


def checked(name: str, check: Callable[[], Finding]) -> Finding:
    """Return what a check finds; what it raises is a fault."""
    try:
        return check()
    except StreamsError as error:
        return fault(name, error)


def fault(name: str, error: StreamsError) -> Finding:
    """Return an error as a finding: what stands behind its last semicolon says what to do, as in
    all our errors.
    """
    told, _, fix = str(error).rpartition("; ")
    return Finding(name, "failed", told or fix, fix if told else "")
