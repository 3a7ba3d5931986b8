"""What a backfill does on a real broker: each record once over all attempts; then the handover."""

from __future__ import annotations

from pathlib import Path

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import (  # type: ignore[attr-defined]  # it marks no exports
    ConfigResource,
    NewPartitions,
    ResourceType,
)

from penstock import Consumed, Materialized, Produced, StreamsBuilder, TimeWindows, Topology, serdes
from penstock._engine.kafka.application.backfill_journal import BackfillPlan, InputPlan, read_plan
from penstock._engine.kafka.application.preparation import prepare
from penstock._engine.kafka.application.resume import find_lost_offsets
from penstock._engine.kafka.backfill.admission import Admitted, admit
from penstock._engine.kafka.backfill.chunks import Limits
from penstock._engine.kafka.backfill.delivery import DeliverySite, TaskDelivery
from penstock._engine.kafka.backfill.handover import Handover
from penstock._engine.kafka.backfill.live_from import (
    Archive,
    LiveFrom,
    refuse_left_out,
    resolve_live_from,
)
from penstock._engine.kafka.backfill.retention import keep_windows, latest_time
from penstock._engine.kafka.client.admin_calls import open_admin
from penstock._engine.kafka.client.groups import delete_group
from penstock._engine.kafka.client.stable_ends import stable_ends
from penstock._engine.kafka.client.topic_history import TopicRange, reading_settings
from penstock._engine.kafka.client.topic_io import TopicReader
from penstock._engine.runtime.commit import CommitOffset, encode_partition_time
from penstock._engine.runtime.records import Output
from penstock.errors import StreamsError
from penstock.settings import StreamsConfig
from penstock.testing.broker import CreateTopic, LocalBroker
from tests.broker.applications import PATIENCE_SECONDS, run_until, settings, write

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("_kafka_can_be_had")]

TEXT = serdes.string()
LIMITS = Limits(outputs=3)


def counting(topic: str) -> Topology:
    builder = StreamsBuilder()
    read = Consumed(TEXT, TEXT)
    builder.stream(topic, read).group_by_key().count(Materialized("counts", TEXT, serdes.long()))
    return builder.build()


class Case:
    """An application that is about to be backfilled, and a topic that its tasks write to."""

    def __init__(self, broker: LocalBroker, create: CreateTopic, tmp_path: Path) -> None:
        self.broker = broker
        self.topic = create("in")
        self.out = create("out")
        self.config = settings(broker, tmp_path, f"backfill-{self.topic}")
        self.topology = counting(self.topic)

    def admit(self, *, reset: bool = False) -> Admitted:
        return admit(self.topology, self.config, reset=reset)

    def plan(self, admitted: Admitted) -> BackfillPlan:
        inputs = {self.topic: InputPlan("kafka", {0: 0}, {0: 7})}
        return BackfillPlan("run-1", admitted.program_id, 1000, inputs)

    def begin(self) -> tuple[Handover, Admitted]:
        """Admit the application and write its plan down."""
        admitted = self.admit()
        handover = Handover(admitted.blueprint, self.plan(admitted), admitted.admin)
        handover.write_plan()
        return handover, admitted

    def delivery(self) -> TaskDelivery:
        return TaskDelivery(DeliverySite(self.config, "run-1", frozenset(), LIMITS), 0)

    def outputs(self, first: int, end: int) -> list[Output]:
        return [(self.out, 0, b"k", str(one).encode(), 1000, ()) for one in range(first, end)]

    def written(self) -> list[str]:
        reader, values = TopicReader(self.broker.bootstrap_servers, [self.out]), list[str]()
        while not reader.caught_up:
            values += [(record.value or b"").decode() for record in reader.read(1.0)]
        reader.close()
        return values


@pytest.fixture
def case(kafka_broker: LocalBroker, kafka_topic: CreateTopic, tmp_path: Path) -> Case:
    return Case(kafka_broker, kafka_topic, tmp_path)


