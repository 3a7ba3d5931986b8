"""Slots follow what Spark can run, and what the user wants."""

from __future__ import annotations

from penstock._engine.control.slot_plan import Capacity, SlotPlan, SlotRule


class Cluster:
    """Executors that come and go."""

    def __init__(self, cores: int, most: int | None = None) -> None:
        self.cores, self.most = cores, most

    def capacity(self) -> Capacity:
        return Capacity(self.cores, self.most)


def test_slots_follow_the_cores_unless_a_number_is_given() -> None:
    cluster = Cluster(2)
    following, fixed = SlotPlan(None, cluster.capacity), SlotPlan(3, cluster.capacity)
    assert (following.open_turn(1), fixed.open_turn(1)) == (2, 3)
    cluster.cores = 5
    assert (following.open_turn(2), fixed.open_turn(2)) == (5, 3)
    cluster.cores = 0  # no executor at all: one slot waits for the first
    assert (following.open_turn(3), fixed.open_turn(3)) == (1, 3)


def test_slots_are_added_up_to_the_cores_and_removed_down_to_one() -> None:
    slots = SlotPlan(1, Cluster(2).capacity)
    assert slots.remove() is None
    assert slots.add() == 2
    assert slots.add() is None
    assert slots.open_turn(1) == 2
    assert slots.remove() == 1
    assert slots.open_turn(2) == 1


def test_one_removed_stays_removed_when_executors_join() -> None:
    cluster = Cluster(2)
    slots = SlotPlan(None, cluster.capacity)
    assert slots.remove() == 1
    cluster.cores = 4
    assert slots.count() == 3


class Workers:
    """Workers of `slots`: each has reported the slot that paid for it."""

    def __init__(self, slots: SlotPlan) -> None:
        self._slots = slots
        self.now = 100.0

    def report(self, worker: str, turn: int, index: int) -> bool:
        return self._slots.is_surplus(worker, turn, index, self.now)

    def may_start(self) -> bool:
        return self._slots.may_start(self.now)


def test_when_slots_become_fewer_as_many_workers_without_one_are_too_many() -> None:
    cluster = Cluster(4)
    slots = SlotPlan(None, cluster.capacity)
    workers = Workers(slots)
    slots.open_turn(6)
    assert not any(workers.report(name, 6, index) for index, name in enumerate("abcd"))
    slots.worker_gone("d")
    cluster.cores = 2
    slots.open_turn(7)
    assert not workers.report("c", 6, 2)  # a slot may still become its own
    assert not workers.report("a", 7, 0)
    assert not workers.report("a", 7, 0)
    assert not workers.report("c", 6, 2)
    assert not workers.report("b", 7, 1)
    assert workers.report("c", 6, 2)


def test_no_engine_is_started_where_each_slot_has_a_worker() -> None:
    cluster = Cluster(2)
    slots = SlotPlan(None, cluster.capacity)
    workers = Workers(slots)
    slots.open_turn(1)
    assert workers.may_start()
    workers.report("a", 1, 0)
    assert workers.may_start()
    workers.report("b", 1, 1)
    assert not workers.may_start()

    cluster.cores = 1
    slots.open_turn(2)
    workers.report("a", 2, 0)
    assert workers.report("b", 1, 1)
    slots.worker_gone("b")
    # Spark lends its processes in turn: the next slot is where there is no engine any more.
    slots.open_turn(3)
    assert not workers.may_start()
    assert not workers.report("a", 2, 0)
    slots.open_turn(4)
    assert not workers.report("a", 4, 0)


def test_one_engine_may_start_before_a_turn_is_planned() -> None:
    workers = Workers(SlotPlan(2, Cluster(2).capacity))
    assert workers.may_start()
    assert not workers.report("a", 0, 0)
    assert not workers.may_start()


def test_a_worker_that_is_gone_or_silent_is_replaced() -> None:
    slots = SlotPlan(2, Cluster(2).capacity)
    workers = Workers(slots)
    slots.open_turn(1)
    workers.report("a", 1, 0)
    workers.report("b", 1, 1)
    slots.worker_gone("a")
    assert workers.may_start()
    workers.report("c", 1, 0)
    assert not workers.may_start()
    workers.now += 60
    workers.report("c", 1, 0)
    assert workers.may_start()
    # The silent one speaks again, when another has its slot.
    workers.report("d", 1, 1)
    slots.open_turn(2)
    assert not workers.report("c", 2, 0)
    assert not workers.report("d", 2, 1)
    assert workers.report("b", 1, 1)
    assert not workers.may_start()


