"""Tables that begin with a DataFrame: its rows are written to their topics before the first start.

The journal of the sink says what is written, so that a start that was killed in the middle is gone
on with by the next. When the application has its task topic, all of it has been written.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException

from penstock._engine.kafka.application.carrier_topics import (
    CarrierTopics,
    has_started,
    look_at,
    write_name,
)
from penstock._engine.kafka.sink.journal import JournalPlace
from penstock._engine.planner.plan import plan_subtopologies
from penstock._engine.spark.batch.inputs import frame_of
from penstock._engine.spark.batch.typed import Typed
from penstock._engine.spark.between.live_run import why
from penstock._engine.spark.dataframes.sink import columns_of
from penstock._engine.spark.dataframes.sink_options import SinkOptions
from penstock._engine.spark.dataframes.sink_stream import write_once
from penstock._engine.spark.session import refuse_connect
from penstock._engine.topology.nodes.stream_nodes import title_of
from penstock._engine.topology.topology import Topology
from penstock.errors import StreamsError
from penstock.settings import StreamsConfig


def write_initial_tables(topology: Topology, config: StreamsConfig) -> None:
    """Write the rows that tables begin with, unless the application has started before.

    Raises:
        StreamsError: the columns do not fit, the topic is missing or has other records, or the
            rows cannot be written.
    """
    initial = topology.initial_tables
    if not initial or has_started(config):
        return
    options = {topic: _options(topic, given, topology, config) for topic, given in initial.items()}
    topics = look_at(config, initial)
    names = {topic: _name(topic, config, topics) for topic in initial}
    for topic, name in names.items():
        _check_unused(topic, name, topics, config)
    for topic, name in names.items():
        try:
            write_once(frame_of(initial[topic]), options[topic], name)
        except (PySparkException, Py4JError) as error:
            msg = f"table({topic!r}, initial=...) cannot be written: {why(error)}"
            raise StreamsError(msg) from error


def _options(topic: str, given: Any, topology: Topology, config: StreamsConfig) -> SinkOptions:
    key, value = None, None
    if isinstance(given, Typed):
        key, value = _serdes(topic, given, topology, config)
    frame = frame_of(given)
    refuse_connect(frame.sparkSession)
    made = SinkOptions(topic, config, key, value)
    try:
        columns_of(made).check(frame.schema)
    except StreamsError as error:
        msg = f"table({topic!r}, initial=...): {error}"
        raise StreamsError(msg) from None
    return made


def _serdes(topic: str, given: Typed, topology: Topology, config: StreamsConfig) -> tuple[Any, Any]:
    plans = plan_subtopologies(topology, config.application_id)
    sources = (source for plan in plans for source in plan.sources())
    source = next(source for source in sources if topic in source.topics)
    title = title_of(source)
    return (
        given.key or config.key_serde(source.key_serde, title),
        given.value or config.value_serde(source.value_serde, title),
    )


def _name(topic: str, config: StreamsConfig, topics: CarrierTopics) -> str:
    """Return what stands for the write in the journal.

    Raises:
        StreamsError: there is no such topic.
    """
    if topic not in topics.ids:
        msg = (
            f"topic {topic!r} must exist before table({topic!r}, initial=...) can be written; "
            "create it, or correct the name"
        )
        raise StreamsError(msg)
    return write_name(config.application_id, topic, topics.ids[topic])


def _check_unused(topic: str, name: str, topics: CarrierTopics, config: StreamsConfig) -> None:
    """Refuse to write the first rows of a table behind others, which may be newer."""
    journal = JournalPlace.of_query(name).topic
    known: Mapping[str, str] = look_at(config, [journal]).ids
    if topics.is_used(topic) and journal not in known:
        msg = (
            f"topic {topic!r} has records already, and those of table({topic!r}, initial=...) "
            "would come after them, as if they were newer; leave initial out"
        )
        raise StreamsError(msg)
