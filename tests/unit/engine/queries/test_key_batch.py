"""Keys that travel together are answered as if each had been asked for alone."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Callable
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from penstock._engine.queries import gathering, key_batch, question_queues
from penstock._engine.queries.key_batch import KeyBatch, KeyPlace, question_of_keys
from penstock._engine.queries.query_server import QueryServer
from penstock._engine.queries.question_queues import QuestionQueues
from penstock._engine.queries.questions import (
    ANSWER_BYTES_MAX,
    BEHIND_LAST_ROW,
    GLOBAL,
    Answer,
    Part,
    Question,
    QuestionPoll,
    Read,
)
from penstock._engine.queries.reading import bytes_of
from penstock.errors import QueryError
from tests.console.browser import wait_for
from tests.unit.engine.http.shop import KEYS, Shop

WORKER = ("member", 7)
COMMON = question_of_keys(
    "counts", uncommitted=True, stale_ok=False, seconds=5.0, bytes_max=ANSWER_BYTES_MAX
)
PLACES = st.tuples(st.integers(0, 3), st.sampled_from([*KEYS[:4], "none", "neither"]))

shop = Shop(3)
"""It has the same rows in each of its three partitions."""


def answered(question: Question) -> Answer:
    return QueryServer()._answer(question, list(shop._tasks))


def alone(partition: int, key: bytes) -> Part:
    question = replace(COMMON, read=Read("get", (key,)), partitions=(partition,), rows_max=101)
    (part,) = answered(question).parts
    return part


def asked(batch: KeyBatch, places: list[tuple[int, bytes]]) -> list[list[Part | None]]:
    """Add keys; return for each of them a list that takes its answers."""
    taken: list[list[Part | None]] = [[] for _ in places]
    for (partition, key), answers in zip(places, taken, strict=True):
        batch.add(KeyPlace(partition, key), answers.append)
    return taken


@given(st.lists(PLACES, min_size=1, max_size=20))
def test_each_key_has_the_answer_that_it_has_alone(named: list[tuple[int, str]]) -> None:
    places = [(partition, key.encode()) for partition, key in named]
    batch = KeyBatch(COMMON)
    taken = asked(batch, places)
    batch.end(answered(batch.question(1)))
    assert taken == [[alone(*place)] for place in places]


def test_a_task_that_restores_or_fails_does_so_for_each_of_its_keys() -> None:
    batch = KeyBatch(COMMON)
    taken = asked(batch, [(0, b"a"), (1, b"b"), (0, b"c")])
    question = batch.question(1)
    failed = Part(0, offsets_behind=5, failure="not_ready", message="it restores")
    batch.end(Answer(question.number, (failed, Part(1))))
    assert taken == [[failed], [Part(1)], [failed]]


@pytest.mark.parametrize("answer", [None, Answer(1, busy="a commit"), Answer(1, (Part(5),))])
def test_keys_without_an_answer_have_none(answer: Answer | None) -> None:
    batch = KeyBatch(COMMON)
    taken = asked(batch, [(0, b"a"), (1, b"b")])
    batch.question(1)
    batch.end(answer)
    assert taken == [[None], [None]]


def test_keys_for_which_an_answer_had_no_room_have_none() -> None:
    batch = KeyBatch(replace(COMMON, bytes_max=20))
    taken = asked(batch, [(0, key.encode()) for key in KEYS[:5]])
    batch.end(answered(batch.question(1)))
    found = [answers[0] for answers in taken]
    assert found[:2] == [alone(0, key.encode()) for key in KEYS[:2]]
    assert found[2:] == [None] * 3


def test_an_answer_without_room_keeps_no_scan_open() -> None:
    server = QueryServer()
    batch = KeyBatch(replace(COMMON, bytes_max=1))
    asked(batch, [(0, key.encode()) for key in KEYS])
    (part,) = server._answer(batch.question(1), list(shop._tasks)).parts
    assert (len(part.rows), part.cursor) == (1, BEHIND_LAST_ROW)


def test_a_batch_that_has_ended_holds_nothing_of_who_asked() -> None:
    class Asker:
        drop: object = None

        def ended(self, part: Part | None) -> None: ...

    batch, asker = KeyBatch(COMMON), Asker()
    gone = weakref.ref(asker)
    ended = asker.ended
    batch.add(KeyPlace(0, b"a"), ended)
    asker.drop = partial(batch.drop, KeyPlace(0, b"a"))
    batch.end(None)
    del ended
    gc.disable()
    try:
        del asker
        assert gone() is None
    finally:
        gc.enable()


def begun(
    queues: QuestionQueues, *keys: bytes, common: Question = COMMON
) -> tuple[list[Part | None], list[Callable[[], None]]]:
    """Ask for some keys of partition 0; return what takes the answers, and what drops each."""
    taken: list[Part | None] = []
    drops = []
    for key in keys:
        drop = queues.begin_get(WORKER, common, KeyPlace(0, key), taken.append)
        assert drop is not None
        drops.append(drop)
    return taken, drops


def polled(queues: QuestionQueues, *answers: Answer) -> list[Question]:
    return queues.poll(QuestionPoll(*WORKER, answers))


def test_keys_gather_until_the_worker_polls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gathering, "_CROWDED_SECONDS", -1.0)
    queues = QuestionQueues()
    first, _ = begun(queues, b"a", b"b")
    (question,) = polled(queues)
    assert (question.partitions, question.keys) == ((0,), ((b"a", b"b"),))
    second, _ = begun(queues, b"c")
    row = (b"b", b"1", None, None, None)
    (next_question,) = polled(queues, Answer(question.number, (Part(0, (row,)),)))
    assert next_question.keys == ((b"c",),)
    assert first == [Part(0), Part(0, (row,))]
    queues.forget(WORKER)
    assert second == [None]


def test_only_keys_that_are_asked_in_the_same_way_travel_together() -> None:
    queues = QuestionQueues()
    begun(queues, b"a")
    begun(queues, b"b", common=replace(COMMON, uncommitted=False))
    begun(queues, b"c")
    assert [(one.keys, one.uncommitted) for one in polled(queues)] == [
        (((b"a", b"c"),), True),
        (((b"b",),), False),
    ]
    queues.close()


def test_what_is_dropped_is_neither_sent_nor_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(question_queues, "_WAIT_SECONDS", 0.01)
    queues = QuestionQueues()
    taken, drops = begun(queues, b"a", b"b")
    drops[0]()
    drops[0]()
    (question,) = polled(queues)
    assert question.keys == ((b"b",),)
    drops[1]()
    queue = queues._queue(WORKER)
    assert not queue._taken
    taken_later, drops = begun(queues, b"c")
    drops[0]()
    assert polled(queues, Answer(question.number, (Part(0),))) == []
    assert (queue._asker_count, taken, taken_later) == (0, [], [])
    queues.close()


def test_keys_that_fill_a_question_or_a_message_come_in_several(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(key_batch, "_KEYS_MAX", 2)
    monkeypatch.setattr(question_queues, "_KEY_BYTES_MAX", 10)
    queues = QuestionQueues()
    begun(queues, b"a", b"b", b"c", b"12345678", b"123")
    found: list[Question] = []
    while sum(len(one.keys[0]) for one in found) < 5:
        found += polled(queues)
    assert [one.keys[0] for one in found] == [(b"a", b"b"), (b"c", b"12345678"), (b"123",)]
    with pytest.raises(QueryError, match=r"may have 10 bytes in all; got 11"):
        queues.begin_get(WORKER, COMMON, KeyPlace(0, b"12345678901"), lambda part: None)
    queues.close()


def test_keys_for_a_worker_that_is_gone_are_not_waited_for() -> None:
    queues = QuestionQueues()
    taken, _ = begun(queues, b"a")
    queues.close()
    assert taken == [None]
    assert queues.begin_get(WORKER, COMMON, KeyPlace(0, b"b"), taken.append) is None


def test_as_many_keys_as_askers_end_the_wait_for_more(monkeypatch: pytest.MonkeyPatch) -> None:
    # Only as many keys as that end the wait, not its time.
    monkeypatch.setattr(gathering, "_SECONDS_MIN", 60.0)
    monkeypatch.setattr(gathering, "_CROWDED_SECONDS", 60.0)
    monkeypatch.setattr(gathering, "_ENOUGH_MAX", 3)
    queues = QuestionQueues()
    begun(queues, b"a", b"b")
    found: list[Question] = []
    poller = threading.Thread(target=lambda: found.extend(polled(queues)))
    poller.start()
    wait_for(lambda: queues._queue(WORKER)._lingers, "the wait for more")
    begun(queues, b"c")
    poller.join(30)
    queues.close()
    assert [one.keys for one in found] == [((b"a", b"b", b"c"),)]


def test_a_whole_question_ends_the_longer_wait_of_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Views and pages of scans were held up by keys that others ask for over HTTP."""
    # Only the question ends the longer wait, not its time.
    monkeypatch.setattr(gathering, "_KEYS_SECONDS_MAX", 60.0)
    monkeypatch.setattr(gathering, "_KEYS_TIMES_BUSY", 10_000)
    monkeypatch.setattr(gathering, "_CROWDED_SECONDS", 60.0)
    queues = QuestionQueues()
    begun(queues, b"a", b"b")
    poll = QuestionPoll(*WORKER, answer_seconds=0.01)
    found: list[Question] = []
    poller = threading.Thread(target=lambda: found.extend(queues.poll(poll)))
    poller.start()
    wait_for(lambda: queues._queue(WORKER)._lingers_for_keys, "the longer wait")
    begun(queues, b"c")
    poller.join(0.05)
    assert poller.is_alive(), "a key does not end it"
    whole = Question(0, "counts", Read("range"), (0,))
    assert queues.begin(WORKER, whole, lambda answer: None) is not None
    poller.join(30)
    queues.close()
    assert [one.keys for one in found] == [((b"a", b"b", b"c"),), ()]


