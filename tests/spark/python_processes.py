"""Python processes of Spark that are of no use to it, and a stream whose offsets one reads."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition

_HANGS_UP = """\
#!{python}
# Python for Spark. As many processes that read offsets as the file says hang up; one that is too
# slow has the same error after ten seconds.
import os, pathlib, socket, sys

left = pathlib.Path({left!r})
if "pyspark.sql.streaming.python_streaming_source_runner" in sys.argv and int(left.read_text()):
    left.write_text(str(int(left.read_text()) - 1))
    address = ("127.0.0.1", int(os.environ["PYTHON_WORKER_FACTORY_PORT"]))
    socket.create_connection(address).close()
    sys.exit()
os.execv({python!r}, [{python!r}, *sys.argv[1:]])
"""


class HangingUp:
    """A Python whose next processes that read offsets are of no use to Spark."""

    def __init__(self, folder: Path) -> None:
        self._left, program = folder / "left", folder / "python"
        program.write_text(_HANGS_UP.format(python=sys.executable, left=str(self._left)))
        program.chmod(0o755)
        self.program = str(program)

    @property
    def left(self) -> int:
        """How many will hang up."""
        return int(self._left.read_text())

    def next(self, count: int) -> None:
        """Have the next `count` processes hang up."""
        self._left.write_text(str(count))


def customers_by_python(spark: SparkSession) -> DataFrame:
    """Return two customers as a stream whose offsets a Python process reads."""

    class Customers(DataSource):
        @classmethod
        def name(cls) -> str:
            return "customers"

        def schema(self) -> str:
            return "key string, value string, timestamp long"

        def streamReader(self, schema: Any) -> DataSourceStreamReader:
            return Reader()

    class Reader(DataSourceStreamReader):
        def initialOffset(self) -> dict[str, int]:
            return {"read": 0}

        def latestOffset(self, *_given: Any) -> dict[str, int]:
            return {"read": 2}

        def partitions(self, start: Any, end: Any) -> list[InputPartition]:
            return [InputPartition(start["read"])]

        def read(self, partition: InputPartition) -> Iterator[tuple[str, str, int]]:
            return iter([("a", "ada", 1000), ("b", "bert", 1001)][partition.value :])

    spark.dataSource.register(Customers)
    return spark.readStream.format("customers").load()
