"""The inputs of a backfill: the history in Kafka's topics and in files, as DataFrames."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeAlias

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import TimestampType

from penstock._engine.kafka.application.backfill_journal import BackfillPlan, InputPlan
from penstock._engine.kafka.backfill.admission import Admitted
from penstock._engine.kafka.backfill.live_from import (
    Archive,
    LiveFrom,
    refuse_left_out,
    resolve_live_from,
)
from penstock._engine.kafka.backfill.retention import latest_time
from penstock._engine.kafka.client.topic_history import (
    Bound,
    TopicRange,
    check_bound,
    check_bounds,
    find_range,
    reading_settings,
)
from penstock._engine.planner.blueprint import Blueprint
from penstock._engine.spark.batch.history import history_ends, history_starts, read_stretch
from penstock._engine.spark.batch.inputs import (
    check_given,
    frame_of,
    has_all_offsets,
    in_bytes,
)
from penstock._engine.spark.batch.plan_serdes import serdes_among
from penstock._engine.spark.batch.tasks.topic_feeds import TopicFeeds
from penstock._engine.spark.batch.typed import Typed
from penstock.errors import ConfigError, StreamsError
from penstock.settings import StreamsConfig

Until: TypeAlias = datetime | int | Mapping[str, Bound] | None
"""A moment, a bound for each topic, or None for as far as the topics go now."""

_KAFKA = "kafka"


@dataclass(frozen=True, slots=True)
class InputOptions:
    """The user's choices about the inputs."""

    until: Until = None
    files: Mapping[str, DataFrame | Typed | str] = field(default_factory=dict)
    """History that is not read from Kafka: DataFrames, typed ones, or paths of Parquet files."""
    live_from: Mapping[str, LiveFrom] = field(default_factory=dict)
    """Where the live application begins to read topics with such a history."""

    def __post_init__(self) -> None:
        until: object = self.until
        if isinstance(until, Mapping) and all(isinstance(topic, str) for topic in until):
            for topic, bound in until.items():
                check_bound(f"until of topic {topic!r}", bound)
        else:
            check_bounds("until", until)
        if not isinstance(self.live_from, Mapping):
            msg = (
                f"live_from must be a dict of topics and where each goes on; got {self.live_from!r}"
            )
            raise ConfigError(msg)
        for topic, where in self.live_from.items():
            check_bound(f"live_from of topic {topic!r}", where)

    def bound(self, topic: str) -> Bound:
        """Return where a topic's history ends."""
        return self.until.get(topic) if isinstance(self.until, Mapping) else self.until


@dataclass(frozen=True, slots=True)
class Inputs:
    """The inputs of one run, be it the first or a resumed one."""

    plans: Mapping[str, InputPlan]
    given: Mapping[str, DataFrame]
    """The history that is not in Kafka, as it was given."""
    in_bytes: Mapping[str, DataFrame]
    """The same, as bytes."""
    topic_feeds: TopicFeeds
    """The topics whose history is in Kafka, for the tasks that read them themselves."""
    records: int
    """About how many there are."""

    def frames(self, config: StreamsConfig, session: SparkSession) -> dict[str, DataFrame]:
        """Return all inputs as DataFrames, those in Kafka as well."""
        ranges = self.topic_feeds.ranges
        read = {topic: read_stretch(one, config, session) for topic, one in ranges.items()}
        return {**read, **self.in_bytes}

    def latest_times(self, admitted: Admitted, topics: Iterable[str]) -> dict[str, int]:
        """Return about when the history of each of these topics ends; those without records are
        left out.
        """
        ranges, settings = self.topic_feeds.ranges, self.topic_feeds.settings
        times = {
            topic: _latest(self.given[topic])
            if topic in self.given
            else latest_time(admitted.admin, settings, ranges[topic])
            for topic in topics
            if topic in self.plans
        }
        return {topic: time for topic, time in times.items() if time is not None}


def open_inputs(
    admitted: Admitted, topics: Collection[str], options: InputOptions, session: SparkSession
) -> Inputs:
    """Find the history of each topic; a resumed backfill has found it already.

    Raises:
        StreamsError: a history is missing, is not the one it was, or does not meet its topic.
    """
    _check_topics(options, topics)
    opened = check_given(_opened(options.files, session)) if options.files else {}
    # As they were given: bytes do not know their end offsets, which are in the schema.
    given = {topic: frame_of(one) for topic, one in opened.items()}
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
    total = sum(sum(one.ends.values()) - sum(one.starts.values()) for one in of_kafka.values())
    feeds = TopicFeeds(of_kafka, reading_settings(config))
    frames = {topic: _in_bytes(topic, one, admitted.blueprint) for topic, one in opened.items()}
    return Inputs(plans, given, frames, feeds, total + sum(counts.values()))


