"""The process from which Spark forks Python workers, with the engine imported before the fork.

Each worker would import it anew and have its own copy in memory. Nothing here may
start a thread or open a client: a fork has only the thread that forks. Arrow starts threads, so
workers import it themselves. PySpark: pyspark.daemon, which runs here.

Only local sessions that we start use it: on a cluster, packages may reach an executor after its
daemon has started.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

MODULE = "penstock._engine.spark.worker_daemon"

_ARCHIVE = os.path.join("pyspark", "python", "lib", "pyspark.zip")


def without_archive(path: Sequence[str]) -> list[str]:
    """Return a module search path without the archive of the PySpark that is installed on it.

    Spark puts that archive first. It holds no bytecode: each process compiles what it imports.
    """
    archives = {os.path.join(folder, _ARCHIVE) for folder in path}
    return [folder for folder in path if folder not in archives]


def main() -> None:
    """Import what workers need, then fork them on demand."""
    sys.path[:] = without_archive(sys.path)
    import pyspark.worker  # noqa: F401, PLC0415
    from pyspark import daemon  # noqa: PLC0415

    import penstock._engine.control.engine_thread  # noqa: F401, PLC0415
    import penstock._engine.spark.batch.tasks.direct  # noqa: F401, PLC0415

    daemon.manager()


if __name__ == "__main__":
    main()
