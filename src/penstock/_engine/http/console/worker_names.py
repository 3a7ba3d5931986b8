"""What a worker is called: where it runs, since its id says nothing to a reader."""

from __future__ import annotations

import re
from collections.abc import Mapping

from penstock._engine.control.protocol.messages import Report

_GENERATED = re.compile("[0-9a-f]{32}")
_SHOWN = 8


def short_id(member: str) -> str:
    """Return the beginning of a generated id, enough to tell it from others; names stay whole."""
    return member[:_SHOWN] if _GENERATED.fullmatch(member) else member


def machine_of(report: Report) -> str:
    """Return the machine of a worker; nothing until the worker has said it."""
    return report.home.partition(":")[0]


def place_name(report: Report) -> str:
    """Return machine and slot: `host-0 \u00b7 slot 2`. Of one that has neither yet, its id."""
    machine, (turn, slot) = machine_of(report), report.slot
    parts = [machine] if machine else []
    if turn:
        parts.append(f"slot {slot}")
    return " \u00b7 ".join(parts) or short_id(report.member_id)


def full_name(report: Report) -> str:
    """Return id and machine: slots change, what is said of the past must not."""
    machine = machine_of(report)
    return short_id(report.member_id) + (f" on {machine}" if machine else "")


def place_names(reports: Mapping[str, Report]) -> dict[str, str]:
    """Return the name of each worker by its id."""
    return {member: place_name(report) for member, report in reports.items()}
