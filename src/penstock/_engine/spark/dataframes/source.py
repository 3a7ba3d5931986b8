"""The data source `penstock`: topics as DataFrames, and DataFrames into topics.

PySpark imports this module in every session that looks for data sources, so it imports little.
"""

from __future__ import annotations

import functools
import os
import pickle
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from pyspark.sql import SparkSession
from pyspark.sql.datasource import (
    DataSource,
    DataSourceReader,
    DataSourceStreamReader,
    DataSourceStreamWriter,
    DataSourceWriter,
    InputPartition,
)

from penstock import _clock as clock
from penstock.errors import StreamsError

if TYPE_CHECKING:
    from penstock._engine.spark.dataframes.request import ReadRequest
    from penstock.settings import StreamsConfig

NAME = "penstock"

P = ParamSpec("P")
R = TypeVar("R")


def _without_traceback(method: Callable[P, R]) -> Callable[P, R]:
    """Return the method with errors of ours that Spark shows as their sentence: it was the last of
    1,600 characters. Spark ends a Python process that has failed to plan, so what is set in it
    hides nothing else. The process of a program, or of a test, is left alone.
    """

    @functools.wraps(method)
    def called(*arguments: P.args, **named: P.kwargs) -> R:
        try:
            return method(*arguments, **named)
        except StreamsError:
            if os.environ.get("SPARK_PYTHON_RUNTIME") == "PYTHON_WORKER":
                os.environ["SPARK_HIDE_TRACEBACK"] = "1"
            raise

    return called


def register(spark: SparkSession) -> None:
    """Make the data source known to a session."""
    spark.dataSource.register(TopicSource)


class TopicSource(DataSource):
    """Topics of Kafka."""

    @classmethod
    def name(cls) -> str:
        return NAME

    _is_ours = False
    """Whether the columns are those of `schema`; PySpark asks for them unless the user gives some,
    and pickles the source afterwards.
    """

    @_without_traceback
    def schema(self) -> str:
        from penstock._engine.spark.dataframes.split_partitions import rows_of  # noqa: PLC0415

        request, _ = self.request_and_config()
        self._is_ours = True
        return rows_of(request).schema()

    def _check_columns(self, given: Any, function: str) -> None:
        if not self._is_ours:
            from penstock._engine.spark.batch.schemas import refuse_other_columns  # noqa: PLC0415

            refuse_other_columns(given, self.schema(), f"penstock.spark.{function}")

    @_without_traceback
    def reader(self, schema: Any) -> DataSourceReader:
        from penstock._engine.spark.dataframes.batch_reader import TopicBatchReader  # noqa: PLC0415

        request, config = self.request_and_config()
        request.check_batch()
        self._check_columns(schema, "read")
        return TopicBatchReader(request, config)

    @_without_traceback
    def streamReader(self, schema: Any) -> DataSourceStreamReader:
        from penstock._engine.spark.dataframes.stream_reader import (  # noqa: PLC0415
            TopicStreamReader,
        )

        request, config = self.request_and_config()
        try:
            self._check_columns(schema, "read_stream")
        except StreamsError as error:
            return _RefusingReader(error)
        return TopicStreamReader(request, config)

    @_without_traceback
    def writer(self, schema: Any, overwrite: bool) -> DataSourceWriter:
        from penstock._engine.spark.dataframes.sink import batch_writer  # noqa: PLC0415

        options: dict[str, str] = dict(self.options)
        return batch_writer(options, schema, overwrite=overwrite)

    @_without_traceback
    def streamWriter(self, schema: Any, overwrite: bool) -> DataSourceStreamWriter:
        from penstock._engine.spark.dataframes.sink import stream_writer  # noqa: PLC0415

        del overwrite  # output mode complete: each batch is appended whole
        options: dict[str, str] = dict(self.options)
        return stream_writer(options, schema)

    def request_and_config(self) -> tuple[ReadRequest, StreamsConfig]:
        """Return what the options ask for.

        Raises:
            ConfigError: an option is missing, wrong or a secret.
        """
        from penstock._engine.spark.dataframes.options import config_of, request_of  # noqa: PLC0415

        return request_of(self.options), config_of(self.options)


class _RefusingReader(DataSourceStreamReader):
    """Refuses a stream when it is first asked: of what is raised while a reader is made, PySpark
    says only that it has none to stop.
    """

    def __init__(self, error: StreamsError) -> None:
        self._error = error

    @_without_traceback
    def initialOffset(self, *_: Any) -> Any:
        raise self._error

    # Whatever they are asked with.
    latestOffset = partitions = initialOffset  # type: ignore[assignment]

    def read(self, partition: InputPartition) -> Any:
        del partition
        raise self._error


def source_of(request: ReadRequest, config: StreamsConfig) -> type[DataSource]:
    """Return a data source of one read, which is part of its code, where no option shows it."""
    from penstock._engine.spark.shipping.shipping import dumps  # noqa: PLC0415

    packed = dumps((request, config))
    unique = f"{NAME}_{clock.new_id()}"

    class OneRead(TopicSource):
        @classmethod
        def name(cls) -> str:
            return unique

        def request_and_config(self) -> Any:
            return pickle.loads(packed)

    return OneRead
