"""Questions wait for their worker, questioners for their answers."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest

from penstock._engine.queries import question_queues
from penstock._engine.queries.question_queues import QuestionQueues
from penstock._engine.queries.questions import Answer, Part, Question, QuestionPoll, Read
from penstock.errors import QueryError

WORKER = ("member", 7)
QUESTION = Question(0, "counts", Read("range"), (0,), seconds=5.0)


def asked(
    queues: QuestionQueues, question: Question = QUESTION
) -> tuple[threading.Thread, list[object]]:
    answers: list[object] = []
    thread = threading.Thread(target=lambda: answers.append(queues.ask(WORKER, question)))
    thread.start()
    return thread, answers


def test_a_worker_takes_its_questions_and_brings_the_answers() -> None:
    queues = QuestionQueues()
    thread, answers = asked(queues)
    (question,) = queues.poll(QuestionPoll(*WORKER))
    assert question.store == "counts"
    answer = Answer(question.number, (Part(0),))
    later = threading.Thread(target=queues.poll, args=(QuestionPoll(*WORKER, (answer,)),))
    later.start()
    thread.join()
    queues.close()
    later.join()
    assert answers == [answer]


def test_questions_are_for_their_worker_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(question_queues, "_WAIT_SECONDS", 0.01)
    queues = QuestionQueues()
    thread, answers = asked(queues)
    assert queues.poll(QuestionPoll("another", 7)) == []
    queues.forget(("another", 7))
    assert thread.is_alive()
    queues.forget(WORKER)
    thread.join()
    assert answers == [None]


def test_no_question_waits_when_the_application_is_closed() -> None:
    queues = QuestionQueues()
    thread, answers = asked(queues)
    queues.close()
    thread.join()
    forever = replace(QUESTION, seconds=threading.TIMEOUT_MAX)
    for worker in (WORKER, ("another", 7)):
        assert queues.ask(worker, forever) is None
    assert queues.poll(QuestionPoll(*WORKER)) == []
    assert answers == [None]


def test_an_answer_that_comes_too_late_is_dropped() -> None:
    queues = QuestionQueues()
    late = Question(0, "counts", Read("range"), (0,), seconds=-1.0)
    assert queues.ask(WORKER, late) is None
    queues.close()
    assert queues.poll(QuestionPoll(*WORKER, (Answer(1),))) == []


def test_what_was_asked_of_a_worker_that_died_is_not_waited_for() -> None:
    queues = QuestionQueues()
    thread, answers = asked(queues)
    assert len(queues.poll(QuestionPoll(*WORKER))) == 1
    queues.forget(WORKER)
    thread.join(3)
    assert answers == [None]


def test_questions_that_fill_a_message_come_in_several(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(question_queues, "_KEY_BYTES_MAX", 10)
    queues = QuestionQueues()
    question = replace(QUESTION, keys=((b"12345",), (b"123",)))
    threads = [asked(queues, question)[0] for _ in range(3)]
    taken = 0
    while taken < 3:
        some = queues.poll(QuestionPoll(*WORKER))
        assert len(some) <= 2
        taken += len(some)
    queues.close()
    for thread in threads:
        thread.join()


def test_keys_that_no_message_has_room_for_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(question_queues, "_KEY_BYTES_MAX", 10)
    with pytest.raises(QueryError, match=r"may have 10 bytes in all; got 11; ask for fewer"):
        QuestionQueues().ask(WORKER, replace(QUESTION, read=Read("get", (b"12345678901",))))
