"""The inputs of a backfill: the history in Kafka's topics and in files, as DataFrames."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeAlias

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import TimestampType

from penstock._engine.kafka.application.backfill_journal import BackfillPlan, InputPlan
from penstock._engine.kafka.backfill.admission import Admitted
from penstock._engine.kafka.backfill.live_from import LiveFrom, resolve_live_from
from penstock._engine.kafka.backfill.retention import latest_time
from penstock._engine.kafka.client.topic_history import (
    Bound,
    TopicRange,
    find_range,
    reading_settings,
)
from penstock._engine.spark.batch.history import history_ends, read_stretch
from penstock._engine.spark.batch.inputs import check_inputs
from penstock._engine.spark.batch.tasks.topic_feeds import TopicFeeds
from penstock.errors import StreamsError

Until: TypeAlias = datetime | int | Mapping[str, Mapping[int, int]] | None
"""A moment, offsets by topic and partition, or None for as far as the topics go now."""

_KAFKA = "kafka"


@dataclass(frozen=True, slots=True)
class InputOptions:
    """The user's choices about the inputs."""

    until: Until = None
    files: Mapping[str, DataFrame | str] = field(default_factory=dict)
    """History that is not read from Kafka: DataFrames, or paths of Parquet files."""
    live_from: Mapping[str, LiveFrom] = field(default_factory=dict)
    """Where the live application begins to read topics with such a history."""

    def bound(self, topic: str) -> Bound:
        """Return where a topic's history ends."""
        return self.until.get(topic) if isinstance(self.until, Mapping) else self.until


@dataclass(frozen=True, slots=True)
class Inputs:
    """The inputs of one run, be it the first or a resumed one."""

    plans: Mapping[str, InputPlan]
    frames: Mapping[str, DataFrame]
    topic_feeds: TopicFeeds
    """The topics whose history is in Kafka, for the tasks that read them themselves."""
    records: int
    """About how many there are."""

    def latest_time(self, admitted: Admitted, until: Until) -> int | None:
        """Return about the largest timestamp of all records; None if there are none."""
        times = [
            latest_time(admitted.admin, topic) if plan.origin == _KAFKA else _latest(frame)
            for topic, plan in self.plans.items()
            for frame in (self.frames[topic],)
        ]
        latest = max((time for time in times if time is not None), default=None)
        if latest is None or until is None or isinstance(until, Mapping):
            return latest
        moment = int(until.timestamp() * 1000) if isinstance(until, datetime) else until
        return min(latest, moment)


def open_inputs(
    admitted: Admitted, topics: Collection[str], options: InputOptions, session: SparkSession
) -> Inputs:
    """Find the history of each topic; a resumed backfill has found it already.

    Raises:
        StreamsError: a history is missing, is not the one it was, or does not meet its topic.
    """
    if strangers := sorted({*options.files, *options.live_from} - set(topics)):
        known = ", ".join(map(repr, sorted(topics)))
        msg = f"the program does not read {', '.join(map(repr, strangers))}; it reads {known}"
        raise StreamsError(msg)
    if pointless := sorted(set(options.live_from) - set(options.files)):
        msg = (
            f"the history of {', '.join(map(repr, pointless))} is read from Kafka, so the "
            "application goes on where that ends; leave --live-from out, or say --until"
        )
        raise StreamsError(msg)
    given = check_inputs(_opened(options.files, session)) if options.files else {}
    counts = {topic: frame.count() for topic, frame in given.items()}
    origins = {topic: _origin(options.files[topic], counts[topic]) for topic in given}
    plans = (
        _planned(admitted, topics, options, given, origins)
        if admitted.begun is None
        else _as_begun(admitted.begun, topics, origins)
    )
    config = admitted.blueprint.config
    of_kafka = {
        topic: TopicRange(topic, plan.starts, plan.ends)
        for topic, plan in plans.items()
        if plan.origin == _KAFKA
    }
    read = {topic: read_stretch(one, config, session) for topic, one in of_kafka.items()}
    total = sum(sum(one.ends.values()) - sum(one.starts.values()) for one in of_kafka.values())
    feeds = TopicFeeds(of_kafka, reading_settings(config))
    return Inputs(plans, {**read, **given}, feeds, total + sum(counts.values()))


