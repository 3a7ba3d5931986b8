"""Garbage collections in the process of an engine: rarer, for as long as an engine works there.

With `host="local"` the process is the user's, who finds it as it was when the last engine has
ended.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

# Records are millions of tuples without cycles. With the default thresholds the garbage collector
# runs a hundred times as often and takes a twentieth of the time.
_THRESHOLDS = (70_000, 20, 20)


class _Users:
    """How many engines work in this process, and the thresholds: before the first one, and as the
    interpreter has taken ours.
    """

    lock = threading.Lock()
    count = 0
    before = ours = (0, 0, 0)


@contextmanager
def rare_collections() -> Iterator[None]:
    """Have garbage collected rarely while this is open, however often it is."""
    with _Users.lock:
        if not _Users.count:
            _Users.before = gc.get_threshold()
            gc.set_threshold(*_THRESHOLDS)
            _Users.ours = gc.get_threshold()
        _Users.count += 1
    try:
        yield
    finally:
        with _Users.lock:
            _Users.count -= 1
            # Others are the user's, set meanwhile.
            if not _Users.count and gc.get_threshold() == _Users.ours:
                gc.set_threshold(*_Users.before)
