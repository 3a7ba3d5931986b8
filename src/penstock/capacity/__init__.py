"""How big an application gets: formulas as functions, each with units and a worked example.

>>> from penstock import capacity
>>> needed = capacity.window_state(keys=100_000, key_bytes=20, value_bytes=100,
...                                window_size_ms=300_000, grace_ms=30_000)
>>> f"{needed.rows:,.0f} rows, {needed.bytes / 1e6:.0f} MB"
'137,500 rows, 20 MB'

Rates are records a second over all partitions, sizes are bytes, times milliseconds; what is asked
for in seconds says so. `penstock capacity` calculates the same on the command line.
"""

from penstock.capacity.figures import figures_of
from penstock.capacity.formulas import FORMULAS, Formula
from penstock.capacity.running import (
    ExactlyOnce,
    Partitions,
    Restore,
    exactly_once,
    partitions,
    restore,
)
from penstock.capacity.state import (
    GlobalTable,
    HoppingFactor,
    JoinState,
    SessionState,
    Standby,
    TableState,
    WindowState,
    global_table,
    hopping_factor,
    join_state,
    session_state,
    standby,
    table_state,
    window_state,
)

__all__ = [
    "FORMULAS",
    "ExactlyOnce",
    "Formula",
    "GlobalTable",
    "HoppingFactor",
    "JoinState",
    "Partitions",
    "Restore",
    "SessionState",
    "Standby",
    "TableState",
    "WindowState",
    "exactly_once",
    "figures_of",
    "global_table",
    "hopping_factor",
    "join_state",
    "partitions",
    "restore",
    "session_state",
    "standby",
    "table_state",
    "window_state",
]
