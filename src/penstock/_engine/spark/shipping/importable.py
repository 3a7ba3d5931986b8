"""Which modules workers do not import: the main script, and those that are registered to be sent.

`cloudpickle.register_pickle_by_value(module)` says that a module is not there on the workers; its
classes and functions are sent whole, as those of the main script are.
"""

from __future__ import annotations

import sys
from operator import attrgetter

from pyspark.cloudpickle import list_registry_pickle_by_value

_MAIN = frozenset({"__main__", "__mp_main__"})


def is_sent(module: object) -> bool:
    """Return whether what a module of this name has is sent whole."""
    if not isinstance(module, str) or module in _MAIN:
        return module in _MAIN
    by_value: set[str] = list_registry_pickle_by_value()  # type: ignore[no-untyped-call]
    return any(f"{module}.".startswith(f"{parent}.") for parent in by_value)


def is_importable(value: object, name: str) -> bool:
    """Return whether another process finds `value` by its module and that name."""
    module = getattr(value, "__module__", None)
    try:
        return not is_sent(module) and attrgetter(name)(sys.modules[module]) is value  # type: ignore[index]
    except (AttributeError, KeyError):
        return False
