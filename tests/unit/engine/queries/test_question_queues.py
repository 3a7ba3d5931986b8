"""Questions wait for their worker, questioners for their answers."""

from __future__ import annotations

import gc
import threading
import time
import weakref

import pytest
from msgspec.structs import replace

from penstock._engine.queries import gathering, question_queues
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


@pytest.mark.parametrize("seconds", [-1.5, -2.0, -1e300])
def test_a_question_whose_time_was_over_before_is_not_waited_for(seconds: float) -> None:
    # For a lock, -1 is for ever, and another time below zero is an error.
    queues = QuestionQueues()
    thread, answers = asked(queues, replace(QUESTION, seconds=seconds))
    thread.join(30)
    queues.close()
    assert not thread.is_alive(), "waited for the end of a question without time"
    thread.join(30)
    assert answers == [None]


def test_a_question_with_more_time_than_there_is_waits_until_the_end() -> None:
    queues = QuestionQueues()
    thread, answers = asked(queues, replace(QUESTION, seconds=threading.TIMEOUT_MAX))
    assert len(queues.poll(QuestionPoll(*WORKER))) == 1
    queues.close()
    thread.join(30)
    assert answers == [None]


def test_a_question_whose_asker_is_interrupted_reaches_no_worker(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupt(*_arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(question_queues, "_wait", interrupt)
    monkeypatch.setattr(question_queues, "_WAIT_SECONDS", 0.01)
    queues = QuestionQueues()
    with pytest.raises(KeyboardInterrupt):
        queues.ask(WORKER, QUESTION)
    assert queues.poll(QuestionPoll(*WORKER)) == []


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


def test_questions_that_overlap_are_taken_together(monkeypatch: pytest.MonkeyPatch) -> None:
    # Only as many questions as that end the wait, not its time.
    monkeypatch.setattr(gathering, "_SECONDS_MIN", 60.0)
    monkeypatch.setattr(gathering, "_CROWDED_SECONDS", 60.0)
    monkeypatch.setattr(gathering, "_ENOUGH_MAX", 3)
    queues = QuestionQueues()
    taken: list[Question] = []
    poller = threading.Thread(target=lambda: taken.extend(queues.poll(QuestionPoll(*WORKER))))
    threads = [asked(queues)[0] for _ in range(2)]
    poller.start()
    threads.append(asked(queues)[0])
    poller.join(30)
    assert len(taken) == 3
    queues.close()
    for thread in threads:
        thread.join()


def test_the_wait_follows_the_time_that_the_worker_tells(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[int | None, float]] = []

    def wait(_self: object, _now: float, count: int | None, seconds: float) -> gathering.Wait:
        told.append((count, seconds))
        return gathering.NO_WAIT

    monkeypatch.setattr(gathering.Gathering, "wait", wait)
    queues = QuestionQueues()
    first, _ = asked(queues)
    (question,) = queues.poll(QuestionPoll(*WORKER))
    second, _ = asked(queues)
    answers = (Answer(question.number, (Part(0),)),)
    queues.poll(QuestionPoll(*WORKER, answers, answer_seconds=0.025))
    queues.close()
    for thread in (first, second):
        thread.join(30)
    assert told[0] == (None, 0.0)
    assert told[1][0] in {1, 2}, "the one that is answered, and the other if it came in time"
    assert told[1][1] == 0.025


@pytest.mark.parametrize("count", [2, 5])
def test_nothing_is_waited_for_when_all_askers_have_asked_again(
    count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The wait halved what up to 31 askers got that wait for their answers."""
    # The time of a wait ends none of them.
    monkeypatch.setattr(gathering, "_SECONDS_MIN", 60.0)
    monkeypatch.setattr(gathering, "_CROWDED_SECONDS", 60.0)
    queues = QuestionQueues()

    def ask_thrice() -> None:
        for _ in range(3):
            queues.ask(WORKER, QUESTION)

    askers = [threading.Thread(target=ask_thrice) for _ in range(count)]
    for asker in askers:
        asker.start()
    until = time.monotonic() + 30
    while len(queues._queue(WORKER)._waiting) < count:
        assert time.monotonic() < until, "all have asked"
        time.sleep(0.001)
    monkeypatch.setattr(gathering, "_ENOUGH_MAX", count)
    batches = [queues.poll(QuestionPoll(*WORKER))]
    monkeypatch.setattr(gathering, "_ENOUGH_MAX", 32)

    def poll() -> None:
        for _ in range(2):
            answers = tuple(Answer(question.number, (Part(0),)) for question in batches[-1])
            batches.append(queues.poll(QuestionPoll(*WORKER, answers)))

    poller = threading.Thread(target=poll)
    poller.start()
    poller.join(10)
    queues.close()
    for thread in (poller, *askers):
        thread.join(30)
    assert [len(batch) for batch in batches] == [count] * 3


def test_the_questions_of_one_asker_wait_for_no_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gathering, "_SECONDS_MIN", 60.0)
    queues = QuestionQueues()
    batches: list[int] = []

    def work() -> None:
        answers: tuple[Answer, ...] = ()
        while questions := queues.poll(QuestionPoll(*WORKER, answers)):
            batches.append(len(questions))
            answers = tuple(Answer(question.number, (Part(0),)) for question in questions)

    worker = threading.Thread(target=work)
    worker.start()
    for _ in range(5):
        assert queues.ask(WORKER, QUESTION) is not None
    queues.close()
    worker.join(30)
    assert batches == [1, 1, 1, 1, 1]


def test_a_poll_that_waits_for_more_ends_with_the_application(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(gathering, "_SECONDS_MIN", 60.0)
    monkeypatch.setattr(gathering, "_CROWDED_SECONDS", 60.0)
    queues = QuestionQueues()
    threads = [asked(queues)[0] for _ in range(2)]
    poller = threading.Thread(target=queues.poll, args=(QuestionPoll(*WORKER),))
    poller.start()
    queues.close()
    for thread in (poller, *threads):
        thread.join(30)
        assert not thread.is_alive(), "waited for the end of a closed queue"


def test_a_question_that_is_not_waited_for_ends_with_its_answer_once() -> None:
    queues = QuestionQueues()
    ended: list[Answer | None] = []
    drop = queues.begin(WORKER, QUESTION, ended.append)
    assert drop is not None
    (question,) = queues.poll(QuestionPoll(*WORKER))
    answer = Answer(question.number, (Part(0),))
    queues.begin(WORKER, QUESTION, ended.append)  # so that the poll returns
    queues.poll(QuestionPoll(*WORKER, (answer,)))
    assert ended == [answer]
    drop()
    queues.forget(WORKER)
    assert ended == [answer, None]


def test_a_question_that_has_ended_holds_nothing_of_its_asker() -> None:
    class Asker:
        drop: object = None

        def ended(self, answer: Answer | None) -> None: ...

    queues, asker = QuestionQueues(), Asker()
    gone = weakref.ref(asker)
    asker.drop = queues.begin(WORKER, QUESTION, asker.ended)
    (question,) = queues.poll(QuestionPoll(*WORKER))
    queues.begin(WORKER, QUESTION, lambda answer: None)  # so that the poll returns
    queues.poll(QuestionPoll(*WORKER, (Answer(question.number),)))
    gc.disable()
    try:
        del asker
        assert gone() is None
    finally:
        gc.enable()
    queues.close()


def test_a_question_that_is_dropped_is_neither_sent_nor_ended() -> None:
    queues = QuestionQueues()
    ended: list[Answer | None] = []
    drop = queues.begin(WORKER, QUESTION, ended.append)
    assert drop is not None
    drop()
    queues.begin(WORKER, replace(QUESTION, store="other"), ended.append)
    assert [one.store for one in queues.poll(QuestionPoll(*WORKER))] == ["other"]
    queues.close()
    assert ended == [None]
    assert queues.begin(WORKER, QUESTION, ended.append) is None
