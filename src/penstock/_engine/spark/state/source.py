"""The data source `penstock-state`: a store as a table, for `spark.read.format` and SQL.

Options are text, and readable in every Python process of the job: types are given by their names,
and credentials in a file of settings.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pyspark.sql import SparkSession
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition

from penstock.errors import ConfigError

if TYPE_CHECKING:
    import pyarrow as pa

    from penstock._engine.spark.state.scan import StateScan

NAME = "penstock-state"


def register(spark: SparkSession) -> None:
    """Make the data source known to a session."""
    spark.dataSource.register(StateSource)


class StateSource(DataSource):
    """The rows of a store of an application, as of its last commit."""

    _planned: bytes | None = None
    """The read as it was planned for the columns. PySpark pickles the source after it has asked for
    them, and makes the reader of each job from the pickle: all jobs of a DataFrame read the same.
    """

    @classmethod
    def name(cls) -> str:
        return NAME

    def schema(self) -> str:
        from penstock._engine.spark.shipping.shipping import dumps  # noqa: PLC0415

        scan = scan_of_options(self.options)
        self._planned = dumps(scan)
        return scan.schema()

    def reader(self, schema: Any) -> DataSourceReader:
        if self._planned is None:  # the user has given the columns
            from penstock._engine.spark.batch.schemas import refuse_other_columns  # noqa: PLC0415

            refuse_other_columns(schema, self.schema(), "penstock.spark.state")
        assert self._planned is not None
        return StateReader(self._planned)


class StatePartition(InputPartition):
    """One partition of a store."""

    def __init__(self, value: int) -> None:
        super().__init__(value)


class StateReader(DataSourceReader):
    """Reads the partitions of a store, each in a Spark task of its own."""

    def __init__(self, packed: bytes) -> None:
        self._packed = packed

    def partitions(self) -> Sequence[InputPartition]:
        scan: StateScan = pickle.loads(self._packed)
        return [StatePartition(number) for number in scan.partitions]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        scan: StateScan = pickle.loads(self._packed)
        yield from scan.read(partition.value)


def scan_of_options(options: Mapping[str, str]) -> StateScan:
    """Plan the read that options describe.

    Raises:
        ConfigError: an option is missing, wrong or a secret.
        StreamsError: there is no such application or store.
    """
    # PySpark imports this module in every session that looks for data sources.
    from penstock._engine.spark.dataframes.options import settings_of  # noqa: PLC0415
    from penstock._engine.spark.state.table import scan_of, settings_for  # noqa: PLC0415
    from penstock.serdes.names import resolve  # noqa: PLC0415

    given = dict(options)
    for name in ("application", "store"):
        if not given.get(name):
            msg = f"format({NAME!r}) needs option({name!r}, ...)"
            raise ConfigError(msg)
    config = settings_for(given["application"], settings_of(given, "state"))
    types = {
        part: None if given.get(f"{part}type") is None else resolve(given[f"{part}type"])
        for part in ("key", "value")
    }
    return scan_of(given["store"], config, until=_offsets(given.get("until")), **types)  # type: ignore[arg-type]


def _offsets(text: str | None) -> dict[int, int] | None:
    if text is None:
        return None
    offsets: dict[int, int] = {}
    for part in text.split(","):
        partition, _, offset = part.strip().partition(":")
        if not (partition.isdigit() and offset.isdigit()):
            msg = f"option 'until' must look like 0:1200,1:980; got {text!r}"
            raise ConfigError(msg)
        offsets[int(partition)] = int(offset)
    return offsets
