"""A changed program under an old application.id is recognised before it does harm."""

from __future__ import annotations

import itertools
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient

from penstock import Consumed, Materialized, StreamsBuilder, Topology, serdes
from penstock._engine.kafka.application import task_records
from penstock._engine.kafka.application.preparation import prepare
from penstock._engine.kafka.application.stored_program import StoredProgram, remember_program
from penstock._engine.kafka.application.task_records import read_task_records
from penstock._engine.kafka.client.topics import existing_topics
from penstock._engine.kafka.local_broker.embedded import embedded_cluster
from penstock._engine.planner.fingerprint import fingerprint_of, read_fingerprint
from penstock.errors import StreamsError
from penstock.settings import StreamsConfig
from penstock.testing.broker import CreateTopic, LocalBroker
from tests.broker.applications import settings

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("_kafka_can_be_had")]

TEXT = serdes.string()
_numbers = itertools.count(1)


def counting(source: str, *, verbs: int = 0, name: str | None = None) -> Topology:
    """Count by key, behind some verbs that do nothing."""
    builder = StreamsBuilder()
    stream = builder.stream(source, Consumed(TEXT, TEXT))
    for _ in range(verbs):
        stream = stream.filter(lambda key, value: True)
    stream.group_by_key().count(Materialized(name, key=TEXT)).to_stream()
    return builder.build()


@pytest.fixture
def source(kafka_topic: CreateTopic) -> str:
    return kafka_topic("words", partitions=2)


@pytest.fixture
def config(kafka_broker: LocalBroker, tmp_path: Path) -> Callable[..., StreamsConfig]:
    application_id = f"changed-{next(_numbers)}"
    return lambda **more: settings(kafka_broker, tmp_path, application_id, **more)


def topics_of(config: StreamsConfig) -> set[str]:
    admin = AdminClient({"bootstrap.servers": config.bootstrap_servers})
    return {t for t in existing_topics(admin) if t.startswith(f"{config.application_id}-")}


def test_a_program_that_would_lose_its_state_is_refused_and_nothing_is_made(
    source: str, config: Callable[..., StreamsConfig]
) -> None:
    prepare(counting(source), config())
    before = topics_of(config())
    with pytest.raises(StreamsError) as caught:
        prepare(counting(source, verbs=1), config())
    application_id = config().application_id
    assert re.fullmatch(
        f"this is not the program that application '{application_id}' ran last:\n"
        "  - store 'KSTREAM-AGGREGATE-STATE-STORE-0000000002' is gone and "
        "'KSTREAM-AGGREGATE-STATE-STORE-0000000003' is new, which looks like the same one under "
        "another name: it would begin empty\n"
        r"Nothing was made or changed\. You can\n"
        "  - keep the state: undo the change, or give back the old names: "
        r"Materialized\('KSTREAM-AGGREGATE-STATE-STORE-0000000002'\) at "
        r".*test_last_program\.py:\d+\n"
        r"  - begin anew: choose another 'application\.id', or run 'penstock reset PROGRAM', which "
        r"deletes its internal topics, committed offsets and local state\n"
        r"  - let it run as it is: set 'penstock\.accept\.changed\.topology' to '[0-9a-f]{12}'",
        str(caught.value),
    )
    assert topics_of(config()) == before


