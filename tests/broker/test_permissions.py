"""ACLs of least privilege on a real broker: what `penstock plan --acls` lists is enough for an
application, nothing of it can be left out, and what is missing is named with its command.
"""

from __future__ import annotations

import itertools
import logging
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Consumer, TopicPartition

from penstock import (
    Consumed,
    Grouped,
    Materialized,
    Produced,
    StreamsBuilder,
    StreamsConfig,
    Topology,
    serdes,
)
from penstock._engine.kafka.application.preparation import prepare
from penstock._engine.kafka.client.groups import committed_offsets
from penstock._engine.kafka.tasks.task_host import TaskHost
from penstock._engine.kafka.worker.worker import open_worker
from penstock._engine.planner.layout import draft_of, lay_out
from penstock._engine.planner.permissions import Need, acl_command, listed, needs_of
from penstock._engine.runtime.records import Output
from penstock.cli import main
from penstock.errors import StreamsError
from tests.broker.applications import PATIENCE_SECONDS, write
from tests.broker.programs import counting
from tests.broker.secured_broker import PASSWORD, SecuredBroker

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("_kafka_can_be_had")]

TEXT, NUMBER = serdes.string(), serdes.long()
WORDS = ["a", "b", "a", "c"]

numbers = itertools.count()


@pytest.fixture(scope="module")
def topics(secured: SecuredBroker) -> SecuredBroker:
    """Return a broker with the user's topics."""
    for topic in ("lines", "counts"):
        secured.broker.create_topic(topic)
    write(secured.broker, "lines", [(None, word) for word in WORDS])
    return secured


def program() -> Topology:
    builder = StreamsBuilder()
    stream = builder.stream("lines", Consumed(TEXT, TEXT))
    stream.group_by(lambda key, word: word, Grouped("by-word", key=TEXT, value=TEXT)).count(
        Materialized("counts", key=TEXT, value=NUMBER)
    ).to_stream().to("counts", Produced(TEXT, NUMBER))
    return builder.build()


class Someone:
    """A user with an application of its own, and what that needs."""

    def __init__(self, secured: SecuredBroker, home: Path, **settings: Any) -> None:
        number = next(numbers)
        self.name = f"user-{number}"
        self.application_id = f"least-{number}"
        self._secured = secured
        self.config = StreamsConfig(
            {
                "application.id": self.application_id,
                "processing.guarantee": "exactly_once_v2",
                "statestore.cache.max.bytes": 0,
                "repartition.purge.interval.ms": 1,
                "state.dir": str(home / self.application_id),
                **secured.plain(self.name),
                **settings,
            }
        )
        layout = lay_out(
            draft_of(program(), self.application_id), {"lines": 1, "counts": 1}, self.config
        )
        self.needs = needs_of(layout, self.config)

    def run(self) -> None:
        """Run the application until it has counted."""
        blueprint, seen = prepare(program(), self.config), list[Output]()
        step_until(blueprint, seen, lambda: sum(one[0] == "counts" for one in seen) >= len(WORDS))


def without(needs: Iterable[Need], gone: Need, operation: str) -> Iterator[Need]:
    for need in needs:
        yield replace(need, operations=need.operations - {operation}) if need == gone else need


@pytest.mark.parametrize("guarantee", ["exactly_once_v2", "at_least_once"])
def test_exactly_what_is_listed_is_enough(
    topics: SecuredBroker, tmp_path: Path, caplog: pytest.LogCaptureFixture, guarantee: str
) -> None:
    someone = Someone(topics, tmp_path, **{"processing.guarantee": guarantee})
    topics.allow(someone.name, someone.needs)
    someone.run()
    assert until_deleted(topics, f"{someone.application_id}-by-word-repartition")
    # On another machine: all state is read from the changelog.
    write(topics.broker, "lines", [(None, "a")])
    blueprint, seen = prepare(program(), someone.config), list[Output]()
    elsewhere = {**someone.config.given(), "state.dir": str(tmp_path / "elsewhere")}
    blueprint = replace(blueprint, config=StreamsConfig(elsewhere))
    step_until(blueprint, seen, lambda: any(one[0] == "counts" for one in seen))
    warnings = [each.getMessage() for each in caplog.records if each.levelno >= logging.WARNING]
    # A broker on a busy machine may be slow to answer, which is logged and passes.
    assert [warning for warning in warnings if "does not answer yet" not in warning] == []


def until_deleted(secured: SecuredBroker, topic: str) -> bool:
    """Return whether the broker deletes the beginning of a topic in the end."""
    settings = {"bootstrap.servers": secured.broker.bootstrap_servers, "group.id": "looker"}
    consumer = Consumer(settings)
    until = time.monotonic() + PATIENCE_SECONDS
    try:
        while time.monotonic() < until:
            if consumer.get_watermark_offsets(TopicPartition(topic, 0), timeout=10)[0] > 0:
                return True
        return False
    finally:
        consumer.close()


def step_until(blueprint: Any, seen: list[Output], done: Any) -> None:
    with TaskHost(blueprint) as host:
        worker = open_worker(blueprint, host, seen.extend)
        until = time.monotonic() + PATIENCE_SECONDS
        try:
            while not done():
                assert time.monotonic() < until, "nothing has happened"
                worker.step()
        except BaseException:
            worker.abandon()
            raise
        worker.close()


