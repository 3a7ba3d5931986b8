"""Internal topics, partition counts and offsets on a real broker."""

from __future__ import annotations

import itertools
import logging
import re
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip(
    "confluent_kafka", reason="the Kafka client is not installed; make engine installs it"
)

from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import (  # type: ignore[attr-defined]
    AdminClient,
    ConfigResource,
    ResourceType,
)

from penstock import StreamsBuilder, StreamsConfig
from penstock._engine.kafka.application.internal_topics import (
    delete_internal_topics,
    ensure_internal_topics,
)
from penstock._engine.kafka.client import topics
from penstock._engine.kafka.client.admin_calls import until
from penstock._engine.kafka.client.clients import (
    admin_settings,
    consumer_settings,
    producer_settings,
)
from penstock._engine.kafka.client.topics import (
    end_offsets,
    existing_topics,
    partition_counts,
    peek_at_ends,
    purge,
)
from penstock._engine.planner.internal_topics import InternalTopicPlan, Kind
from penstock._engine.planner.plan import plan_subtopologies
from penstock.errors import ConfigError, StreamsError
from penstock.testing.broker import CreateTopic, LocalBroker

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("_kafka_can_be_had")]

_numbers = itertools.count(1)

MakeConfig = Callable[..., StreamsConfig]


@pytest.fixture
def make_config(kafka_broker: LocalBroker) -> MakeConfig:
    """Return the settings of an application of this test alone."""
    application = f"topics-{next(_numbers)}"

    def make(**settings: Any) -> StreamsConfig:
        return StreamsConfig(
            {
                "application.id": application,
                "bootstrap.servers": kafka_broker.bootstrap_servers,
                "log_level": 0,  # the broker ends before its clients do
                **{key.replace("__", "."): value for key, value in settings.items()},
            }
        )

    return make


@pytest.fixture
def admin(make_config: MakeConfig) -> AdminClient:
    return AdminClient(admin_settings(make_config()))


def plans(config: StreamsConfig, **ends: tuple[Kind, int]) -> dict[str, InternalTopicPlan]:
    """Return plans of topics by the ends of their names."""
    named = {f"{config.application_id}-{end}": plan for end, plan in ends.items()}
    return {name: InternalTopicPlan(name, kind, n, {}) for name, (kind, n) in named.items()}


def settings_of(admin: AdminClient, topic: str) -> dict[str, str]:
    """Return the settings that were given to a topic, not taken from the broker."""
    (future,) = admin.describe_configs([ConfigResource(ResourceType.TOPIC, topic)]).values()
    return {
        name: entry.value
        for name, entry in future.result().items()
        if entry.source == 1  # the topic's own
    }


class TestMaking:
    def test_topics_are_made_with_javas_settings(
        self, admin: AdminClient, make_config: MakeConfig
    ) -> None:
        config = make_config()
        wanted = plans(
            config, repartition=("repartition", 3), changelog=("changelog", 2), tasks=("tasks", 5)
        )
        ensure_internal_topics(admin, wanted, config)
        application = config.application_id
        assert partition_counts(admin, wanted) == {
            f"{application}-repartition": 3,
            f"{application}-changelog": 2,
            f"{application}-tasks": 5,
        }
        assert settings_of(admin, f"{application}-repartition") == {
            "cleanup.policy": "delete",
            "message.timestamp.type": "CreateTime",
            "retention.ms": "-1",
            "segment.bytes": "52428800",
        }
        assert settings_of(admin, f"{application}-changelog") == {
            "cleanup.policy": "compact",
            "message.timestamp.type": "CreateTime",
        }

    def test_the_users_settings_reach_them_but_not_the_task_topic(
        self, admin: AdminClient, make_config: MakeConfig
    ) -> None:
        config = make_config(topic__segment__ms="60000")
        wanted = plans(config, changelog=("changelog", 1), tasks=("tasks", 1))
        ensure_internal_topics(admin, wanted, config)
        settings = {name: settings_of(admin, name).get("segment.ms") for name in wanted}
        assert list(settings.values()) == ["60000", None]

    def test_what_exists_is_left_as_it_is(
        self, admin: AdminClient, make_config: MakeConfig, caplog: pytest.LogCaptureFixture
    ) -> None:
        config = make_config()
        wanted = plans(config, repartition=("repartition", 1), changelog=("changelog", 1))
        ensure_internal_topics(admin, wanted, config)
        produce(config, f"{config.application_id}-changelog", b"kept")
        ensure_internal_topics(admin, wanted, make_config(topic__segment__ms="60000"))
        partition = (f"{config.application_id}-changelog", 0)
        assert end_offsets(admin, [partition]) == {partition: 1}
        assert "segment.ms" not in settings_of(admin, partition[0])
        assert caplog.records == []

    def test_a_setting_that_the_broker_does_not_know_is_told(
        self, admin: AdminClient, make_config: MakeConfig
    ) -> None:
        config = make_config(topic__zzz="1")
        with pytest.raises(ConfigError, match=r"cannot be made: .*zzz.*start with 'topic\.'"):
            ensure_internal_topics(admin, plans(config, changelog=("changelog", 1)), config)

    def test_more_copies_than_brokers_are_told(
        self, admin: AdminClient, make_config: MakeConfig
    ) -> None:
        config = make_config(replication__factor=3)
        with pytest.raises(ConfigError, match=r"set 'replication.factor' to at most"):
            ensure_internal_topics(admin, plans(config, changelog=("changelog", 1)), config)


