"""The inputs of a live run: streaming and batch DataFrames, checked, each with its topic."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from penstock._engine.planner.stages import JobPlan
from penstock._engine.spark.batch.inputs import frame_of
from penstock._engine.spark.batch.plan_serdes import plans_of, serdes_among
from penstock._engine.spark.batch.typed import Typed
from penstock._engine.spark.between.run_folder import Kind
from penstock._engine.spark.dataframes.sink import columns_of
from penstock._engine.spark.dataframes.sink_options import SinkOptions
from penstock._engine.spark.session import check, check_local_interpreter, refuse_connect
from penstock._engine.spark.streaming.session_load import capacity_of
from penstock._engine.topology.nodes.stream_nodes import Node, SourceNode
from penstock._engine.topology.topology import Topology
from penstock.errors import StreamsError
from penstock.settings import StreamsConfig


@dataclass(frozen=True, slots=True)
class LiveInput:
    """A DataFrame, and how it is written to its topic."""

    topic: str
    frame: DataFrame
    options: SinkOptions

    @property
    def kind(self) -> Kind:
        """Whether it goes on, or is written once."""
        return "stream" if self.frame.isStreaming else "batch"


def is_live(inputs: object) -> bool:
    """Return whether one of the inputs is streaming: then the topology runs live."""
    if not isinstance(inputs, Mapping):
        return False
    frames = [given.frame if isinstance(given, Typed) else given for given in inputs.values()]
    # DataFrames of Spark Connect are of another class.
    return any(getattr(frame, "isStreaming", False) is True for frame in frames)


def session_of(inputs: Mapping[str, DataFrame | Typed]) -> SparkSession:
    """Return the session of all inputs.

    Raises:
        StreamsError: one is no DataFrame, their session has ended, or there are several.
        ConfigError: it is one of Spark Connect, or cannot host an application.
    """
    sessions: dict[str, SparkSession] = {}
    for topic, given in inputs.items():
        frame: Any = frame_of(given)
        if not hasattr(frame, "isStreaming"):
            msg = f"input {topic!r} must be a DataFrame of Spark; got {type(frame).__name__}"
            raise StreamsError(msg)
        refuse_connect(frame.sparkSession)
        sessions[topic] = frame.sparkSession
    first, *others = (one._jsparkSession for one in sessions.values())
    if not all(first.equals(one) for one in others):
        msg = (
            f"the DataFrames must be of one Spark session; those of {', '.join(map(repr, inputs))} "
            "are of several"
        )
        raise StreamsError(msg)
    session = next(iter(sessions.values()))
    if session.sparkContext._jsc is None or session.sparkContext._jsc.sc().isStopped():
        msg = "the Spark session of the DataFrames was stopped; make a new one, and them again"
        raise StreamsError(msg)
    check(session)
    check_local_interpreter(session)
    _check_cores(session)
    return session


def _check_cores(session: SparkSession) -> None:
    context = session.sparkContext
    capacity = capacity_of(context)
    most = max(capacity.present, capacity.most or 0)
    # Of a cluster whose executors are still coming up nothing is known.
    if most == 1 or (most == 0 and str(context.master).startswith("local")):
        msg = (
            f"a topology between streaming DataFrames needs two cores: one for the application, "
            f"one for the queries that write its inputs and read its outputs; Spark at "
            f"{context.master} has 1; start it with local[2] or more"
        )
        raise StreamsError(msg)


def live_inputs(
    inputs: Mapping[str, DataFrame | Typed],
    plan: JobPlan,
    config: StreamsConfig,
    *,
    again: bool = False,
) -> list[LiveInput]:
    """Return the inputs with the serdes that write them; `again`, if what was written in part shall
    be written once more, however it is cut now.

    Raises:
        StreamsError: the columns of one do not fit.
    """
    made = []
    for topic, given in inputs.items():
        key, value = None, None
        if isinstance(given, Typed):
            own = serdes_among(plans_of(plan), topic, plan.config)
            key, value = given.key or own.key(), given.value or own.value()
        one = LiveInput(topic, frame_of(given), SinkOptions(topic, config, key, value, again))
        try:
            columns_of(one.options).check(one.frame.schema)
        except StreamsError as error:
            msg = f"input {topic!r}: {error}"
            raise StreamsError(msg) from None
        made.append(one)
    return made


def reading_inputs(topology: Topology, inputs: Iterable[str]) -> Topology:
    """Return the topology with sources that read the topics of the inputs and no others that match
    their patterns, from the first record.

    What is in the topics was written by the run, before the application or beside it: a source that
    begins at the end would leave it out.
    """
    known = sorted(inputs)

    def reading(node: Node) -> Node:
        if not isinstance(node, SourceNode):
            return node
        pattern, topics = node.pattern, node.topics
        if pattern is not None:
            topics = tuple(topic for topic in known if pattern.fullmatch(topic))
        is_own = not set(known).isdisjoint(topics)
        policy = "earliest" if is_own else node.offset_reset
        is_resolved = pattern is not None  # nor what matches it on the cluster
        return replace(node, topics=topics, offset_reset=policy, is_resolved=is_resolved)

    made = copy(topology)
    made.nodes = {name: reading(node) for name, node in topology.nodes.items()}
    return made
