"""All formulas by name, each with a sentence and a worked example."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from penstock.capacity import running, state


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula: the function, what it calculates, and numbers to try it with.

    >>> from penstock.capacity import FORMULAS
    >>> FORMULAS["table"].tells
    'state of a table, or of an aggregate without windows'
    """

    name: str
    function: Callable[..., Any]
    tells: str
    example: Mapping[str, float]

    def calculate(self, **given: float) -> Any:
        """Return the estimate for what is given.

        >>> from penstock.capacity import FORMULAS
        >>> FORMULAS["hopping"].calculate(window_size_ms=300_000, advance_ms=60_000)
        HoppingFactor(windows_per_record=5)
        """
        return self.function(**given)


_ALL = (
    Formula(
        "table",
        state.table_state,
        "state of a table, or of an aggregate without windows",
        {"keys": 1_000_000, "key_bytes": 20, "value_bytes": 100},
    ),
    Formula(
        "windows",
        state.window_state,
        "state of an aggregate in tumbling or hopping windows",
        {
            "keys": 100_000,
            "key_bytes": 20,
            "value_bytes": 100,
            "window_size_ms": 300_000,
            "grace_ms": 30_000,
        },
    ),
    Formula(
        "sessions",
        state.session_state,
        "state of an aggregate by sessions",
        {
            "sessions_per_second": 50,
            "key_bytes": 20,
            "value_bytes": 100,
            "inactivity_gap_ms": 1_800_000,
        },
    ),
    Formula(
        "hopping",
        state.hopping_factor,
        "how many hopping windows a record falls into",
        {"window_size_ms": 300_000, "advance_ms": 60_000},
    ),
    Formula(
        "join",
        state.join_state,
        "state and results of a join of two streams",
        {
            "left_per_second": 1_000,
            "right_per_second": 800,
            "before_ms": 300_000,
            "after_ms": 300_000,
            "grace_ms": 60_000,
            "record_bytes": 500,
            "keys": 50_000,
        },
    ),
    Formula(
        "restore",
        running.restore,
        "how long state is away after a worker is lost",
        {"keys": 10_000_000, "partitions": 8, "workers": 4},
    ),
    Formula(
        "exactly-once",
        running.exactly_once,
        "throughput and latency under exactly-once",
        {"records_per_second": 100_000, "commit_interval_ms": 100, "commit_ms": 20},
    ),
    Formula(
        "partitions",
        running.partitions,
        "partitions and slots for a rate",
        {"records_per_second": 120_000, "slot_records_per_second": 50_000},
    ),
    Formula(
        "standby",
        state.standby,
        "what standby replicas cost",
        {"state_bytes": 10_000_000_000, "replicas": 1, "changelog_bytes_per_second": 2_000_000},
    ),
    Formula(
        "global-table",
        state.global_table,
        "what a global table costs",
        {"rows": 100_000, "key_bytes": 12, "value_bytes": 180, "workers": 8},
    ),
)
FORMULAS: Mapping[str, Formula] = {formula.name: formula for formula in _ALL}
"""By name, in the order in which they are listed.

>>> from penstock.capacity import FORMULAS
>>> list(FORMULAS)
['table', 'windows', 'sessions', 'hopping', 'join', 'restore', 'exactly-once',
 'partitions', 'standby', 'global-table']
"""
