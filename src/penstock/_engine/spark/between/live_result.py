"""The result of a live run: its sink topics as streaming DataFrames, its stores as tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import TracebackType
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.streaming.readwriter import DataStreamWriter

from penstock._durations import Duration, to_milliseconds
from penstock._engine.kafka.application.carrier_topics import first_to_read
from penstock._engine.kafka.client.topic_offsets import TopicChoice
from penstock._engine.planner.stages import JobPlan
from penstock._engine.spark.batch.plan_serdes import sink_serdes
from penstock._engine.spark.between.live_run import LiveRun
from penstock._engine.spark.between.run_folder import RunFolder
from penstock._engine.spark.dataframes.request import Edge, ReadRequest
from penstock._engine.spark.dataframes.source import source_of
from penstock._engine.spark.state.table import scan_of, table_of
from penstock._engine.topology.topology import Topology
from penstock.errors import ConfigError, StreamsError
from penstock.serdes import Serde
from penstock.settings import StreamsConfig

_COLUMNS = ("key", "value", "timestamp", "headers", "partition", "offset")


class LiveResult(Mapping[str, DataFrame]):
    """The outputs of a live run by topic, as streaming DataFrames.

    Leaving its `with` block, or `close`, ends the inputs, the application and the queries that read
    the outputs.
    """

    def __init__(
        self,
        run: LiveRun,
        plan: JobPlan,
        program: tuple[Topology, StreamsConfig],
        folder: RunFolder,
        starts: Mapping[str, Mapping[int, int]],
    ) -> None:
        self._run = run
        self._plan = plan
        self._topology, self._config = program
        self._folder = folder
        self._starts = starts

    def __getitem__(self, topic: str) -> DataFrame:
        """Return the records of a sink topic, from the first that the run has written: key, value,
        timestamp, headers, partition, offset.
        """
        return self._frame(topic, None, None)

    def __iter__(self) -> Iterator[str]:
        return iter(self._plan.sinks)

    def __len__(self) -> int:
        return len(self._plan.sinks)

    def typed(self, topic: str) -> DataFrame:
        """Return the records of a sink topic with keys and values as the types of its serdes, as
        `read_stream` shows them: numbers, text, structs of known documents and of windowed keys.
        """
        self._check(topic)
        serdes = sink_serdes(topic, self._plan)
        return self._frame(topic, serdes["key"], serdes["value"])

    def store(self, name: str) -> DataFrame:
        """Return the rows of a store as a batch DataFrame, as of the last commit of each task: what
        `penstock.spark.state` returns.
        """
        scan = scan_of(name, self._config, topology=self._topology)
        return table_of(scan, self._run.session)

    def start(self, writer: DataStreamWriter, path: str | None = None) -> StreamingQuery:
        """Start a query that reads outputs, `writer.start(path)`, and up to five times again if
        Spark's Python process for it does not start in time, as on a busy machine.
        """
        return self._run.start_output(lambda: writer.start(path))

    def checkpoint(self, name: str) -> str:
        """Return a place in the folder of the run for the checkpoint of a query that reads outputs.

        Raises:
            ConfigError: the name cannot be that of a folder.
        """
        if not name or "/" in name or name.startswith("."):
            msg = f"the name of a checkpoint must have no '/' and no '.' in front; got {name!r}"
            raise ConfigError(msg)
        return self._folder.checkpoint("outputs", name)

    @property
    def application_id(self) -> str:
        """The name of the application between the inputs and the outputs."""
        return self._config.application_id

    @property
    def bootstrap_servers(self) -> str:
        """Where the broker is that carries the records."""
        return self._config.bootstrap_servers

    @property
    def failure(self) -> StreamsError | None:
        """What ended the run, None if nothing did."""
        return self._run.failure

    def wait(self, timeout: Duration | None = None) -> bool:
        """Wait until the run ends; return whether it has.

        Raises:
            StreamsError: a part failed; the message says which.
        """
        return self._run.wait(
            None if timeout is None else to_milliseconds(timeout, "timeout") / 1e3
        )

    def close(self) -> None:
        """End the inputs, then the application, then the queries that read its outputs."""
        self._run.close()

    def __enter__(self) -> LiveResult:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
        failure = self.failure
        # A failed part is why a query of the block failed, or ended too early for its asserts.
        if failure is not None and failure is not error and isinstance(error, Exception | None):
            raise failure

    def _frame(self, topic: str, key: Serde[Any] | None, value: Serde[Any] | None) -> DataFrame:
        self._check(topic)
        starts = self._starts.get(topic)
        starting: Edge = "earliest"
        if starts is not None:
            starting = {topic: first_to_read(self._config, topic, starts)}
        choice = TopicChoice((topic,))
        request = ReadRequest(choice, starting=starting, key=key, value=value, headers=True)
        source = source_of(request, self._config)
        self._run.follow(source.name())
        session = self._run.session
        session.dataSource.register(source)
        return session.readStream.format(source.name()).load().select(*_COLUMNS)

    def _check(self, topic: str) -> None:
        plan = self._plan
        if topic in plan.hidden_topics or (topic not in plan.sinks and not plan.has_routed_sinks):
            known = ", ".join(map(repr, plan.sinks)) or "none"
            msg = f"the topology does not write to topic {topic!r}; its sink topics: {known}"
            raise KeyError(msg)
