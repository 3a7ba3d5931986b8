"""A JVM that starts while the application is prepared, on a thread of its own.

To start it takes longer than to examine the cluster, and neither needs the other.
"""

from __future__ import annotations

import atexit
import os
import shutil
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from subprocess import Popen, TimeoutExpired
from typing import Any

from penstock.errors import StreamsError

_JOIN_SECONDS = 120.0
_END_SECONDS = 10.0


# Where the JVM says how it is reached; pyspark makes a folder for it.
_PLACE = "_PYSPARK_DRIVER_CONN_INFO_PATH"


class EarlyJvm:
    """The gateway that `launch` returns, from a thread. It is given a dict for the options of the
    JVM's process, which pyspark adds to.
    """

    def __init__(
        self,
        launch: Callable[[dict[str, Any]], Any],
        *,
        is_first: bool = False,
        forget: Callable[[], None] = lambda: None,
    ) -> None:
        """`is_first`: no JVM has written an archive of Spark's classes here, which makes later
        starts quicker. `forget` is called when an abandoned JVM has ended.
        """
        self.is_first = is_first
        self._forget = forget
        self._launch = launch
        self._options: dict[str, Any] = {}
        self._gateway: Any = None
        self._error: BaseException | None = None
        self._lock = threading.Lock()
        self._abandoned = self._taken = False
        self._thread = threading.Thread(target=self._run, name="penstock-jvm", daemon=True)
        self._thread.start()
        atexit.register(self._end_unready)

    def take(self) -> Any:
        """Wait for the gateway and return it; raise what kept it from starting."""
        self._thread.join(_JOIN_SECONDS)
        with self._lock:
            self._taken = not self._thread.is_alive()
        if not self._taken:
            msg = f"Spark's JVM did not start within {_JOIN_SECONDS:.0f} s; try again"
            raise StreamsError(msg)
        if self._error is not None:
            raise self._error
        return self._gateway

    def abandon(self) -> None:
        """End the JVM, unless its gateway was taken."""
        with self._lock:
            self._abandoned = not self._taken
            gateway = self._gateway if self._abandoned else None
        if gateway is not None:
            # On a thread: what was refused is shown without waiting for it.
            threading.Thread(
                target=self._end, args=(gateway,), name="penstock-jvm-end", daemon=True
            ).start()

    def _end_unready(self) -> None:
        """End the JVM if this process ends before it is there, and remove the folder that pyspark
        would remove then: a start that was refused does not wait for it.
        """
        place = self._options.get("env", {}).get(_PLACE)
        if place is None:
            return
        started = _children_of(self._thread)
        for process in started:
            with suppress(OSError):
                os.kill(process, signal.SIGKILL)
        # A JVM that does not find its folder never ends. Where the system does not say which one
        # was started, the folders stay, and the JVM ends with its input.
        if started:
            shutil.rmtree(Path(place).parent, ignore_errors=True)
            self._forget()

    def _run(self) -> None:
        try:
            gateway = self._launch(self._options)
        except BaseException as error:
            self._error = error
            return
        finally:
            atexit.unregister(self._end_unready)
        with self._lock:
            self._gateway = gateway
            abandoned = self._abandoned
        if abandoned:
            self._end(gateway)

    def _end(self, gateway: Any) -> None:
        _end(gateway)
        self._forget()


def _children_of(thread: threading.Thread) -> list[int]:
    """Return the processes that a thread has started; none where the system does not tell."""
    try:
        listed = Path(f"/proc/self/task/{thread.native_id}/children").read_text("ascii")
    except OSError:
        return []
    return [int(process) for process in listed.split()]


def _end(gateway: Any) -> None:
    with suppress(Exception):
        gateway.shutdown()
    process: Popen[bytes] = gateway.proc
    if process.stdin is not None:
        with suppress(OSError):
            process.stdin.close()  # the JVM ends with its input
    try:
        process.wait(_END_SECONDS)
    except TimeoutExpired:
        process.kill()
        process.wait()
