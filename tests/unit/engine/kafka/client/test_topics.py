"""Topics: what a real broker (tests/broker) cannot be made to do at will."""

from __future__ import annotations

from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any, cast

import pytest

pytest.importorskip(
    "confluent_kafka", reason="the Kafka client is not installed; make engine installs it"
)

from confluent_kafka import OFFSET_INVALID, KafkaError, KafkaException
from confluent_kafka.admin import AdminClient

from penstock._engine.kafka.application import internal_topics
from penstock._engine.kafka.application.internal_topics import ensure_internal_topics
from penstock._engine.kafka.client import admin_calls, topics
from penstock._engine.kafka.client.admin_calls import RenewedAdmin
from penstock._engine.kafka.client.client_errors import BrokerAway
from penstock._engine.kafka.client.topics import (
    describe_topics,
    end_offsets,
    existing_topics,
    peek_at_ends,
    wait_until_made,
)
from penstock._engine.planner.internal_topics import InternalTopicPlan, Kind
from penstock.errors import StreamsError
from penstock.settings import StreamsConfig

CONFIG = StreamsConfig({"application.id": "app", "task.timeout.ms": 0})


class FakeAdmin:
    """A cluster in which things happen between two requests."""

    def __init__(self, counts: dict[str, int] | None = None) -> None:
        self.counts = counts or {}
        self.asked = 0
        self.hidden_until = 0
        """Topics are seen from this request for them on."""
        self.leaderless_until = 0
        """Their last partition has a leader from this request on."""
        self.brokers = 1
        self.refuse_create: list[int] = []
        """What the next requests to make topics are refused with, one after the other."""
        self.created_by_another: dict[str, int] = {}

    def describe_topics(self, collection: Any, **_: Any) -> dict[str, Future[Any]]:
        self.asked += 1
        seen = self.counts if self.asked >= self.hidden_until else {}
        return {
            name: _answer(SimpleNamespace(partitions=self._partitions(seen[name])))
            if name in seen
            else _refusal(KafkaError.UNKNOWN_TOPIC_OR_PART)
            for name in collection.topic_names
        }

    def _partitions(self, count: int) -> list[Any]:
        has_leader = self.asked >= self.leaderless_until
        leaders = [*[1] * (count - 1), 1 if has_leader else None]
        return [SimpleNamespace(leader=leader) for leader in leaders]

    def list_topics(self, **_: Any) -> Any:
        return SimpleNamespace(
            brokers=dict.fromkeys(range(self.brokers)), topics=dict.fromkeys(self.counts)
        )

    def create_topics(self, new: list[Any], **_: Any) -> dict[str, Future[Any]]:
        self.counts |= self.created_by_another
        code = self.refuse_create.pop(0) if self.refuse_create else None
        if code is not None:
            return {topic.topic: _refusal(code) for topic in new}
        self.counts |= {topic.topic: topic.num_partitions for topic in new}
        return {topic.topic: _answer(None) for topic in new}

    def list_offsets(self, asked: dict[Any, Any], **_: Any) -> dict[Any, Future[Any]]:
        """Answer as librdkafka does while the leader of partition 1 is away, at first."""
        self.asked += 1
        away = {} if self.asked >= self.leaderless_until else {1: OFFSET_INVALID}
        return {
            place: _answer(SimpleNamespace(offset=away.get(place.partition, 7))) for place in asked
        }

    def describe_configs(self, resources: list[Any], **_: Any) -> dict[Any, Future[Any]]:
        entries = {"cleanup.policy": SimpleNamespace(value="compact")}
        return {resource: _answer(entries) for resource in resources}


def _answer(value: object) -> Future[Any]:
    future: Future[Any] = Future()
    future.set_result(value)
    return future


def _refusal(code: int) -> Future[Any]:
    future: Future[Any] = Future()
    future.set_exception(KafkaException(KafkaError(code)))
    return future


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(admin_calls, "_PAUSE_SECONDS", 0)


def ensure(admin: FakeAdmin, partitions: int = 2, kind: Kind = "changelog") -> None:
    wanted = {"t": InternalTopicPlan("t", kind, partitions, {})}
    ensure_internal_topics(cast(AdminClient, admin), wanted, CONFIG)


