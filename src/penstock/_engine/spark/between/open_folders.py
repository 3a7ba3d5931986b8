"""The folders of the live runs of this process: each is that of one run at a time.

A cell of a notebook that is run twice starts a second run beside the first. It is refused here,
before it has written anything: Spark would refuse it in the middle, by the name of a query.
"""

from __future__ import annotations

import threading
from types import TracebackType

from penstock.errors import StreamsError

_lock = threading.Lock()
_open: dict[str, OpenFolder] = {}


class OpenFolder:
    """The folder of a run, which no other run may have until it is released."""

    def __init__(self, location: str) -> None:
        self._location = location

    def __enter__(self) -> OpenFolder:
        with _lock:
            if self._location in _open:
                msg = (
                    f"folder {self._location} is that of a run that goes on in this process; close "
                    "it first: result.close() of what the first penstock.spark.run returned, or "
                    "leave its with block; or give another folder"
                )
                raise StreamsError(msg)
            _open[self._location] = self
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()

    def release(self) -> None:
        """Leave the folder to the next run; a second call does nothing."""
        with _lock:
            if _open.get(self._location) is self:
                del _open[self._location]
