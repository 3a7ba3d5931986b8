"""One run of an application on Spark, as its slots need it."""

from __future__ import annotations

from dataclasses import dataclass, field

from penstock._engine.control.program import ShippedProgram
from penstock._engine.control.protocol.messages import ControlAddress
from penstock.settings.values import RowKind


@dataclass(frozen=True)
class Run:
    """One run of an application: the parameters of its slots."""

    id: str
    control: ControlAddress
    lease_seconds: float
    program: ShippedProgram = field(default=ShippedProgram(), repr=False)
    rows: RowKind = "timestamp"