def _planned(
    admitted: Admitted,
    topics: Collection[str],
    options: InputOptions,
    given: Mapping[str, DataFrame],
    origins: Mapping[str, str],
) -> dict[str, InputPlan]:
    plans = {}
    for topic in sorted(topics):
        if topic in given:
            archived = _archived(given[topic])
            _refuse_lost_tables(admitted, topic)
            ends = resolve_live_from(admitted.admin, topic, options.live_from.get(topic), archived)
            plans[topic] = InputPlan(origins[topic], {}, ends)
        else:
            stretch = find_range(admitted.admin, topic, until=options.bound(topic))
            plans[topic] = InputPlan(_KAFKA, stretch.starts, stretch.ends)
    return plans


def _as_begun(
    begun: BackfillPlan, topics: Collection[str], origins: Mapping[str, str]
) -> Mapping[str, InputPlan]:
    for topic in sorted({*topics, *begun.inputs}):
        was = begun.inputs[topic].origin if topic in begun.inputs else "nothing"
        now = origins.get(topic, _KAFKA) if topic in topics else "nothing"
        if was != now:
            msg = (
                f"the backfill that has begun reads the history of topic {topic!r} from {was}; "
                f"this one would read it from {now}: run it again with the same inputs, or say "
                "--reset"
            )
            raise StreamsError(msg)
    return begun.inputs


def _opened(files: Mapping[str, DataFrame | str], session: SparkSession) -> dict[str, DataFrame]:
    frames = {}
    for topic, given in files.items():
        try:
            frames[topic] = session.read.parquet(given) if isinstance(given, str) else given
        except PySparkException as error:
            why = str(error).partition("\n")[0]
            msg = f"the history of topic {topic!r} cannot be read from {given!r}: {why}"
            raise StreamsError(msg) from None
    return frames


def _origin(given: DataFrame | str, records: int) -> str:
    what = given if isinstance(given, str) else "a DataFrame"
    return f"{what} of {records} records"


def _latest(frame: DataFrame) -> int | None:
    """Return the largest timestamp of a DataFrame's records, in milliseconds."""
    is_time = isinstance(frame.schema["timestamp"].dataType, TimestampType)
    column = F.unix_millis("timestamp") if is_time else F.col("timestamp").cast("long")
    row = frame.agg(F.max(column)).head()
    return None if row is None or row[0] is None else int(row[0])


def _archived(frame: DataFrame) -> dict[int, int] | None:
    """Return the end offsets of an archive of a topic, None if it has no offsets."""
    if not {"partition", "offset"} <= set(frame.columns):
        return None
    ends = dict(history_ends(frame) or {})
    for row in frame.groupBy("partition").agg(F.max("offset").alias("last")).collect():
        if row["partition"] is None or row["last"] is None:
            return None
        partition, last = int(row["partition"]), int(row["last"])
        ends[partition] = max(ends.get(partition, 0), last + 1)
    return ends


def _refuse_lost_tables(admitted: Admitted, topic: str) -> None:
    """Refuse a history that only files hold for a table that is restored from its topic."""
    stores = [
        store.builder.name
        for task in admitted.blueprint.tasks
        for store in task.subtopology.stores.values()
        if store.source_topic == topic
    ]
    if stores and any(find_range(admitted.admin, topic).starts.values()):
        msg = (
            f"store {stores[0]!r} is restored from topic {topic!r}, which no longer begins with "
            "its first record: rows that only the files hold would not be found; leave out "
            "reuse.ktable.source.topics, so that the store has a changelog"
        )
        raise StreamsError(msg)
