"""Asking the cluster with patience."""

from __future__ import annotations

import weakref
from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any, ClassVar, cast

import pytest

pytest.importorskip(
    "confluent_kafka", reason="the Kafka client is not installed; make engine installs it"
)

from confluent_kafka import KafkaError, KafkaException

from penstock import _clock
from penstock._engine.kafka.client import admin_calls
from penstock._engine.kafka.client.admin_calls import (
    AdminClient,
    RenewedAdmin,
    ask_coordinator,
    open_admin,
    settle,
    until,
    with_retries,
)
from penstock.errors import ConfigError, StreamsError
from penstock.settings import StreamsConfig


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(admin_calls, "_PAUSE_SECONDS", 0)


class Cluster:
    """Answers with one of these after the other."""

    def __init__(self, *answers: object) -> None:
        self._answers = iter(answers)

    def ask(self) -> object:
        answer = next(self._answers)
        if isinstance(answer, int):
            raise KafkaException(KafkaError(answer))
        return answer


def test_a_fault_that_passes_is_not_seen() -> None:
    cluster = Cluster(KafkaError._TRANSPORT, KafkaError.LEADER_NOT_AVAILABLE, "answer")
    assert with_retries("asking", cluster.ask, 60) == "answer"


def test_a_fault_that_does_not_pass_says_what_was_wanted() -> None:
    cluster = Cluster(KafkaError._ALL_BROKERS_DOWN)
    with pytest.raises(StreamsError) as caught:
        with_retries("listing the topics", cluster.ask, 0)
    assert str(caught.value).startswith("listing the topics was not possible within 0 s: ")
    assert "bootstrap.servers" in str(caught.value)


def test_a_refusal_is_not_repeated() -> None:
    cluster = Cluster(KafkaError.TOPIC_AUTHORIZATION_FAILED, "never asked")
    with pytest.raises(KafkaException):
        with_retries("asking", cluster.ask, 60)


def test_waiting_ends_when_it_is_true_or_when_time_is_up() -> None:
    answers = iter([False, True])
    assert until(lambda: next(answers), 60) is True
    assert until(lambda: False, 0) is False


def _future(answer: object) -> Future[Any]:
    future: Future[Any] = Future()
    if isinstance(answer, int):
        future.set_exception(KafkaException(KafkaError(answer)))
    else:
        future.set_result(answer)
    return future


def test_a_coordinator_that_does_not_answer_is_not_waited_for_while_the_request_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The client ends the process when the coordinator comes back after the request's timeout."""
    timeouts = []

    def describe(groups: list[str], request_timeout: float) -> dict[str, Future[Any]]:
        timeouts.append(request_timeout)
        return {group: Future() for group in groups}

    monkeypatch.setattr(admin_calls, "REQUEST_SECONDS", 0)
    with pytest.raises(KafkaException) as caught:
        ask_coordinator(describe, ["app"])
    assert caught.value.args[0].code() == KafkaError._TIMED_OUT
    assert timeouts == [3600]


def test_answers_and_refusals_are_told_apart() -> None:
    futures = {"a": _future("yes"), "b": _future(KafkaError.UNKNOWN_TOPIC_OR_PART)}
    answers, refusals = settle(futures)
    assert answers == {"a": "yes"}
    assert {name: error.code() for name, error in refusals.items()} == {
        "b": KafkaError.UNKNOWN_TOPIC_OR_PART
    }


def test_a_fault_that_may_pass_is_raised_so_that_all_is_asked_again() -> None:
    with pytest.raises(KafkaException):
        settle({"a": _future("yes"), "b": _future(KafkaError._TIMED_OUT)})