class TestChecking:
    def test_another_number_of_partitions_is_explained_and_nothing_is_changed(
        self, admin: AdminClient, make_config: MakeConfig
    ) -> None:
        config = make_config()
        ensure_internal_topics(admin, plans(config, changelog=("changelog", 2)), config)
        wider = plans(config, changelog=("changelog", 4), repartition=("repartition", 4))
        with pytest.raises(StreamsError) as caught:
            ensure_internal_topics(admin, wider, config)
        assert str(caught.value).startswith(
            f"internal topics do not fit the program: '{config.application_id}-changelog' has 2 "
            "partitions and must have 4; partitions were added to an input, or the program was "
            "changed"
        )
        assert "new 'application.id', or reset the application" in str(caught.value)
        assert f"{config.application_id}-repartition" not in existing_topics(admin)

    def test_the_task_topic_grows_with_the_tasks_and_does_not_shrink(
        self, admin: AdminClient, make_config: MakeConfig
    ) -> None:
        config = make_config()
        for tasks, expected in ((2, 2), (4, 4), (3, 4)):
            wanted = plans(config, tasks=("tasks", tasks))
            ensure_internal_topics(admin, wanted, config)
            assert list(partition_counts(admin, wanted).values()) == [expected]

    @pytest.mark.parametrize(
        ("kind", "settings", "warning"),
        [
            ("changelog", {"cleanup.policy": "delete"}, "cleanup.policy=delete should be compact"),
            (
                "repartition",
                {"cleanup.policy": "compact"},
                "cleanup.policy=compact should be delete",
            ),
            ("repartition", {"retention.ms": "1000"}, "retention.ms=1000 should be -1"),
        ],
    )
    def test_settings_that_lose_records_are_told(
        self,
        admin: AdminClient,
        make_config: MakeConfig,
        caplog: pytest.LogCaptureFixture,
        *,
        kind: Kind,
        settings: dict[str, str],
        warning: str,
    ) -> None:
        config = make_config()
        name = f"{config.application_id}-x"
        ensure_internal_topics(admin, {name: InternalTopicPlan(name, kind, 1, settings)}, config)
        assert caplog.records == []
        ensure_internal_topics(admin, {name: InternalTopicPlan(name, kind, 1, {})}, config)
        assert [warning in record.message for record in caplog.records] == [True]

    def test_a_changelog_that_is_gone_is_told(
        self, admin: AdminClient, make_config: MakeConfig, caplog: pytest.LogCaptureFixture
    ) -> None:
        config = make_config()
        wanted = plans(config, changelog=("changelog", 1), tasks=("tasks", 1))
        ensure_internal_topics(admin, wanted, config)
        delete_internal_topics(admin, [f"{config.application_id}-changelog"])
        assert caplog.records == []
        ensure_internal_topics(admin, wanted, config)
        (record,) = caplog.records
        assert (record.levelno, record.message) == (
            logging.WARNING,
            f"changelog={config.application_id}-changelog is made anew, though the application "
            "has run before: if the store is not new, its changelog was deleted and its state "
            "begins empty",
        )


