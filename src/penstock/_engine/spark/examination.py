"""Trying Spark: a session, and one job that needs a Python worker."""

from __future__ import annotations

from penstock._engine.spark.session import session_for
from penstock.settings import StreamsConfig


def try_spark(config: StreamsConfig) -> str:
    """Run a small job in a Python worker; tell the version and the master.

    Raises:
        StreamsError: Spark did not start.
    """
    session, owned = session_for(config, None)
    try:
        context = session.sparkContext
        rows = context.parallelize(range(4), 1).map(lambda number: number * 2).collect()
        assert rows == [0, 2, 4, 6]
        return f"Spark {session.version} at {context.master}"
    finally:
        if owned:
            session.stop()
