"""The one place that chooses between C and Python.

What the engine does for each record has two forms: one in Python, which is the specification, and
one in the compiled module `_fast`, which is there if there was a C compiler when Penstock was
installed. Property tests compare both. A module with two forms takes that of `compiled`, unless it
is None; PENSTOCK_NO_C=1 makes it None for the whole process.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Literal

__all__ = ["IS_SWITCHED_OFF", "SWITCH", "compiled", "state"]

SWITCH = "PENSTOCK_NO_C"

IS_SWITCHED_OFF = os.environ.get(SWITCH, "") not in {"", "0"}

if TYPE_CHECKING:
    from penstock._engine.fast import _fast as compiled
elif IS_SWITCHED_OFF:
    compiled = None
else:
    try:
        from penstock._engine.fast import _fast as compiled
    except ImportError:
        compiled = None


def state() -> Literal["used", "switched off", "not compiled"]:
    """Return what has become of the compiled module in this process."""
    if compiled is not None:
        return "used"
    return "switched off" if IS_SWITCHED_OFF else "not compiled"