def test_a_fault_of_the_broker_that_passes_is_not_seen() -> None:
    admin = FakeAdmin()
    admin.refuse_create = [KafkaError.NOT_CONTROLLER, KafkaError.REQUEST_TIMED_OUT]
    ensure(admin)
    assert admin.counts == {"t": 2}


def test_another_instance_may_be_quicker() -> None:
    admin = FakeAdmin()
    admin.created_by_another = {"t": 2}
    admin.refuse_create = [KafkaError.TOPIC_ALREADY_EXISTS]
    ensure(admin)
    assert admin.counts == {"t": 2}


def test_what_another_instance_made_must_fit_too() -> None:
    admin = FakeAdmin()
    admin.created_by_another = {"t": 3}
    admin.refuse_create = [KafkaError.TOPIC_ALREADY_EXISTS]
    with pytest.raises(StreamsError, match=r"'t' has 3 partitions and must have 2"):
        ensure(admin)


def test_topics_are_waited_for_until_they_are_seen() -> None:
    admin = FakeAdmin()
    admin.hidden_until = 4
    ensure(admin)
    assert admin.asked >= 4


def test_topics_are_waited_for_until_they_have_leaders() -> None:
    admin = FakeAdmin()
    admin.leaderless_until = 7
    ensure(admin)
    assert admin.asked >= 7


def test_an_offset_that_no_broker_told_is_asked_for_again() -> None:
    """One of three brokers was killed: taken for the end of a changelog, it was a store that has
    nothing to restore, or a worker that ended when it wrote its checkpoint.
    """
    admin = FakeAdmin({"t": 2})
    admin.leaderless_until = 4
    places = [("t", 0), ("t", 1)]
    assert end_offsets(cast(AdminClient, admin), places) == dict.fromkeys(places, 7)
    assert admin.asked == 4
    admin.leaderless_until = 1000
    with pytest.raises(BrokerAway, match="no broker has told an offset of topic t, 1"):
        end_offsets(cast(AdminClient, admin), places, timeout_seconds=0)


def test_a_topic_that_was_there_may_be_without_a_leader() -> None:
    admin = FakeAdmin({"t": 2})
    admin.leaderless_until = 1000
    ensure(admin)


def test_made_topics_are_waited_for_until_they_can_be_used() -> None:
    """The tutorial's first start said "made the missing topics page-views", then "missing:
    'page-views'".
    """
    admin = FakeAdmin({"page-views": 4, "counts": 4})
    admin.hidden_until, admin.leaderless_until = 3, 5
    wait_until_made(cast(AdminClient, admin), {"page-views": 4, "counts": -1})
    assert admin.asked == 5


def test_made_topics_are_seen_as_often_as_there_are_brokers() -> None:
    admin = FakeAdmin({"page-views": 4})
    admin.brokers = 3
    wait_until_made(cast(AdminClient, admin), {"page-views": 4})
    assert admin.asked == 3


def test_made_topics_that_cannot_be_used_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(topics, "VISIBLE_SECONDS", 0)
    with pytest.raises(StreamsError, match=r"made, but cannot be used 0 s later: page-views"):
        wait_until_made(cast(AdminClient, FakeAdmin()), {"page-views": 4})


def test_topics_that_are_never_seen_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(internal_topics, "VISIBLE_SECONDS", 0)
    admin = FakeAdmin()
    admin.hidden_until = 1000
    with pytest.raises(StreamsError, match=r"cannot be seen 0 s later: t; were they deleted a"):
        ensure(admin)


@pytest.mark.parametrize(
    ("code", "way_out"),
    [
        (
            KafkaError.TOPIC_AUTHORIZATION_FAILED,
            "needs CREATE on topic 't': kafka-acls.sh .*; or make it",
        ),
        (KafkaError.INVALID_CONFIG, "look at the settings that start with 'topic.'"),
        (KafkaError.INVALID_REPLICATION_FACTOR, "set 'replication.factor' to at most the number"),
        (KafkaError.POLICY_VIOLATION, "Policy violation"),
    ],
)
def test_a_refusal_names_the_topic_and_the_way_out(code: int, way_out: str) -> None:
    admin = FakeAdmin()
    admin.refuse_create = [code]
    with pytest.raises(StreamsError, match=rf"^internal topic 't' cannot be made: .*{way_out}"):
        ensure(admin)


