"""Restoring several changelogs with one reader, one of which cannot be read on."""

from __future__ import annotations

import pytest
from confluent_kafka import KafkaError, TopicPartition

from penstock._engine.kafka.client.bulk import Portion
from penstock._engine.kafka.client.client_errors import TaskCorrupted
from penstock._engine.kafka.tasks import restore
from penstock._engine.kafka.tasks.restore import RestoreJob, Restorer

GONE = KafkaError(KafkaError.OFFSET_OUT_OF_RANGE)


class FakeReader:
    """A reader whose next portions the test chooses; it is its own consumer."""

    def __init__(self) -> None:
        self.consumer = self
        self.portions: list[Portion] = []

    def read(self, _wait_seconds: float, _limit: int) -> list[Portion]:
        portions, self.portions = self.portions, []
        return portions

    closed = False

    def close(self) -> None:
        self.closed = True

    def incremental_assign(self, partitions: list[TopicPartition]) -> None: ...

    def incremental_unassign(self, partitions: list[TopicPartition]) -> None: ...


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch) -> FakeReader:
    fake = FakeReader()
    monkeypatch.setattr(restore, "open_reader", lambda _settings: fake)
    return fake


def job(topic: str, applied: list[bytes]) -> RestoreJob:
    return RestoreJob(
        (topic, 0), 0, 2, lambda changes, _offset: applied.extend(key for key, *_ in changes)
    )


def records(topic: str) -> Portion:
    return (topic, 0, [(0, 10, b"first", b"v", ()), (1, 11, b"second", b"v", ())], None)


@pytest.mark.parametrize("order", ["before", "behind"])
def test_a_changelog_that_was_cut_loses_nothing_of_its_neighbours(
    order: str, reader: FakeReader
) -> None:
    """What was read of the neighbour in the same call does not come again."""
    applied: list[bytes] = []
    restorer = Restorer({})
    neighbour, cut = job("whole", applied), job("cut", [])
    restorer.begin([neighbour, cut])
    reader.portions = [("cut", 0, [], (0, GONE)), records("whole")]
    if order == "before":
        reader.portions.reverse()
    with pytest.raises(TaskCorrupted, match="changelog 'cut', partition 0 no longer has"):
        restorer.work(0)
    assert applied == [b"first", b"second"]
    assert neighbour.done


def test_each_changelog_that_was_cut_is_told_of_until_its_task_is_dropped(
    reader: FakeReader,
) -> None:
    restorer = Restorer({})
    restorer.begin([job("one", []), job("two", []), job("three", [])])
    reader.portions = [(topic, 0, [], (0, GONE)) for topic in ("one", "two", "three")]
    for topic in ("one", "two", "three"):
        with pytest.raises(TaskCorrupted) as caught:
            restorer.work(0)
        assert caught.value.changelog == (topic, 0)
        restorer.drop([caught.value.changelog])
    restorer.begin([job("one", [])])
    restorer.work(0)


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[FakeReader]:
    """The readers that were opened."""
    made: list[FakeReader] = []

    def make(_settings: object) -> FakeReader:
        made.append(FakeReader())
        return made[-1]

    monkeypatch.setattr(restore, "open_reader", make)
    return made


def test_a_client_does_not_stay_open_for_ever_after_the_last_restore(
    made: list[FakeReader],
) -> None:
    restorer, one = Restorer({}), job("one", [])
    restorer.begin([one])
    restorer.rest(100.0)
    restorer.rest(200.0)
    assert not made[0].closed  # it has something to do, however long that takes
    made[0].portions = [records("one")]
    restorer.work(0)
    assert one.done
    for now in (300.0, 304.9):
        restorer.rest(now)
        assert not made[0].closed
    restorer.rest(305.0)
    assert made[0].closed
    restorer.rest(400.0)

    again: list[bytes] = []
    restorer.begin([job("two", again)])
    made[1].portions = [records("two")]
    restorer.work(0)
    assert (len(made), made[1].closed, again) == (2, False, [b"first", b"second"])
    restorer.rest(401.0)
    restorer.close()
    assert made[1].closed


def test_a_client_is_made_only_when_there_is_something_to_read(made: list[FakeReader]) -> None:
    restorer = Restorer({})
    complete = RestoreJob(("complete", 0), 2, 2, lambda _changes, _offset: None)
    restorer.begin([complete])
    restorer.drop([complete.partition])
    restorer.work(0)
    restorer.close()
    assert complete.done
    assert not made
    restorer.begin([job("one", []), job("two", [])])
    restorer.work(0)
    assert len(made) == 1