def test_when_slots_stay_as_many_a_worker_without_one_is_kept() -> None:
    slots = SlotPlan(2, Cluster(3).capacity)
    workers = Workers(slots)
    slots.open_turn(6)
    workers.report("a", 6, 0)
    workers.report("b", 6, 1)
    slots.open_turn(7)
    assert not workers.report("a", 7, 0)
    assert not workers.report("a", 7, 1)
    assert not workers.report("b", 6, 1)


def test_a_turn_is_held_while_a_worker_of_it_is_silent() -> None:
    slots = SlotPlan(2, Cluster(3).capacity)
    workers = Workers(slots)
    slots.open_turn(1)
    workers.report("a", 1, 0)
    workers.report("b", 1, 1)
    assert slots.hanging(workers.now) == set()
    workers.now += 6
    workers.report("a", 1, 0)
    assert slots.hanging(workers.now) == {"b"}
    workers.report("b", 1, 1)  # it was only slow
    assert slots.hanging(workers.now) == set()
    workers.now += 6
    workers.report("a", 1, 0)
    slots.worker_gone("b")
    assert slots.hanging(workers.now) == set()


def test_a_silent_worker_without_a_slot_of_this_turn_holds_nothing() -> None:
    slots = SlotPlan(2, Cluster(3).capacity)
    workers = Workers(slots)
    slots.open_turn(1)
    workers.report("a", 1, 0)
    workers.report("b", 1, 1)
    slots.open_turn(2)
    workers.now += 60
    workers.report("a", 2, 0)
    assert slots.hanging(workers.now) == set()


def test_a_core_is_left_where_the_session_is_the_users() -> None:
    cluster = Cluster(4)
    slots = SlotPlan(None, cluster.capacity, SlotRule(leaves_a_core=True))
    assert slots.count() == 3
    assert slots.add() == 4  # asked for, all cores are taken
    assert slots.add() is None
    cluster.cores = 1
    assert SlotPlan(None, cluster.capacity, SlotRule(leaves_a_core=True)).count() == 1


def test_dynamic_allocation_is_asked_for_what_the_tasks_can_use() -> None:
    cluster = Cluster(1, most=6)
    tasks = 4
    slots = SlotPlan(None, cluster.capacity, SlotRule(useful=lambda: tasks))
    assert slots.count() == 4
    tasks = 10
    assert slots.count() == 6
    guest = SlotPlan(None, cluster.capacity, SlotRule(leaves_a_core=True, useful=lambda: tasks))
    assert guest.count() == 5
    tasks = 1  # executors without a slot are idle: Spark takes them away
    assert slots.count() == 1
    cluster.cores = 0
    assert slots.count() == 1


def test_a_turn_counts_from_its_first_slot_and_a_slot_that_waited_ends_at_once() -> None:
    slots = SlotPlan(3, Cluster(1).capacity, turn_seconds=10)
    slots.open_turn(1)
    assert slots.seconds_left(1, 500.0) == 10  # however long Spark took to start it
    assert slots.seconds_left(1, 504.0) == 6
    assert slots.seconds_left(1, 510.0) == 0
    assert slots.seconds_left(1, 600.0) == 0
    slots.open_turn(2)
    assert slots.seconds_left(1, 601.0) == 0  # a late retry of the last turn
    assert slots.seconds_left(2, 602.0) == 10


def test_a_turn_on_all_cores_gives_way_to_other_jobs_but_not_at_once() -> None:
    cluster = Cluster(2)
    slots = SlotPlan(2, cluster.capacity, turn_seconds=10)
    slots.open_turn(7)
    assert not slots.give_way(100.0)  # none of its slots has started
    slots.seconds_left(7, 100.0)
    assert not slots.give_way(100.5)
    assert slots.given_way is None
    assert slots.give_way(103.0)
    assert slots.given_way == 7
    assert slots.seconds_left(7, 103.1) == 0  # a surplus slot takes no core now
    slots.open_turn(8)
    assert slots.given_way is None
    assert slots.seconds_left(8, 104.0) == 10
    cluster.cores = 3  # the others have a core of their own
    assert not slots.give_way(110.0)


def test_when_turns_are_counted_anew_new_engines_start_and_old_workers_are_too_many() -> None:
    slots = SlotPlan(1, lambda: Capacity(1))
    slots.open_turn(57)
    assert not slots.is_surplus("old", 57, 0, now=1.0)
    slots.forget_workers()
    slots.open_turn(1)
    assert slots.may_start(now=2.0)
    assert not slots.is_surplus("new", 1, 0, now=2.0)
    # One that was stopped meanwhile, and says something again.
    assert slots.is_surplus("old", 57, 0, now=3.0)