def numbers(first: int, end: int) -> list[str]:
    return [str(one) for one in range(first, end)]


def test_a_task_that_is_run_again_writes_only_what_is_missing(case: Case) -> None:
    case.begin()
    first = case.delivery()
    first.take(case.outputs(0, 8))  # two chunks of three; the rest waits
    first.close()
    assert case.written() == numbers(0, 6)

    second = case.delivery()
    second.take(case.outputs(0, 5))
    second.take(case.outputs(5, 11))
    assert second.finish() == 11
    second.close()

    assert case.written() == numbers(0, 11)


def test_a_task_that_is_done_writes_nothing_when_it_is_run_again(case: Case) -> None:
    case.begin()
    for _ in range(2):
        delivery = case.delivery()
        delivery.take(case.outputs(0, 7))
        delivery.finish()
        delivery.close()

    assert case.written() == numbers(0, 7)


def test_a_backfill_does_not_go_on_after_a_partition_was_added(case: Case, tmp_path: Path) -> None:
    builder = StreamsBuilder()  # without state: no changelog has the number of its partitions
    builder.stream(case.topic, Consumed(TEXT, TEXT)).to(case.out, Produced(TEXT, TEXT))
    case.topology = builder.build()
    case.begin()
    assert case.admit().begun is not None
    admin = open_admin(case.config)
    admin.create_partitions([NewPartitions(case.topic, 2)])[case.topic].result(PATIENCE_SECONDS)

    with pytest.raises(StreamsError, match=rf"'{case.topic}' had 1 partitions and has 2.*--reset"):
        case.admit()
    assert case.admit(reset=True).begun is None


def test_of_two_that_run_the_same_task_the_first_is_fenced(case: Case) -> None:
    case.begin()
    zombie = case.delivery()
    zombie.take(case.outputs(0, 3))

    second = case.delivery()
    second.take(case.outputs(0, 9))
    zombie.take(case.outputs(3, 5))
    with pytest.raises(StreamsError, match="another worker has taken over"):
        zombie.finish()
    second.finish()
    for delivery in (zombie, second):
        delivery.close()

    assert case.written() == numbers(0, 9)


def test_a_program_that_gives_other_records_the_second_time_is_refused(case: Case) -> None:
    case.begin()
    first = case.delivery()
    first.take(case.outputs(0, 3))
    first.close()

    second = case.delivery()
    with pytest.raises(StreamsError, match="gives other records than when it first ran"):
        second.take(case.outputs(5, 8))
    second.close()

    assert case.written() == numbers(0, 3)


def test_a_program_that_gives_fewer_records_the_second_time_is_refused(case: Case) -> None:
    case.begin()
    first = case.delivery()
    first.take(case.outputs(0, 6))
    first.close()

    second = case.delivery()
    second.take(case.outputs(0, 4))
    with pytest.raises(StreamsError, match="gives other records than when it first ran"):
        second.finish()
    second.close()


def test_the_live_application_does_not_start_before_the_backfill_has_finished(case: Case) -> None:
    handover, admitted = case.begin()
    with pytest.raises(StreamsError, match="run 'penstock backfill' again"):
        prepare(case.topology, case.config)
    with pytest.raises(StreamsError, match="tasks 0_0 of the backfill are not done"):
        handover.finish()

    delivery = case.delivery()
    delivery.committed([((case.topic, 0), CommitOffset(5, encode_partition_time(4200)))])
    delivery.finish()
    delivery.close()
    handover.finish()
    handover.close()

    prepare(case.topology, case.config)
    consumer = Consumer(
        {
            "bootstrap.servers": case.broker.bootstrap_servers,
            "group.id": case.config.application_id,
        }
    )
    (place,) = consumer.committed([TopicPartition(case.topic, 0)], timeout=30)
    consumer.close()
    assert (place.offset, place.metadata) == (7, encode_partition_time(4200))
    # Refused, if the group has forgotten them when the application starts at last.
    delete_group(admitted.admin, case.config.application_id)
    (lost,) = find_lost_offsets(case.config).offsets
    assert (lost.topic, lost.marked, lost.is_last) == (case.topic, 7, True)
    assert lost.metadata == encode_partition_time(4200)


