"""Asking the cluster with patience."""

from __future__ import annotations

from concurrent.futures import Future
from typing import Any

import pytest

confluent_kafka = pytest.importorskip(
    "confluent_kafka", reason="the Kafka client is not installed; make engine installs it"
)

from confluent_kafka import KafkaError, KafkaException  # noqa: E402

from penstock._engine.kafka import admin_calls  # noqa: E402
from penstock._engine.kafka.admin_calls import patiently, settle, until  # noqa: E402
from penstock.errors import StreamsError  # noqa: E402


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
    assert patiently("asking", cluster.ask, 60) == "answer"


def test_a_fault_that_does_not_pass_says_what_was_wanted() -> None:
    cluster = Cluster(KafkaError._ALL_BROKERS_DOWN)
    with pytest.raises(StreamsError) as caught:
        patiently("listing the topics", cluster.ask, 0)
    assert str(caught.value).startswith("listing the topics was not possible within 0 s: ")
    assert "bootstrap.servers" in str(caught.value)


def test_a_refusal_is_not_repeated() -> None:
    cluster = Cluster(KafkaError.TOPIC_AUTHORIZATION_FAILED, "never asked")
    with pytest.raises(KafkaException):
        patiently("asking", cluster.ask, 60)


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
