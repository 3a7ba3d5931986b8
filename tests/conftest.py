"""What tests of all kinds share: the broker, where its data is, and how properties are tried."""

import os
import shutil
from pathlib import Path

from hypothesis import settings

pytest_plugins = ["penstock.testing.broker"]

# The same examples each time: a suite that fails at random is soon not believed. Whoever looks for
# new ones says so: pytest --hypothesis-profile=wide.
settings.register_profile("suite", derandomize=True, deadline=None)
settings.register_profile("wide", max_examples=2_000, deadline=None)
settings.load_profile("suite")

# Kafka waits for the disk at every change of its metadata, and a busy disk can take longer than a
# session lasts: the data of tests is in memory where there is room for it.
_IN_MEMORY = Path("/dev/shm")
_ROOM_BYTES = 4 << 30
if _IN_MEMORY.is_dir() and shutil.disk_usage(_IN_MEMORY).free > _ROOM_BYTES:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(_IN_MEMORY))