def test_a_backfill_that_has_begun_is_gone_on_with(case: Case) -> None:
    handover, admitted = case.begin()
    handover.close()

    assert case.admit().begun == case.plan(admitted)


def test_a_backfill_is_not_gone_on_with_by_another_program(case: Case) -> None:
    handover, _ = case.begin()
    handover.close()
    builder = StreamsBuilder()
    stream = builder.stream(case.topic, Consumed(TEXT, TEXT))
    stream.group_by_key().count(Materialized("others", TEXT, serdes.long()))

    with pytest.raises(StreamsError, match="has begun with another program"):
        admit(builder.build(), case.config, reset=False)


def test_a_driver_that_was_replaced_finishes_nothing(case: Case) -> None:
    first, admitted = case.begin()
    second = Handover(admitted.blueprint, case.plan(admitted), admitted.admin)
    delivery = case.delivery()
    delivery.finish()
    delivery.close()

    with pytest.raises(StreamsError, match="another worker has taken over"):
        first.finish()
    second.finish()
    assert read_plan(case.config, admitted.admin) is None


def test_an_application_that_has_run_is_refused_and_can_be_reset(case: Case) -> None:
    write(case.broker, case.topic, [("a", "1"), ("a", "2")])
    changelog = f"{case.config.application_id}-counts-changelog"
    run_until(case.topology, case.config, lambda out: sum(one[0] == changelog for one in out) == 2)

    with pytest.raises(StreamsError, match="it has run before") as refusal:
        case.admit()
    told = str(refusal.value)
    assert "committed offsets for 1 partitions" in told
    assert f"records in '{changelog}'" in told
    assert "local state of tasks 0_0" in told

    assert case.admit(reset=True).begun is None
    assert case.admit().begun is None


@pytest.mark.parametrize(
    ("wish", "archived", "end"),
    [("earliest", None, 0), ("latest", None, 2), (None, {0: 1}, 1), ({0: 1}, {0: 2}, 1)],
)
def test_after_files_the_application_goes_on_where_they_end_or_the_user_says(
    case: Case, wish: LiveFrom | None, archived: dict[int, int] | None, end: int
) -> None:
    write(case.broker, case.topic, [("b", "1"), ("b", "2")])

    assert resolve_live_from(case.admit().admin, case.topic, wish, archived) == {0: end}


@pytest.mark.parametrize(
    ("archived", "told"),
    [
        (None, "--live-from"),
        ({0: 99}, "the history of another topic"),
        ({5: 1}, "has partition 5, which the topic has not"),
    ],
)
def test_files_that_do_not_meet_their_topic_are_refused(
    case: Case, archived: dict[int, int] | None, told: str
) -> None:
    with pytest.raises(StreamsError, match=told):
        resolve_live_from(case.admit().admin, case.topic, None, archived)


