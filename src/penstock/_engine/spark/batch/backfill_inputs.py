"""The inputs of a backfill: what of Kafka's topics and of files is history, as DataFrames."""

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
from penstock._engine.kafka.client.topic_history import Bound, TopicRange, find_range
from penstock._engine.spark.batch.history import history_ends, read_stretch
from penstock._engine.spark.batch.inputs import check_inputs
from penstock.errors import StreamsError

Until: TypeAlias = datetime | int | Mapping[str, Mapping[int, int]] | None
"""A moment, offsets by topic and partition, or None for as far as the topics go now."""

_KAFKA = "kafka"


@dataclass(frozen=True, slots=True)
class InputWishes:
    """What the user says of the inputs."""

    until: Until = None
    files: Mapping[str, DataFrame | str] = field(default_factory=dict)
    """History that is not read from Kafka: DataFrames, or paths of Parquet files."""
    live_from: Mapping[str, LiveFrom] = field(default_factory=dict)
    """Where topics with such a history are read on."""

    def bound(self, topic: str) -> Bound:
        """Give where a topic's history ends."""
        return self.until.get(topic) if isinstance(self.until, Mapping) else self.until


@dataclass(frozen=True, slots=True)
class Inputs:
    """The inputs of one run, whether it is the first or goes on."""

    plans: Mapping[str, InputPlan]
    frames: Mapping[str, DataFrame]
    records: int
    """About how many there are."""

    def latest_time(self, admitted: Admitted, until: Until) -> int | None:
        """Give the largest time of a record, about; None if there are none."""
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
    admitted: Admitted, topics: Collection[str], wishes: InputWishes, session: SparkSession
) -> Inputs:
    """Find what of each topic is history; a backfill that has begun has found it already.

    Raises:
        StreamsError: a history is missing, is not the one it was, or does not meet its topic.
    """
    if strangers := sorted({*wishes.files, *wishes.live_from} - set(topics)):
        told = ", ".join(map(repr, sorted(topics)))
        msg = f"the program does not read {', '.join(map(repr, strangers))}; it reads {told}"
        raise StreamsError(msg)
    if pointless := sorted(set(wishes.live_from) - set(wishes.files)):
        msg = (
            f"the history of {', '.join(map(repr, pointless))} is read from Kafka, so the "
            "application goes on where that ends; leave --live-from out, or say --until"
        )
        raise StreamsError(msg)
    given = check_inputs(_opened(wishes.files, session)) if wishes.files else {}
    counts = {topic: frame.count() for topic, frame in given.items()}
    origins = {topic: _origin(wishes.files[topic], counts[topic]) for topic in given}
    plans = (
        _planned(admitted, topics, wishes, given, origins)
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
    return Inputs(plans, {**read, **given}, total + sum(counts.values()))


def _planned(
    admitted: Admitted,
    topics: Collection[str],
    wishes: InputWishes,
    given: Mapping[str, DataFrame],
    origins: Mapping[str, str],
) -> dict[str, InputPlan]:
    plans = {}
    for topic in sorted(topics):
        if topic in given:
            archived = _archived(given[topic])
            _refuse_lost_tables(admitted, topic)
            ends = resolve_live_from(admitted.admin, topic, wishes.live_from.get(topic), archived)
            plans[topic] = InputPlan(origins[topic], {}, ends)
        else:
            stretch = find_range(admitted.admin, topic, until=wishes.bound(topic))
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
    """Give the largest time of a DataFrame's records, in milliseconds."""
    is_time = isinstance(frame.schema["timestamp"].dataType, TimestampType)
    column = F.unix_millis("timestamp") if is_time else F.col("timestamp").cast("long")
    row = frame.agg(F.max(column)).head()
    return None if row is None or row[0] is None else int(row[0])


def _archived(frame: DataFrame) -> dict[int, int] | None:
    """Give where an archive of a topic ends, None if it does not know offsets."""
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
