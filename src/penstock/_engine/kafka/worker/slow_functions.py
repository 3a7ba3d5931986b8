"""Which user function keeps a worker busy: a thread samples the engine's stack.

It looks only while a step lasts longer than usual, so a quick program pays nothing.
"""

from __future__ import annotations

import logging
import sys
import threading

from penstock._clock import monotonic
from penstock.errors import user_function

_log = logging.getLogger(__name__)

_LOOK_SECONDS = 0.2


class SlowFunctionWatch:
    """Watches the thread that makes it. `hang_seconds`: how long a function may take until a
    warning says that it has not returned.
    """

    def __init__(self, hang_seconds: float) -> None:
        self.last: str | None = None
        """The function that was running when the engine was last found busy."""
        self._hang_seconds = hang_seconds
        self._thread_id = threading.get_ident()
        self._busy_since: float | None = None
        self._closed = threading.Event()
        threading.Thread(target=self._watch, name="penstock-slow-functions", daemon=True).start()

    def begin(self, now: float) -> None:
        """Mark the engine as busy with the user's functions."""
        self._busy_since = now

    def end(self) -> None:
        """Mark the engine as done with them."""
        self._busy_since = None

    def close(self) -> None:
        """End the thread."""
        self._closed.set()

    def _watch(self) -> None:
        warned_of: float | None = None
        while not self._closed.wait(_LOOK_SECONDS):
            since, now = self._busy_since, monotonic()
            if since is None or now - since < _LOOK_SECONDS:
                continue
            function = user_function(sys._current_frames().get(self._thread_id))
            if function is None:
                continue
            self.last = function
            if now - since >= self._hang_seconds and since != warned_of:
                warned_of = since
                _log.warning(
                    "function %s has not returned for %.0f s; the tasks of this worker wait for it",
                    function,
                    now - since,
                )
