"""Fixtures of the engines' contract suite."""

from __future__ import annotations

import pytest

from tests.stores import redis_server


@pytest.fixture(scope="session", autouse=True)
def _one_redis() -> None:
    """Start the server here, if there is one, so that child processes find it, not their own."""
    if redis_server.can_be_had():
        redis_server.address()