def test_nothing_of_it_can_be_left_out_and_what_is_missing_is_named(
    topics: SecuredBroker, tmp_path: Path
) -> None:
    pairs = [
        (at, operation)
        for at, need in enumerate(Someone(topics, tmp_path).needs)
        for operation in sorted(need.operations)
    ]
    assert len(pairs) == 13
    for at, operation in pairs:
        someone = Someone(topics, tmp_path)
        need = someone.needs[at]
        topics.allow(someone.name, without(someone.needs, need, operation))
        with pytest.raises(StreamsError) as caught:
            someone.run()
        message = str(caught.value)
        # A thing that may not be seen at all must be seen before it can be read or written.
        possible = {operation, "DESCRIBE"} if len(need.operations) == 1 else {operation}
        assert any(listed({need: [one]}) in message for one in possible), message
        assert any(acl_command(need, [one]) in message for one in possible), message
        assert PASSWORD not in message


def test_what_is_advised_and_not_allowed_is_warned_of(
    topics: SecuredBroker, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    someone = Someone(topics, tmp_path)
    needs = [replace(need, advised=frozenset()) for need in someone.needs]
    topics.allow(someone.name, needs)
    someone.run()
    said = next(record.getMessage() for record in caplog.records if "should" in record.message)
    name = someone.application_id
    assert f"DELETE and DESCRIBE_CONFIGS on topic '{name}-by-word-repartition'" in said
    assert f"ALTER and DESCRIBE_CONFIGS on topic '{name}-penstock-tasks'" in said


@pytest.mark.parametrize("kind", ["group", "topic", "transactional-id"])
def test_what_is_taken_back_while_it_runs_ends_it(
    topics: SecuredBroker, tmp_path: Path, kind: str
) -> None:
    """It must not go on trying in silence, nor look as if there was nothing to do."""
    someone = Someone(topics, tmp_path)
    topics.allow(someone.name, someone.needs)
    needs: dict[str, Need] = {need.resource: need for need in someone.needs}
    need = {**needs, "topic": someone.needs[1]}[kind]
    (operation,) = need.operations
    blueprint, seen = prepare(program(), someone.config), list[Output]()

    def take_back_once_it_runs() -> bool:
        if seen and not taken:
            topics.forbid(someone.name, need)
            taken.append(need)
            write(topics.broker, "lines", [(None, "more")] * 100)
        return False

    taken: list[Need] = []
    with pytest.raises(StreamsError, match=f"needs {operation} on") as caught:
        step_until(blueprint, seen, take_back_once_it_runs)
    # Who hears of it first, reading or the commit, is a matter of chance.
    told_so = acl_command(need, [operation]) in str(caught.value)
    assert told_so or (kind == "topic" and "lines(" in str(caught.value))


CLIENT = """\
security.protocol=SASL_SSL
ssl.truststore.location={authority}
sasl.mechanism=PLAIN
sasl.username=poor
sasl.password={password}
"""


def test_committed_offsets_that_may_not_be_read_are_refused_with_what_to_allow(
    topics: SecuredBroker, tmp_path: Path
) -> None:
    """The client itself looks for the coordinator until the time is over, and then says no more."""
    someone = Someone(topics, tmp_path)
    topics.allow(someone.name, [need for need in someone.needs if need.resource != "group"])
    with pytest.raises(
        StreamsError, match=f"is refused: .*READ on group '{someone.application_id}'"
    ):
        committed_offsets(someone.config, [("lines", 0)], patience_seconds=20.0)


def test_the_doctor_names_what_is_not_allowed(
    topics: SecuredBroker,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """`poor` may look at all, read nothing and write nothing."""
    looking = frozenset({"DESCRIBE"})
    topics.allow("poor", [Need("topic", "*", looking), Need("group", "*", looking)])
    monkeypatch.setattr(sys, "path", sys.path.copy())
    client = tmp_path / "client.properties"
    client.write_text(CLIENT.format(authority=topics.authority.certificate, password=PASSWORD))
    path = counting(tmp_path, "poor", "lines", "counts")
    where = ["--bootstrap-servers", topics.servers("SASL"), "--settings", str(client)]
    assert main(["doctor", path, "--quick", *where]) == 1
    said = capsys.readouterr().out
    assert " failed  permissions: not allowed on topic lines: READ\n" in said
    assert "--operation Read --topic lines\n" in said
    assert " failed  permissions: not allowed on topic counts: WRITE\n" in said
    assert " failed  permissions: not allowed on topic poor-penstock-tasks: CREATE\n" in said
    assert " failed  permissions: no transactions: " in said
    assert PASSWORD not in said


def test_the_doctor_is_content_with_what_is_listed(
    topics: SecuredBroker,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """It once asked for CREATE on the whole cluster, before the first start."""
    someone = Someone(topics, tmp_path)
    topics.allow(someone.name, someone.needs)
    monkeypatch.setattr(sys, "path", sys.path.copy())
    client = tmp_path / "client.properties"
    text = CLIENT.format(authority=topics.authority.certificate, password=PASSWORD)
    client.write_text(text.replace("=poor", f"={someone.name}"))
    path = counting(tmp_path, someone.application_id, "lines", "counts")
    where = ["--bootstrap-servers", topics.servers("SASL"), "--settings", str(client)]
    main(["doctor", path, "--quick", *where])
    assert " failed  permissions" not in capsys.readouterr().out
