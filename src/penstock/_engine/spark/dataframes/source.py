"""The data source `penstock`: topics as DataFrames."""

from __future__ import annotations

from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql.datasource import DataSource, DataSourceStreamWriter, DataSourceWriter
from pyspark.sql.types import StructType

NAME = "penstock"


def register(spark: SparkSession) -> None:
    """Make the data source known to a session."""
    spark.dataSource.register(TopicSource)


class TopicSource(DataSource):
    """The records of topics."""

    @classmethod
    def name(cls) -> str:
        return NAME

    def streamWriter(self, schema: StructType, overwrite: bool) -> DataSourceStreamWriter:
        from penstock._engine.spark.dataframes.sink import stream_writer  # noqa: PLC0415

        del overwrite  # output mode complete: each batch is appended whole
        return stream_writer(_options(self.options), schema)

    def writer(self, schema: StructType, overwrite: bool) -> DataSourceWriter:
        from penstock._engine.spark.dataframes.sink import batch_writer  # noqa: PLC0415

        return batch_writer(_options(self.options), schema, overwrite=overwrite)


def _options(given: Any) -> dict[str, str]:
    return dict(given)