def test_the_keys_that_come_in_the_longer_wait_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[int] = []
    monkeypatch.setattr(
        gathering.Gathering, "waited_for_keys", lambda _self, _now, count: counted.append(count)
    )
    monkeypatch.setattr(gathering, "_KEYS_SECONDS_MAX", 0.5)
    monkeypatch.setattr(gathering, "_KEYS_TIMES_BUSY", 100)
    queues = QuestionQueues()
    begun(queues, b"a", b"b")
    poll = QuestionPoll(*WORKER, answer_seconds=0.005)
    poller = threading.Thread(target=queues.poll, args=(poll,))
    poller.start()
    wait_for(lambda: queues._queue(WORKER)._lingers_for_keys, "the longer wait")
    begun(queues, b"c", b"d", b"e")
    poller.join(30)
    queues.close()
    assert counted == [3]


def test_a_key_that_comes_behind_a_dropped_one_is_sent() -> None:
    queues = QuestionQueues()
    _, drops = begun(queues, b"a")
    drops[0]()
    begun(queues, b"b")
    assert [one.keys for one in polled(queues)] == [((b"b",),)]
    queues.close()


def test_one_of_two_who_ask_for_a_key_may_leave() -> None:
    queues = QuestionQueues()
    first, drops = begun(queues, b"a")
    second, _ = begun(queues, b"a")
    drops[0]()
    (question,) = polled(queues)
    queues.forget(WORKER)
    drops[0]()
    assert (question.keys, first, second) == (((b"a",),), [], [None])


def test_a_key_of_a_global_store_has_its_place() -> None:
    batch = KeyBatch(COMMON)
    taken = asked(batch, [(GLOBAL, b"a"), (0, b"a")])
    question = batch.question(1)
    assert (question.partitions, question.keys) == ((GLOBAL, 0), ((b"a",), (b"a",)))
    part = Part(GLOBAL, ((b"a", b"1", None, None, None),))
    batch.end(Answer(1, (part, Part(0))))
    assert taken == [[part], [Part(0)]]


def test_the_room_of_an_answer_is_shared_by_the_number_of_keys() -> None:
    """The keys of one partition were asked for again while there was room in the message."""
    size = bytes_of(alone(0, KEYS[0].encode()).rows)
    batch = KeyBatch(replace(COMMON, bytes_max=12 * size))
    places = [(0, key.encode()) for key in KEYS[:10]] + [(1, b"key-00"), (2, b"key-00")]
    taken = asked(batch, places)
    batch.end(answered(batch.question(1)))
    assert taken == [[alone(*place)] for place in places]
