"""Slots follow what Spark can run, and what the user wants."""

from __future__ import annotations

from penstock._engine.spark.seats import Seats


class Cluster:
    """Executors that come and go."""

    def __init__(self, cores: int) -> None:
        self.cores = cores

    def capacity(self) -> int:
        return self.cores


def test_slots_follow_the_cores_unless_a_number_is_given() -> None:
    cluster = Cluster(2)
    following, fixed = Seats(None, cluster.capacity), Seats(3, cluster.capacity)
    assert (following.open_turn(1), fixed.open_turn(1)) == (2, 3)
    cluster.cores = 5
    assert (following.open_turn(2), fixed.open_turn(2)) == (5, 3)
    cluster.cores = 0  # no executor at all: one slot waits for the first
    assert (following.open_turn(3), fixed.open_turn(3)) == (1, 3)


def test_slots_are_added_up_to_the_cores_and_removed_down_to_one() -> None:
    seats = Seats(1, Cluster(2).capacity)
    assert seats.remove() is None
    assert seats.add() == 2
    assert seats.add() is None
    assert seats.open_turn(1) == 2
    assert seats.remove() == 1
    assert seats.open_turn(2) == 1


def test_one_removed_stays_removed_when_executors_join() -> None:
    cluster = Cluster(2)
    seats = Seats(None, cluster.capacity)
    assert seats.remove() == 1
    cluster.cores = 4
    assert seats.count() == 3


def test_when_slots_become_fewer_as_many_workers_without_one_are_too_many() -> None:
    cluster = Cluster(3)
    seats = Seats(None, cluster.capacity)
    seats.open_turn(6)
    cluster.cores = 2
    seats.open_turn(7)
    assert not seats.is_surplus(6, 2)  # a slot may still become its own
    assert not seats.is_surplus(7, 0)
    assert not seats.is_surplus(7, 0)  # a replacement, in the slot of one that died
    assert not seats.is_surplus(6, 2)
    assert not seats.is_surplus(7, 1)
    assert seats.is_surplus(6, 2)
    assert not seats.is_surplus(5, 0)  # only one slot less, so one worker less


def test_when_slots_stay_as_many_a_worker_without_one_is_kept() -> None:
    seats = Seats(2, Cluster(3).capacity)
    seats.open_turn(7)
    assert [seats.is_surplus(7, index) for index in (0, 1)] == [False, False]
    assert not seats.is_surplus(6, 1)


def test_a_worker_that_died_with_its_executor_need_not_be_told_to_go() -> None:
    cluster = Cluster(3)
    seats = Seats(None, cluster.capacity)
    seats.open_turn(6)
    cluster.cores = 2
    seats.open_turn(7)
    seats.worker_died()
    assert [seats.is_surplus(7, index) for index in (0, 1)] == [False, False]
    assert not seats.is_surplus(6, 2)