class FakeAdmin:
    """Stands in for AdminClient; its cluster answers like this, one greeting after the other."""

    answers: ClassVar[list[tuple[KafkaError, ...] | None]] = []
    """None for an answer, or the faults that are met without one."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self._tell = settings["error_cb"]
        self._faults: tuple[KafkaError, ...] = ()

    def list_topics(self, timeout: float) -> None:
        faults = self.answers.pop(0)
        if faults is not None:
            self._faults = faults
            raise KafkaException(KafkaError(KafkaError._TRANSPORT, "no metadata"))

    def poll(self, timeout: float) -> None:
        for fault in self._faults:
            self._tell(fault)


class TestOpening:
    @pytest.fixture(autouse=True)
    def _fake(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(admin_calls, "AdminClient", FakeAdmin)

    def open(self, task_timeout_ms: int = 60_000) -> object:
        return open_admin(
            StreamsConfig(
                {
                    "application.id": "a",
                    "bootstrap.servers": "k:9092",
                    "task.timeout.ms": task_timeout_ms,
                    "sasl.password": "hunter2",
                }
            )
        )

    def test_a_cluster_that_is_just_starting_is_waited_for(
        self, caplog: pytest.LogCaptureFixture
    ) -> None:
        away = KafkaError(KafkaError._TRANSPORT, "connection refused")
        FakeAdmin.answers = [(away,), (away,), None]
        self.open()
        assert FakeAdmin.answers == []
        assert [record.message for record in caplog.records] == [
            "the Kafka cluster at k:9092 does not answer yet: connection refused; waiting up to "
            "60 s"
        ]

    def test_a_wrong_password_is_told_at_once_and_not_shown(self) -> None:
        wrong = KafkaError(KafkaError._AUTHENTICATION, "no user with hunter2")
        FakeAdmin.answers = [(wrong, KafkaError(KafkaError._ALL_BROKERS_DOWN))]
        with pytest.raises(ConfigError) as caught:
            self.open()
        assert str(caught.value) == (
            "the Kafka cluster at k:9092 refuses the connection, or is not trusted: no user with "
            "<hidden>; look at 'security.protocol' and the settings that start with 'sasl.' and "
            "'ssl.'"
        )

    def test_nobody_there_is_told_when_time_is_up(self) -> None:
        FakeAdmin.answers = [()]
        with pytest.raises(StreamsError, match=r"^the Kafka cluster at k:9092 does not answer: no"):
            self.open(task_timeout_ms=0)


def test_a_client_that_the_cluster_does_not_answer_is_renewed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """After a broker stood still, one found it never again; the next one did."""
    made: list[int] = []
    silent = KafkaException(KafkaError(KafkaError._TRANSPORT))

    def make() -> Any:
        made.append(len(made))
        number = made[-1]

        def ask() -> str:
            if number == 0:
                raise silent
            return "answer"

        return SimpleNamespace(ask=ask)

    times = iter(range(0, 1000, 2))
    monkeypatch.setattr(_clock, "monotonic", lambda: float(next(times)))
    admin: Any = RenewedAdmin(make)
    assert made == []

    def asked() -> Any:
        return admin.ask()

    assert with_retries("asking", asked, 100, admin) == "answer"
    assert with_retries("asking", asked, 100, admin) == "answer"
    assert made == [0, 1]


def test_a_client_that_is_new_is_left_to_connect(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    monkeypatch.setattr(_clock, "monotonic", lambda: 1.0)

    def make() -> Any:
        made.append(1)
        return SimpleNamespace(ask=lambda: None)

    admin = RenewedAdmin(make)
    admin.ask()
    admin.renew()
    admin.ask()
    assert made == [1]


def test_a_client_that_is_replaced_lives_as_long_as_others_may_wait_for_its_answers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A client that goes away fails the requests that other threads have made with it."""

    class Numbered:
        def __init__(self, number: int) -> None:
            self.number = number

    now, clients = [0.0], [Numbered(one) for one in range(3)]
    living = [weakref.ref(one) for one in clients]
    monkeypatch.setattr(_clock, "monotonic", lambda: now[0])
    admin: Any = RenewedAdmin(lambda: cast("AdminClient", clients.pop(0)))
    assert admin.number == 0
    now[0] = 15.0
    admin.renew()
    admin.renew()
    assert admin.number == 1
    assert living[0]() is not None
    now[0] = 31.0
    admin.renew()
    assert admin.number == 2
    assert [one() is None for one in living] == [True, False, False]


def test_a_request_of_a_client_that_was_replaced_is_made_again() -> None:
    cluster = Cluster(KafkaError._DESTROY, "answer")
    assert with_retries("asking", cluster.ask, 1.0) == "answer"


def test_a_client_whose_thread_has_died_is_not_waited_for_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(admin_calls, "REQUEST_SECONDS", 0.0)
    monkeypatch.setattr(admin_calls, "_ANSWER_SECONDS", 0.01)
    never: Future[Any] = Future()
    with pytest.raises(KafkaException) as caught:
        settle({"topic": never})
    assert caught.value.args[0].code() == KafkaError._TIMED_OUT


@pytest.mark.parametrize(
    ("servers", "said", "unknown"),
    [
        ("a:1", ["a:1/bootstrap: Failed to resolve 'a:1': Name or service not known"], True),
        ("a:1,b:2", ["Failed to resolve 'a:1': Name or service not known"], False),
        ("a:1,my-a:1", ["Failed to resolve 'my-a:1': Name or service not known"], False),
        ("a:1, b:2", ["resolve 'a:1': Name ...", "resolve 'b:2': No such host is known"], True),
        ("a:1", ["Failed to resolve 'a:1': Temporary failure in name resolution"], False),
        ("a:1", [], False),
    ],
)
def test_names_that_no_server_knows_are_not_waited_for(
    servers: str, said: list[str], unknown: bool
) -> None:
    """As in Java, which refuses 'bootstrap.servers' if none of them can be resolved."""
    faults = [KafkaError(KafkaError._RESOLVE, text) for text in said]
    faults.append(KafkaError(KafkaError._ALL_BROKERS_DOWN, "a:1 and b:2 are down"))
    assert admin_calls._hosts_are_unknown(servers, faults) is unknown
