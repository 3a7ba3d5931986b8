"""A trip to another process: what a program tells of itself at home, and where it has arrived."""

from __future__ import annotations

import json
import pickle
import sys
from collections.abc import Callable
from pathlib import Path

from penstock._engine.spark.shipping.shipping import dumps


def send(observe: Callable[[], list[str]], path: str) -> None:
    """Write a function of a program for another process, and what it returns here."""
    packed = dumps(observe)
    Path(path).write_bytes(pickle.dumps((packed, observe())))


def receive(path: str) -> None:
    """Print what the function returned at home and what it returns here."""
    packed, at_home = pickle.loads(Path(path).read_bytes())
    print(json.dumps([at_home, pickle.loads(packed)()]))


if __name__ == "__main__":
    receive(sys.argv[1])
