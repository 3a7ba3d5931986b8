"""Drivers hear of each other, answer one that is new, and forget one that says nothing more."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from penstock._engine.control import drivers as drivers_module
from penstock._engine.control.drivers import Announcement, Driver, Drivers
from penstock._engine.control.protocol import wire

SESSION = 8.0
RUNNING, NONE = {"0_0": "running"}, ()


class Clock:
    """The time that drivers see."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 100.0
        monkeypatch.setattr(drivers_module, "monotonic", lambda: self.now)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def named(name: str) -> Drivers:
    return Drivers(Driver(name, session_seconds=SESSION))


def full(driver: Driver, *, asks: bool = False) -> bytes:
    return wire.encode(Announcement(1, driver, asks))


def announced(driver: Drivers, clock: Clock, seconds: float) -> int:
    """Return how many announcements a driver makes in a time."""
    count = 0
    for _ in range(round(seconds * 10)):
        clock.now += 0.1
        count += driver.announcement(RUNNING, NONE) is not None
    return count


def test_a_driver_that_is_alone_announces_itself_once(clock: Clock) -> None:
    driver = named("a")
    first = driver.announcement({}, NONE)
    assert first is not None
    driver.hear("a", first)  # its own record comes back
    assert driver.others() == []
    assert announced(driver, clock, 10 * SESSION) == 0


def test_a_new_driver_is_answered_and_both_go_on(clock: Clock) -> None:
    old, new = named("old"), named("new")
    old.announcement({}, NONE)
    clock.now += 60 * SESSION
    hello = new.announcement({}, NONE)
    old.hear("new", hello)
    answer = old.announcement(RUNNING, ("0_1",))
    assert answer is not None
    new.hear("old", answer)
    assert new.others() == [replace(old.own, tasks=RUNNING, standbys=("0_1",))]
    for driver in (old, new):
        # Once because its tasks are new, then four times in each session.
        assert announced(driver, clock, SESSION) in {4, 5}


def test_a_driver_renews_what_it_announced_and_says_it_all_when_asked(clock: Clock) -> None:
    one, other, late = named("one"), named("other"), named("late")
    many = {f"0_{number}": "running" for number in range(1000)}
    other.announcement({}, NONE)
    hello = one.announcement(many, NONE)
    other.hear("one", hello)
    clock.now += 1
    answer = other.announcement({}, NONE)
    assert answer is not None
    one.hear("other", answer)
    for _ in range(20):
        clock.now += SESSION / 4
        renewal = one.announcement(many, NONE)
        assert renewal is not None
        assert len(renewal) < 50
        other.hear("one", renewal)
        assert [driver.tasks for driver in other.others()] == [many]
    # One that did not read what is renewed, or has forgotten it, asks.
    late.announcement({}, NONE)
    late.hear("one", renewal)
    assert late.others() == []
    clock.now += SESSION / 4
    one.hear("late", late.announcement({}, NONE))
    late.hear("one", one.announcement(many, NONE))
    assert [driver.tasks for driver in late.others()] == [many]


def test_a_change_is_announced_at_once_but_not_each_of_many(clock: Clock) -> None:
    driver = named("a")
    driver.announcement({}, NONE)
    driver.hear("b", full(Driver("b", session_seconds=SESSION), asks=True))
    clock.now += 1
    assert driver.announcement({}, NONE) is not None
    many = 0
    for number in range(100):
        clock.now += 0.01
        many += driver.announcement({f"0_{number}": "restoring"}, NONE) is not None
    assert 3 <= many <= 5


def test_a_silent_driver_is_forgotten_after_its_session(clock: Clock) -> None:
    driver = named("a")
    driver.hear("b", full(Driver("b", session_seconds=SESSION, tasks=RUNNING)))
    clock.now += SESSION - 0.1
    assert [one.id for one in driver.others()] == ["b"]
    clock.now += 0.2
    assert driver.others() == []
    # It is announced on: the other may only have been unable to write.
    assert announced(driver, clock, SESSION) >= 4


def test_a_driver_that_ends_is_forgotten_at_once() -> None:
    driver = named("a")
    driver.hear("b", full(Driver("b", tasks=RUNNING)))
    assert [one.tasks for one in driver.everyone({"0_1": "running"}, NONE)] == [
        {"0_1": "running"},
        RUNNING,
    ]
    driver.hear("b", None)
    driver.hear("c", None)
    assert [one.id for one in driver.everyone({}, NONE)] == ["a"]


def test_what_did_not_arrive_is_announced_again(clock: Clock) -> None:
    driver = named("a")
    driver.announcement({}, NONE)
    driver.announce_again()
    clock.now += 1
    again = wire.decode(driver.announcement({}, NONE) or b"", Announcement)
    assert again == Announcement(2, driver.own, asks=True)
    assert announced(driver, clock, 1) == 0


@pytest.mark.parametrize(
    "bad",
    [b"", b"{}", b"\x80", full(Driver("z")), wire.encode({"number": "b"}), b"\xc1"],
)
def test_a_record_that_is_no_announcement_is_left_out(bad: bytes) -> None:
    driver = named("a")
    driver.hear("b", bad)
    assert driver.others() == []


def test_any_bytes_are_survived() -> None:
    driver, chance = named("a"), random.Random(7)
    good = full(Driver("b", "m/1", url="http://h:1", tasks=RUNNING, standbys=("0_1",)))
    for _ in range(2000):
        cut = bytearray(good)
        for _ in range(chance.randint(1, 4)):
            cut[chance.randrange(len(cut))] = chance.randrange(256)
        driver.hear("b", bytes(cut[: chance.randint(1, len(cut))]))
    assert all(one.id == "b" for one in driver.others())


def test_no_announcement_holds_for_ever(clock: Clock) -> None:
    driver = named("a")
    for seconds in (1e300, float("inf"), float("nan"), -5.0, 0.0):
        driver.hear("b", full(Driver("b", session_seconds=seconds)))
    clock.now += 3601
    assert driver.others() == []


def test_an_announcement_of_a_later_version_is_read() -> None:
    driver = named("a")
    later = {"id": "b", "tasks": RUNNING, "something": ["new"]}
    driver.hear("b", wire.encode({"number": 1, "driver": later, "more": 5}))
    assert driver.others() == [Driver("b", tasks=RUNNING)]