@pytest.mark.parametrize("ask", [describe_topics, lambda admin, _, seconds: existing_topics(admin)])
def test_a_client_that_does_not_find_the_cluster_is_replaced(
    ask: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that never found it again would never see that a topic is gone."""
    monkeypatch.setattr(admin_calls, "_RENEWAL_SECONDS", 0.0)
    made: list[Any] = []

    def silent(*_: Any, **__: Any) -> Any:
        raise KafkaException(KafkaError(KafkaError._TRANSPORT))

    def make() -> Any:
        lost = SimpleNamespace(describe_topics=silent, list_topics=silent)
        made.append(FakeAdmin({"in": 2}) if made else lost)
        return made[-1]

    admin = cast(AdminClient, RenewedAdmin(make))
    assert list(ask(admin, ["in"], 60)) == ["in"]
    assert len(made) == 2


class ForeignTopics:
    """A cluster with topics of others: one partition each, the last of two has records."""

    def __init__(self, **faults: str) -> None:
        self.faults = faults
        self.requests: list[list[str]] = []

    def list_topics(self, timeout: float) -> Any:
        assert timeout < 10
        if "all" in self.faults:
            raise KafkaException(KafkaError(KafkaError._TIMED_OUT))
        found = {name: self._topic(name) for name in ("own", "old", *self.faults)}
        return SimpleNamespace(topics={**found, "__consumer_offsets": self._topic("x")})

    def _topic(self, name: str) -> Any:
        fault = self.faults.get(name)
        error = KafkaError(KafkaError.TOPIC_AUTHORIZATION_FAILED) if fault == "denied" else None
        last = SimpleNamespace(leader=-1 if fault == "leaderless" else 1)
        return SimpleNamespace(partitions={0: SimpleNamespace(leader=1), 1: last}, error=error)

    def list_offsets(self, asked: Any, request_timeout: float) -> Any:
        assert 1 <= request_timeout < 10
        names = sorted({place.topic for place in asked})
        self.requests.append(names)
        spoilt = any(self.faults.get(name) == "gone" for name in names)
        return {place: self._answer(place, spoilt=spoilt) for place in asked}

    def _answer(self, place: Any, *, spoilt: bool) -> Future[Any]:
        future: Future[Any] = Future()
        fault = self.faults.get(place.topic)
        if spoilt:
            future.set_exception(KafkaException(KafkaError(KafkaError.UNKNOWN_TOPIC_OR_PART)))
        elif fault == "refused" and place.partition == 1:
            denied = KafkaError(KafkaError.TOPIC_AUTHORIZATION_FAILED)
            future.set_exception(KafkaException(denied))
        elif fault != "silent":
            unknown = fault == "untold" and place.partition == 1
            offset = OFFSET_INVALID if unknown else 7 * place.partition
            future.set_result(SimpleNamespace(offset=offset))
        return future


@pytest.mark.parametrize("fault", ["leaderless", "denied", "refused", "gone", "silent", "untold"])
def test_topics_of_others_that_tell_no_ends_are_left_out(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, fault: str
) -> None:
    caplog.set_level("DEBUG", topics.__name__)
    # Only what never answers waits for it.
    monkeypatch.setattr(topics, "_PEEK_SECONDS", 1.0)
    cluster = ForeignTopics(bad=fault)
    assert peek_at_ends(cast("AdminClient", cluster), ["own"]) == {"old": {0: 0, 1: 7}}
    assert not any("own" in names for names in cluster.requests)
    assert "are left out: bad" in caplog.text


def test_a_cluster_that_lists_no_topics_of_others_is_no_fault() -> None:
    assert peek_at_ends(cast("AdminClient", ForeignTopics(all="silent")), ["own"]) == {}
    alone: Any = ForeignTopics()
    assert peek_at_ends(alone, ["own", "old"]) == {}
    assert alone.requests == []