def test_an_archive_whose_last_rows_were_left_out_is_refused(
    case: Case, kafka_topic: CreateTopic
) -> None:
    topic, admin = kafka_topic("filtered", 2), open_admin(case.config)
    settings = reading_settings(case.config)
    producer = Producer(
        {"bootstrap.servers": case.broker.bootstrap_servers, "transactional.id": topic}
    )
    producer.init_transactions(30)
    producer.begin_transaction()
    for number in range(4):
        producer.produce(topic, "v", partition=number % 2)
    producer.commit_transaction(30)
    ends = stable_ends(admin, [(topic, 0), (topic, 1)])
    assert set(ends.values()) == {3}  # two records and a marker

    def check(rows: dict[int, int], told: tuple[int, ...] = ()) -> None:
        refuse_left_out(Archive({0: 3, 1: 3}, rows), topic, told, admin, settings)

    check({0: 2, 1: 2})
    said = (
        r"partition 0 was read up to offset 3, its rows end at 0; partition 1 .* rows end at 1: "
        rf".*live_from={{'{topic}': {{0: 0, 1: 1}}}} .*{{0: 3, 1: 3}}.*--live-from {topic}=MOMENT"
    )
    with pytest.raises(StreamsError, match=said):
        check({0: 0, 1: 1})
    check({1: 2}, told=(0,))
    # An archive of an earlier version, without the offsets where it began.
    said = rf"no rows of partition 0, .*live_from={{'{topic}': {{0: 3}}}} .* or {{0: 0}} to process"
    with pytest.raises(StreamsError, match=said) as caught:
        check({1: 2})
    assert "were left out" not in str(caught.value)
    with pytest.raises(StreamsError, match=r"its rows end at 1: .*; it has no rows of partition 0"):
        check({1: 1})


def test_offsets_of_some_partitions_leave_no_records_out_of_the_others(
    case: Case, kafka_topic: CreateTopic
) -> None:
    topic, admin = kafka_topic("two", 2), open_admin(case.config)
    producer = Producer({"bootstrap.servers": case.broker.bootstrap_servers})
    for number in range(6):
        producer.produce(topic, "v", partition=number % 2)
    producer.flush()

    assert resolve_live_from(admin, topic, {0: 2}, {0: 1, 1: 1}) == {0: 2, 1: 1}
    assert resolve_live_from(admin, topic, {0: 2}, {}) == {0: 2, 1: 0}
    assert resolve_live_from(admin, topic, {0: 2, 1: -1}, None) == {0: 2, 1: 3}
    with pytest.raises(StreamsError, match="it has none of 1; say where"):
        resolve_live_from(admin, topic, {0: 2}, None)


def test_changelogs_of_windows_keep_an_old_history(case: Case) -> None:
    builder = StreamsBuilder()
    grouped = builder.stream(case.topic, Consumed(TEXT, TEXT)).group_by_key()
    windows = grouped.windowed_by(TimeWindows.of_size(1000))
    windows.count(Materialized("windows", TEXT, serdes.long()))
    case.topology = builder.build()
    admitted = case.admit()
    reading = reading_settings(case.config)

    def time_at(end: int) -> int | None:
        history = TopicRange(case.topic, {0: 0}, {0: end})
        return latest_time(admitted.admin, reading, history)

    assert time_at(0) is None
    producer = Producer({"bootstrap.servers": case.broker.bootstrap_servers})
    for timestamp in (5000, 9000, 7000, 99_000):
        producer.produce(case.topic, "v", "k", timestamp=timestamp)
    producer.flush()
    assert time_at(4) == 99_000
    # Cut off before the last record, which is far ahead of the history.
    assert [time_at(1), time_at(3)] == [5000, 9000]

    age_ms = 1000 * 24 * 60 * 60 * 1000
    keep_windows(admitted.admin, admitted.blueprint, {0: age_ms})

    changelog = f"{case.config.application_id}-windows-changelog"
    resource = ConfigResource(ResourceType.TOPIC, changelog)
    settings_of = admitted.admin.describe_configs([resource])[resource].result()
    assert int(settings_of["retention.ms"].value) > age_ms


def test_settings_of_the_live_application_do_not_hinder_transactions(
    case: Case, tmp_path: Path
) -> None:
    live = {
        **case.config.given(),
        "processing.guarantee": "at_least_once",
        "commit.interval.ms": 90_000,
    }
    case.config = StreamsConfig(live)
    case.begin()
    delivery = case.delivery()
    delivery.take(case.outputs(0, 2))
    delivery.finish()
    delivery.close()

    assert case.written() == numbers(0, 2)
