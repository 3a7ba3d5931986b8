"""Questions wait for their worker, questioners for their answers."""

from __future__ import annotations

import threading

from penstock._engine.queries.mailboxes import Mailboxes
from penstock._engine.queries.questions import Answer, Part, Pickup, Question, Read

WORKER = ("member", 7)
QUESTION = Question(0, "counts", Read("range"), (0,), seconds=5.0)


def asked(boxes: Mailboxes, question: Question = QUESTION) -> tuple[threading.Thread, list[object]]:
    answers: list[object] = []
    thread = threading.Thread(target=lambda: answers.append(boxes.ask(WORKER, question)))
    thread.start()
    return thread, answers


def test_a_worker_takes_its_questions_and_brings_the_answers() -> None:
    boxes = Mailboxes()
    thread, answers = asked(boxes)
    (question,) = boxes.pick_up(Pickup(*WORKER))
    assert question.store == "counts"
    answer = Answer(question.number, (Part(0),))
    later = threading.Thread(target=boxes.pick_up, args=(Pickup(*WORKER, (answer,)),))
    later.start()
    thread.join()
    boxes.close()
    later.join()
    assert answers == [answer]


def test_questions_are_for_their_worker_only() -> None:
    boxes = Mailboxes()
    thread, answers = asked(boxes)
    boxes.close()
    assert boxes.pick_up(Pickup("another", 7)) == []
    boxes.forget(WORKER)
    thread.join()
    assert answers == [None]


def test_an_answer_that_comes_too_late_is_dropped() -> None:
    boxes = Mailboxes()
    late = Question(0, "counts", Read("range"), (0,), seconds=-1.0)
    assert boxes.ask(WORKER, late) is None
    boxes.close()
    assert boxes.pick_up(Pickup(*WORKER, (Answer(1),))) == []


def test_what_was_asked_of_a_worker_that_died_is_not_waited_for() -> None:
    boxes = Mailboxes()
    thread, answers = asked(boxes)
    assert len(boxes.pick_up(Pickup(*WORKER))) == 1
    boxes.forget(WORKER)
    thread.join(3)
    assert answers == [None]
