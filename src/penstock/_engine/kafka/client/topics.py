"""Topics on the broker: which there are, their partitions, their offsets."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Mapping
from concurrent.futures import Future
from typing import Any, Literal, TypeAlias

from confluent_kafka import (
    OFFSET_INVALID,
    IsolationLevel,
    KafkaError,
    KafkaException,
    TopicCollection,
    TopicPartition,
)
from confluent_kafka.admin import (  # type: ignore[attr-defined]  # it marks no exports
    AdminClient,
    ConfigResource,
    NewTopic,
    OffsetSpec,
    ResourceType,
)

from penstock import _clock as clock
from penstock._engine.kafka.client.admin_calls import REQUEST_SECONDS, settle, until, with_retries
from penstock._engine.kafka.client.client_errors import BrokerAway, code_of, is_outdated
from penstock._engine.kafka.client.denials import allowing
from penstock._engine.planner.tasks import Partition
from penstock._engine.topology.nodes.stream_nodes import SourceNode, title_of
from penstock.errors import StreamsError

Isolation: TypeAlias = Literal["read_uncommitted", "read_committed"]

_log = logging.getLogger(__name__)

PATIENCE_SECONDS = 60.0
"""How long a request is tried again, if the caller says nothing else."""
VISIBLE_SECONDS = 30.0
"""How long topics that were made or deleted may take to be seen so."""
_SHORTEST_REQUEST_SECONDS = 1.0
_MADE_SECONDS = 10.0
_PEEK_SECONDS = 3.0
_BROKERS_OWN = frozenset({"__consumer_offsets", "__transaction_state", "__share_group_state"})
_ABSENT = KafkaError.UNKNOWN_TOPIC_OR_PART


def existing_topics(admin: AdminClient, timeout_seconds: float = PATIENCE_SECONDS) -> list[str]:
    """Return the names of all topics a pattern may match, sorted."""
    metadata = with_retries(
        "listing the topics",
        lambda: admin.list_topics(timeout=REQUEST_SECONDS),
        timeout_seconds,
        admin,
    )
    return sorted(topic for topic in metadata.topics if topic not in _BROKERS_OWN)


def partition_counts(
    admin: AdminClient,
    topics: Iterable[str],
    sources: Iterable[SourceNode] = (),
    timeout_seconds: float = PATIENCE_SECONDS,
) -> dict[str, int]:
    """Return how many partitions each of the users' topics has; `sources` are those that read them.

    Raises:
        StreamsError: topics are missing, or may not be seen.
    """
    wanted = sorted(set(topics))
    counts = partition_counts_of(admin, wanted, timeout_seconds)
    missing = [topic for topic in wanted if topic not in counts]
    if missing:
        raise StreamsError(_missing_topics(missing, list(sources)))
    return counts


def output_partition_count(
    admin: AdminClient, topic: str, timeout_seconds: float = PATIENCE_SECONDS
) -> int:
    """Return how many partitions a topic has that is written to.

    Raises:
        StreamsError: there is no such topic, or it may not be seen.
    """
    counts = partition_counts_of(admin, [topic], timeout_seconds)
    if topic not in counts:
        msg = (
            f"topic {topic!r} must exist before a partitioner can choose one of its partitions; "
            "create it, or correct the name"
        )
        raise StreamsError(msg)
    return counts[topic]


def make_missing(
    admin: AdminClient,
    counts: Mapping[str, int],
    copies: int,
    settings: Mapping[str, str] | None = None,
) -> list[str]:
    """Make those topics that the cluster has not, with so many partitions each, and wait until they
    can be used; return their names. -1 leaves a number to the broker.

    Raises:
        StreamsError: one cannot be made.
    """
    there = describe_topics(admin, sorted(counts), PATIENCE_SECONDS)
    missing = {name: count for name, count in sorted(counts.items()) if name not in there}
    if not missing:
        return []
    config = dict(settings or {})
    new = [NewTopic(name, count, copies, config=config) for name, count in missing.items()]
    for name, refusal in settle(admin.create_topics(new))[1].items():
        # Another program may have been quicker.
        if refusal.code() != KafkaError.TOPIC_ALREADY_EXISTS:
            hint = allowing(refusal, "CREATE", "topic", name)
            msg = f"topic {name!r} cannot be made: {refusal.str()}{hint}"
            raise StreamsError(msg)
    wait_until_made(admin, missing)
    return list(missing)


def wait_until_made(admin: AdminClient, counts: Mapping[str, int]) -> None:
    """Wait until topics that were made can be used: all their partitions are seen, and each has a
    leader. The controller's answer says less, and brokers get the metadata one after the other; so
    it must be seen as often in a row as there are brokers.

    Raises:
        StreamsError: that takes too long.
    """
    brokers = len(admin.list_topics(timeout=REQUEST_SECONDS).brokers)
    in_a_row = 0

    def usable() -> bool:
        nonlocal in_a_row
        seen = led_counts(admin, counts)
        all_seen = all(seen.get(topic, 0) >= max(count, 1) for topic, count in counts.items())
        in_a_row = in_a_row + 1 if all_seen else 0
        return in_a_row >= brokers or (all_seen and usable())

    if counts and not until(usable, VISIBLE_SECONDS):
        msg = (
            f"topics were made, but cannot be used {VISIBLE_SECONDS:.0f} s later: "
            f"{', '.join(sorted(counts))}; were they deleted a moment ago? then start again"
        )
        raise StreamsError(msg)


def purge(admin: AdminClient, offsets: Mapping[Partition, int]) -> None:
    """Delete the records before each offset; do not wait.

    Committed records are not needed any more, so a purge that fails is logged, not raised: the next
    one covers it.
    """
    if not offsets:
        return
    positions = [
        TopicPartition(topic, number, offset) for (topic, number), offset in offsets.items()
    ]
    for place, future in admin.delete_records(positions).items():
        future.add_done_callback(_logging_failure(place))


def end_offsets(
    admin: AdminClient,
    partitions: Iterable[Partition],
    isolation: Isolation = "read_uncommitted",
    timeout_seconds: float = PATIENCE_SECONDS,
) -> dict[Partition, int]:
    """Return the end offset of each partition: after all records, or before the first open
    transaction.

    Raises:
        StreamsError: the cluster does not answer, or refuses.
    """
    latest = OffsetSpec.latest()  # type: ignore[no-untyped-call]
    return offsets_at(admin, partitions, latest, isolation, timeout_seconds)


def first_offsets(admin: AdminClient, partitions: Iterable[Partition]) -> dict[Partition, int]:
    """Return the first offset that each partition still has; raises as `end_offsets` does."""
    return offsets_at(admin, partitions, OffsetSpec.earliest())  # type: ignore[no-untyped-call]


def offsets_at(
    admin: AdminClient,
    partitions: Iterable[Partition],
    spec: OffsetSpec,
    isolation: Isolation = "read_uncommitted",
    timeout_seconds: float = PATIENCE_SECONDS,
) -> dict[Partition, int]:
    """Return the offset of each partition that `spec` asks for, -1 for a time without a record;
    raises as `end_offsets` does.
    """
    answers, refusals = ask_offsets(admin, partitions, spec, isolation, timeout_seconds)
    for partition, refusal in refusals.items():
        raise offsets_refused(partition, refusal)
    return {partition: answer.offset for partition, answer in answers.items()}


def offsets_refused(partition: Partition, refusal: KafkaError) -> StreamsError:
    """Return the error for a partition whose offsets the cluster refuses."""
    topic, number = partition
    msg = (
        f"the offsets of topic {topic!r}, partition {number} cannot be told: "
        f"{refusal.str()}{allowing(refusal, 'DESCRIBE', 'topic', topic)}"
    )
    return StreamsError(msg)


def ask_offsets(
    admin: AdminClient,
    partitions: Iterable[Partition],
    spec: OffsetSpec,
    isolation: Isolation = "read_uncommitted",
    timeout_seconds: float = PATIENCE_SECONDS,
) -> tuple[dict[Partition, Any], dict[Partition, KafkaError]]:
    """Return offset and timestamp that `spec` asks for of each partition, and the refusals.

    Raises:
        BrokerAway: the cluster does not answer.
    """
    level = IsolationLevel[isolation.upper()]
    asked = {TopicPartition(*partition): spec for partition in partitions}
    if not asked:
        return {}, {}

    def ask() -> tuple[dict[TopicPartition, Any], dict[TopicPartition, KafkaError]]:
        # A request that has no time at all ends the process: librdkafka frees its memory twice.
        patience = min(REQUEST_SECONDS, max(timeout_seconds, _SHORTEST_REQUEST_SECONDS))
        futures = admin.list_offsets(asked, isolation_level=level, request_timeout=patience)
        try:
            answers, refusals = settle(futures)
            _check_answered(answers)
        except KafkaException as error:
            if not is_outdated(code_of(error)):
                raise
            # The client asks the leaders it knows of, and does not look for new ones by itself.
            known = admin.list_topics(timeout=REQUEST_SECONDS).topics
            absent = {place: code_of(error) for place in asked if place.topic not in known}
            if not absent:
                raise
            return {}, absent
        return answers, refusals

    answers, refusals = with_retries("asking for offsets", ask, timeout_seconds, admin)
    return (
        {(place.topic, place.partition): answer for place, answer in answers.items()},
        {(place.topic, place.partition): refusal for place, refusal in refusals.items()},
    )


def peek_at_ends(admin: AdminClient, known: Collection[str]) -> dict[str, dict[int, int]]:
    """Return the end offsets of all topics but the `known` ones, which matter to the caller. Those
    that are refused, gone or silent, or have a partition without a leader, are left out.
    """
    try:
        listed = admin.list_topics(timeout=_PEEK_SECONDS).topics
    except KafkaException as error:
        _log.debug("the topics of the cluster cannot be listed: %s", error)
        return {}
    others = {name: one for name, one in listed.items() if name not in {*known, *_BROKERS_OWN}}
    # The client answers for no partition of a request until each has a leader.
    led = {
        name: [TopicPartition(name, number) for number in sorted(one.partitions)]
        for name, one in others.items()
        if one.error is None and all(each.leader >= 0 for each in one.partitions.values())
    }
    ends = _ask_once(admin, [[place for places in led.values() for place in places]])
    # One that is gone may have spoilt the answer for all.
    ends |= _ask_once(admin, [places for name, places in led.items() if name not in ends])
    if silent := sorted(others.keys() - ends.keys()):
        _log.debug("topics that do not tell their ends are left out: %s", ", ".join(silent))
    return ends


def _ask_once(
    admin: AdminClient, requests: Iterable[list[TopicPartition]]
) -> dict[str, dict[int, int]]:
    """Return the end offsets of those topics that tell all of them soon."""
    deadline = clock.monotonic() + _PEEK_SECONDS
    latest = OffsetSpec.latest()  # type: ignore[no-untyped-call]
    futures: dict[TopicPartition, Future[Any]] = {}
    for places in filter(None, requests):
        asked = dict.fromkeys(places, latest)
        futures |= admin.list_offsets(asked, request_timeout=_PEEK_SECONDS)
    ends: dict[str, dict[int, int]] = {}
    untold = set()
    for place, future in futures.items():
        try:
            end = future.result(max(0.0, deadline - clock.monotonic())).offset
        except (KafkaException, TimeoutError):
            end = OFFSET_INVALID
        if end == OFFSET_INVALID:
            untold.add(place.topic)
        ends.setdefault(place.topic, {})[place.partition] = end
    return {topic: told for topic, told in ends.items() if topic not in untold}


def _check_answered(answers: Mapping[TopicPartition, Any]) -> None:
    """Refuse answers of a broker that gave none: of a cluster in which one broker is away the
    client returns the offsets that the others told, and for the rest no error but this offset.
    """
    for place, answer in answers.items():
        if answer.offset == OFFSET_INVALID:
            msg = f"no broker has told an offset of topic {place.topic}, {place.partition}"
            raise KafkaException(KafkaError(KafkaError.LEADER_NOT_AVAILABLE, msg))


def partition_counts_of(
    admin: AdminClient, topics: Iterable[str], timeout_seconds: float
) -> dict[str, int]:
    """Return how many partitions those of `topics` have that exist."""
    found = describe_topics(admin, topics, timeout_seconds)
    return {name: len(answer.partitions) for name, answer in found.items()}


def led_counts(admin: AdminClient, topics: Iterable[str]) -> dict[str, int]:
    """Return how many partitions of those topics that exist have a leader: before they have, they
    cannot be read or written.
    """
    answers = describe_topics(admin, topics, PATIENCE_SECONDS)
    return {
        name: sum(partition.leader is not None for partition in answer.partitions)
        for name, answer in answers.items()
    }


def describe_topics(
    admin: AdminClient, topics: Iterable[str], timeout_seconds: float
) -> dict[str, Any]:
    """Return what the cluster knows of those of `topics` that exist."""
    names = list(topics)
    if not names:
        return {}

    def ask() -> tuple[dict[str, Any], dict[str, KafkaError]]:
        # Unlike a metadata request for a name, this makes no topic where brokers make them freely.
        collection = TopicCollection(names)
        return settle(admin.describe_topics(collection, request_timeout=REQUEST_SECONDS))

    answers, refusals = with_retries("asking for topics", ask, timeout_seconds, admin)
    for name, refusal in refusals.items():
        if refusal.code() != _ABSENT:
            hint = allowing(refusal, "DESCRIBE", "topic", name)
            msg = f"topic {name!r} cannot be looked at: {refusal.str()}{hint}"
            raise StreamsError(msg)
    return answers


def settings_of_topics(
    admin: AdminClient, topics: Iterable[str], timeout_seconds: float = PATIENCE_SECONDS
) -> dict[str, dict[str, str]]:
    """Return the settings of those of `topics` that exist and may be described."""
    resources = [ConfigResource(ResourceType.TOPIC, name) for name in topics]
    if not resources:
        return {}
    answers, _ = with_retries(
        "asking for the settings of topics",
        lambda: settle(admin.describe_configs(resources, request_timeout=REQUEST_SECONDS)),
        timeout_seconds,
        admin,
    )
    return {
        resource.name: {key: entry.value for key, entry in entries.items()}
        for resource, entries in answers.items()
    }


def _missing_topics(missing: list[str], sources: list[SourceNode]) -> str:
    parts = []
    for topic in missing:
        readers = [title_of(source) for source in sources if topic in source.topics]
        reader = f", read by {', '.join(readers)}" if readers else ""
        parts.append(f"{topic!r}{reader}")
    return (
        f"source topics must exist before the application starts; missing: {'; '.join(parts)}; "
        "create them with as many partitions as there shall be tasks: penstock topics APP --create "
        "--partitions N; or correct the names"
    )


def _logging_failure(place: TopicPartition) -> Any:
    def log_failure(future: Future[Any]) -> None:
        error = future.exception()
        if error is not None:
            hint = (
                allowing(code_of(error), "DELETE", "topic", place.topic)
                if isinstance(error, KafkaException)
                else ""
            )
            _log.warning(
                "topic=%s partition=%s could not be purged: %s%s",
                place.topic,
                place.partition,
                error,
                hint,
            )

    return log_failure


def check_outputs(
    admin: AdminClient,
    writers: Mapping[str, str],
    before: str = "the application starts",
    command: str = "penstock topics APP --create",
) -> None:
    """Check that the topics to write to exist. Where the brokers create topics on request
    (`auto.create.topics.enable`), request the missing ones, as Java's producer does, and wait for
    them. The error names what writes to each topic (`writers`), what needs them (`before`) and the
    command that creates them.

    Raises:
        StreamsError: one is missing, and the cluster makes none by itself.
    """
    missing = missing_outputs(admin, writers)
    if missing:
        listed = "; ".join(f"{topic!r}, written by {writers[topic]}" for topic in missing)
        msg = (
            f"output topics must exist before {before}; missing: {listed}; create them: {command}; "
            "or correct the names"
        )
        raise StreamsError(msg)


def missing_outputs(admin: AdminClient, topics: Iterable[str]) -> list[str]:
    """Return which topics are not there, and do not come if they are asked for, sorted."""
    missing = set(topics) - set(partition_counts_of(admin, topics, PATIENCE_SECONDS))
    if missing and _makes_topics(admin):

        def all_made() -> bool:
            for topic in missing:
                admin.list_topics(topic, timeout=REQUEST_SECONDS)
            missing.difference_update(partition_counts_of(admin, missing, _MADE_SECONDS))
            return not missing

        with_retries(
            "asking for topics to be made", lambda: until(all_made, _MADE_SECONDS), _MADE_SECONDS
        )
    return sorted(missing)


def _makes_topics(admin: AdminClient) -> bool:
    """No if the brokers say that they make no topics; if they say nothing, they might.

    Reading that setting takes a right of its own.
    """
    try:
        brokers = admin.list_topics(timeout=REQUEST_SECONDS).brokers
        resource = ConfigResource(ResourceType.BROKER, str(min(brokers)))
        answers, _ = settle(admin.describe_configs([resource], request_timeout=REQUEST_SECONDS))
        return all(
            entries["auto.create.topics.enable"].value != "false" for entries in answers.values()
        )
    except (KafkaException, BrokerAway, KeyError, ValueError):
        return True
