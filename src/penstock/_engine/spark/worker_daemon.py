"""The process from which Spark forks Python workers, with the engine imported before the fork.

Each worker would import it anew, 1.4 s of CPU, and have its own copy in memory. Nothing here may
start a thread or open a client: a fork has only the thread that forks. Arrow starts threads, so
workers import it themselves. PySpark: pyspark.daemon, which runs here.

Only local sessions that we start use it: on a cluster, packages may reach an executor after its
daemon has started.
"""

from __future__ import annotations

from pyspark import daemon

MODULE = "penstock._engine.spark.worker_daemon"


def main() -> None:
    """Import what workers need, then fork them on demand."""

    import penstock._engine.control.engine_thread  # noqa: F401, PLC0415

    daemon.manager()


if __name__ == "__main__":
    main()