def without_offsets(options: InputOptions, session: SparkSession) -> set[str]:
    """Return the topics whose history is given without offsets of its own, or with rows that lack
    them.
    """
    opened = check_given(_opened(options.files, session))
    return {topic for topic, one in opened.items() if not has_all_offsets(frame_of(one))}


def _in_bytes(topic: str, given: DataFrame | Typed, blueprint: Blueprint) -> DataFrame:
    if not isinstance(given, Typed):
        return given
    plans = [task.subtopology for task in blueprint.tasks]
    if blueprint.global_stores is not None:
        plans.append(blueprint.global_stores)
    return in_bytes(topic, given, serdes_among(plans, topic, blueprint.config))


def _check_topics(options: InputOptions, topics: Collection[str]) -> None:
    """Refuse wishes about topics that the program does not read, and those without an effect."""
    bounded = set(options.until) if isinstance(options.until, Mapping) else set[str]()
    if strangers := sorted({*options.files, *options.live_from, *bounded} - set(topics)):
        known = ", ".join(map(repr, sorted(topics)))
        msg = f"the program does not read {', '.join(map(repr, strangers))}; it reads {known}"
        raise StreamsError(msg)
    if pointless := sorted(set(options.live_from) - set(options.files)):
        msg = (
            f"the history of {', '.join(map(repr, pointless))} is read from Kafka, so the "
            "application goes on where that ends; leave --live-from out, or say --until"
        )
        raise StreamsError(msg)
    if pointless := sorted(bounded & set(options.files)):
        msg = (
            f"the history of {', '.join(map(repr, pointless))} is read from --input, whole; leave "
            "its offsets out of --until; to process less of it, leave rows out of the files, and "
            "say with --live-from where the application goes on"
        )
        raise StreamsError(msg)


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
            archive, wish = _archived(given[topic]), options.live_from.get(topic)
            _refuse_lost_tables(admitted, topic)
            archived = None if archive is None else archive.ends
            ends = resolve_live_from(admitted.admin, topic, wish, archived)
            if archive is not None and (wish is None or isinstance(wish, Mapping)):
                settings = reading_settings(admitted.blueprint.config)
                refuse_left_out(archive, topic, wish or (), admitted.admin, settings)
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


def _opened(
    files: Mapping[str, DataFrame | Typed | str], session: SparkSession
) -> dict[str, DataFrame | Typed]:
    frames: dict[str, DataFrame | Typed] = {}
    for topic, given in files.items():
        try:
            frames[topic] = session.read.parquet(given) if isinstance(given, str) else given
        except PySparkException as error:
            why = str(error).partition("\n")[0]
            msg = f"the history of topic {topic!r} cannot be read from {given!r}: {why}"
            raise StreamsError(msg) from None
    return frames


def _origin(given: DataFrame | Typed | str, records: int) -> str:
    what = given if isinstance(given, str) else "a DataFrame"
    return f"{what} of {records} records"


def _latest(frame: DataFrame) -> int | None:
    """Return the largest timestamp of a DataFrame's records, in milliseconds."""
    is_time = isinstance(frame.schema["timestamp"].dataType, TimestampType)
    column = F.unix_millis("timestamp") if is_time else F.col("timestamp").cast("long")
    row = frame.agg(F.max(column)).head()
    return None if row is None or row[0] is None else int(row[0])


def _archived(frame: DataFrame) -> Archive | None:
    """Return where an archive of a topic ends, None if it has no offsets."""
    if not {"partition", "offset"} <= set(frame.columns):
        return None
    ends, row_ends = dict(history_ends(frame) or {}), dict(history_starts(frame) or {})
    for row in frame.groupBy("partition").agg(F.max("offset").alias("last")).collect():
        if row["partition"] is None or row["last"] is None:
            return None
        partition, last = int(row["partition"]), int(row["last"])
        row_ends[partition] = last + 1
        ends[partition] = max(ends.get(partition, 0), last + 1)
    return Archive(ends, row_ends)


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