class TestSources:
    def test_partitions_are_counted(self, admin: AdminClient, kafka_topic: CreateTopic) -> None:
        one, three = kafka_topic("one"), kafka_topic("three", partitions=3)
        assert partition_counts(admin, [three, one]) == {one: 1, three: 3}

    def test_a_missing_topic_is_told_with_its_readers_and_their_lines(
        self, admin: AdminClient, kafka_topic: CreateTopic
    ) -> None:
        builder = StreamsBuilder()
        builder.stream([kafka_topic("there"), "not-there"]).to("out")
        (plan,) = plan_subtopologies(builder.build(), "app")
        with pytest.raises(StreamsError) as caught:
            partition_counts(admin, plan.source_topics(), plan.sources())
        assert re.fullmatch(
            r"source topics must exist before the application starts; missing: 'not-there', read "
            r"by source 'KSTREAM-SOURCE-0000000000' \(defined at .*test_topics\.py:\d+\); create "
            r"them with as many partitions as there shall be tasks: penstock topics APP --create "
            r"--partitions N; or correct the names",
            str(caught.value),
        )
        assert "not-there" not in existing_topics(admin)

    def test_a_pattern_sees_the_users_topics_only(
        self, admin: AdminClient, make_config: MakeConfig, kafka_topic: CreateTopic
    ) -> None:
        topic = kafka_topic("seen")
        produce(make_config(processing__guarantee="exactly_once_v2"), topic, b"x")
        names = existing_topics(admin)
        assert topic in names
        assert [name for name in names if name.startswith("__")] == []

    def test_a_broker_that_is_away_is_told(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(topics, "REQUEST_SECONDS", 0.5)
        nowhere = AdminClient({"bootstrap.servers": "127.0.0.1:9", "log_level": 0})
        with pytest.raises(StreamsError, match=r"^asking for topics was not possible within 0 s"):
            partition_counts(nowhere, ["in"], timeout_seconds=0)


class TestOffsets:
    def test_an_open_transaction_is_before_one_end_and_after_the_other(
        self, admin: AdminClient, make_config: MakeConfig, kafka_topic: CreateTopic
    ) -> None:
        place = (kafka_topic(), 0)
        config = make_config(processing__guarantee="exactly_once_v2")
        producer = Producer(producer_settings(config, "m"))
        producer.init_transactions(30)
        producer.begin_transaction()
        producer.produce(place[0], b"x")
        assert producer.flush(30) == 0
        assert end_offsets(admin, [place]) == {place: 1}
        assert end_offsets(admin, [place], "read_committed") == {place: 0}
        producer.commit_transaction(30)
        # The marker is a record of its own, written soon after.
        assert until(lambda: end_offsets(admin, [place], "read_committed") == {place: 2}, 10)

    def test_nothing_asked_is_nothing_answered(self, admin: AdminClient) -> None:
        assert end_offsets(admin, []) == {}

    def test_a_topic_that_is_missing_is_told(self, admin: AdminClient) -> None:
        with pytest.raises(
            StreamsError, match=r"^the offsets of topic 'not-there', partition 0 cannot"
        ):
            end_offsets(admin, [("not-there", 0)])

    def test_what_has_been_read_is_purged(
        self, admin: AdminClient, make_config: MakeConfig, kafka_topic: CreateTopic
    ) -> None:
        topic = kafka_topic()
        config = make_config()
        produce(config, topic, b"a", b"b", b"c")
        purge(admin, {(topic, 0): 2})
        consumer = Consumer(consumer_settings(config, "input"))
        place = TopicPartition(topic, 0)
        assert until(lambda: consumer.get_watermark_offsets(place, 10) == (2, 3), 10)
        consumer.close()

    def test_a_purge_that_fails_is_logged_and_harmless(
        self, admin: AdminClient, kafka_topic: CreateTopic, caplog: pytest.LogCaptureFixture
    ) -> None:
        topic = kafka_topic()
        purge(admin, {(topic, 0): 99})
        assert until(lambda: bool(caplog.records), 10)
        assert caplog.records[0].message.startswith(
            f"topic={topic} partition=0 could not be purged: "
        )
        purge(admin, {})

    def test_a_topic_of_others_that_goes_meanwhile_does_not_hide_the_rest(
        self, admin: AdminClient, make_config: MakeConfig, kafka_topic: CreateTopic
    ) -> None:
        kept, gone, own = kafka_topic(partitions=2), kafka_topic(), kafka_topic()
        produce(make_config(), kept, b"a", b"b")
        listed = admin.list_topics(timeout=10)
        delete_internal_topics(admin, [gone])
        meanwhile: Any = SimpleNamespace(
            list_topics=lambda timeout: listed, list_offsets=admin.list_offsets
        )
        ends = peek_at_ends(meanwhile, [own])
        assert sum(ends[kept].values()) == 2
        assert ends.keys().isdisjoint({gone, own})


def test_deleting_what_is_not_there_is_no_fault(
    admin: AdminClient, kafka_topic: CreateTopic
) -> None:
    topic = kafka_topic()
    delete_internal_topics(admin, [topic, "not-there"])
    delete_internal_topics(admin, [])
    assert topic not in existing_topics(admin)


def produce(config: StreamsConfig, topic: str, *values: bytes) -> None:
    producer = Producer(producer_settings(config, "m"))
    if config.exactly_once:
        producer.init_transactions(30)
        producer.begin_transaction()
    for value in values:
        producer.produce(topic, value, b"key")
    if config.exactly_once:
        producer.commit_transaction(30)
    assert producer.flush(30) == 0


@pytest.fixture(autouse=True)
def _hear_warnings(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    with caplog.at_level(logging.WARNING, logger="penstock"):
        yield