def test_no_topic_is_made_on_the_local_broker_for_a_program_that_is_refused(
    source: str,
    kafka_broker: LocalBroker,
    tmp_path: Path,
    config: Callable[..., StreamsConfig],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PENSTOCK_HOME", str(tmp_path))
    (tmp_path / "broker").symlink_to(kafka_broker.data_dir)
    local = StreamsConfig({"application.id": config().application_id})
    changed, typed = counting(f"{source}-typo", name="counts"), f"{source}-typo"
    prepare(counting(source, name="counts"), config())
    said: list[str] = []
    with (
        pytest.raises(StreamsError, match="Nothing was made or changed"),
        embedded_cluster(changed, local, said.append),
    ):
        pytest.fail("it is another program")
    admin = AdminClient({"bootstrap.servers": kafka_broker.bootstrap_servers})
    assert typed not in existing_topics(admin)
    assert [line for line in said if line.startswith("made")] == []
    with embedded_cluster(changed, local, said.append, begins_anew=True) as whole:
        assert whole.bootstrap_servers == kafka_broker.bootstrap_servers
    assert said[-1] == f"made the missing topics {typed}, 4 partitions each"


def test_it_runs_under_the_old_name_of_its_store(
    source: str, config: Callable[..., StreamsConfig]
) -> None:
    prepare(counting(source), config())
    old = "KSTREAM-AGGREGATE-STATE-STORE-0000000002"
    prepare(counting(source, verbs=1, name=old), config())


def test_it_runs_if_the_user_accepts_exactly_this_change(
    source: str, config: Callable[..., StreamsConfig]
) -> None:
    prepare(counting(source), config())
    changed, again = counting(source, verbs=1), counting(source, verbs=2)
    accepting = {"penstock.accept.changed.topology": fingerprint_of(changed).id}
    with pytest.raises(StreamsError, match="ran last"):
        prepare(again, config(**accepting))
    prepare(changed, config(**accepting))
    prepare(changed, config())  # it is the program that ran last from now on
    with pytest.raises(StreamsError, match="ran last"):
        prepare(again, config(**accepting))


def test_a_program_whose_stores_have_names_may_change_around_them(
    source: str, config: Callable[..., StreamsConfig], caplog: pytest.LogCaptureFixture
) -> None:
    prepare(counting(source, name="counts"), config())
    prepare(counting(source, verbs=3, name="counts"), config())
    assert [text for text in caplog.messages if "ran last" in text] == []


def test_a_store_that_is_new_is_told(
    source: str, config: Callable[..., StreamsConfig], caplog: pytest.LogCaptureFixture
) -> None:
    def two_counts() -> Topology:
        builder = StreamsBuilder()
        grouped = builder.stream(source, Consumed(TEXT, TEXT)).group_by_key()
        grouped.count(Materialized("counts", key=TEXT))
        grouped.reduce(lambda one, two: two, Materialized("last", key=TEXT, value=TEXT))
        return builder.build()

    prepare(counting(source, name="counts"), config())
    prepare(two_counts(), config())
    assert (
        f"application={config().application_id} since it ran last, store 'last' is new and begins "
        "empty"
    ) in caplog.messages


def test_what_was_just_committed_is_read_and_what_is_open_is_not(
    kafka_topic: CreateTopic, config: Callable[..., StreamsConfig], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The broker answers a commit before its markers are written: a backfill that was done seemed
    not to be.
    """
    topic = kafka_topic("records")
    cluster: dict[str, str | int | float | bool] = {"bootstrap.servers": config().bootstrap_servers}
    producer = Producer({**cluster, "transactional.id": topic})
    producer.init_transactions(30)
    admin = AdminClient(cluster)

    def write(value: bytes) -> None:
        producer.begin_transaction()
        producer.produce(topic, value, b"key")
        assert producer.flush(30) == 0

    write(b"committed")
    committing = threading.Timer(0.5, producer.commit_transaction, [30])
    committing.start()
    assert read_task_records(config(), admin, topic, [0]) == {0: {b"key": b"committed"}}
    committing.join()
    write(b"open")
    monkeypatch.setattr(task_records, "_MARKER_SECONDS", 0.5)
    assert read_task_records(config(), admin, topic, [0]) == {0: {b"key": b"committed"}}
    producer.abort_transaction(30)


@dataclass
class Account:
    cents: int = 0
    owner: str = "?"


@dataclass
class Bare:
    cents: int = 0


@dataclass
class Renamed:
    cents: int = 0
    holder: str = "?"


def last_of(source: str, of: type) -> Topology:
    builder = StreamsBuilder()
    stored: Materialized[str, Any] = Materialized("totals", key=TEXT, value=serdes.json(of))
    builder.stream(source, Consumed(TEXT, serdes.json(of))).to_table(stored)
    return builder.build()


ACCEPTING = {"penstock.accept.removed.fields": "others.x, totals.owner"}


def test_a_field_that_a_stored_type_has_lost_is_refused_until_it_is_accepted(
    source: str, config: Callable[..., StreamsConfig], caplog: pytest.LogCaptureFixture
) -> None:
    prepare(last_of(source, Account), config())
    for changed in (Bare, Renamed):
        with pytest.raises(StreamsError) as caught:
            prepare(last_of(source, changed), config())
        told = str(caught.value)
        assert "\n  - totals.owner\nNothing was made or changed." in told
        assert told.endswith("set 'penstock.accept.removed.fields' to 'totals.owner'")
    prepare(last_of(source, Bare), config(**ACCEPTING))
    assert [text for text in caplog.messages if "'totals.owner' is let go" in text]
    prepare(last_of(source, Bare), config())


def test_a_setting_that_stays_accepts_nothing_more(
    source: str, config: Callable[..., StreamsConfig]
) -> None:
    prepare(last_of(source, Account), config(**ACCEPTING))
    prepare(last_of(source, Bare), config(**ACCEPTING))
    prepare(last_of(source, Account), config(**ACCEPTING))  # the field is a new one
    with pytest.raises(StreamsError, match=r"to 'totals\.owner#2'$"):
        prepare(last_of(source, Bare), config(**ACCEPTING))
    again = {"penstock.accept.removed.fields": ["totals.owner", "totals.owner#2"]}
    prepare(last_of(source, Bare), config(**again))
    prepare(last_of(source, Bare), config())


def test_a_program_that_was_stored_without_types_has_them_noted(
    source: str, config: Callable[..., StreamsConfig]
) -> None:
    earlier = StoredProgram(fingerprint_of(last_of(source, Account)))
    prepare(last_of(source, Account), config())
    remember_program(earlier, config())
    prepare(last_of(source, Bare), config())
    prepare(last_of(source, Account), config())
    with pytest.raises(StreamsError, match=r"to 'totals\.owner'$"):
        prepare(last_of(source, Bare), config())


def test_what_was_stored_with_types_is_read_by_versions_before_them() -> None:
    fingerprint = fingerprint_of(last_of("words", Account))
    stored = StoredProgram(fingerprint, {"totals": {"": {"cents": None}}}, {"totals.owner": 1})
    assert read_fingerprint(stored.to_json()) == fingerprint
