"""Questions wait for others where that saves more than it costs."""

from __future__ import annotations

from penstock._engine.queries.gathering import NO_WAIT, Gathering

NOW = 100.0
MILLISECOND = 0.001


def crowded() -> Gathering:
    gathering = Gathering()
    gathering.overlapped(NOW)
    return gathering


def test_questions_that_do_not_overlap_wait_for_no_others() -> None:
    gathering = Gathering()
    assert gathering.wait(NOW, 1, 0.005) == NO_WAIT
    gathering.overlapped(NOW)
    assert gathering.wait(NOW + 0.09, 1, 0.005) != NO_WAIT
    assert gathering.wait(NOW + 0.11, 1, 0.005) == NO_WAIT


def test_the_busier_the_worker_the_longer_they_wait() -> None:
    def waits(busy: float) -> tuple[float, float]:
        _, seconds, of_keys = crowded().wait(NOW, 5, busy)
        return round(seconds / MILLISECOND), round(of_keys / MILLISECOND)

    assert waits(0.0) == waits(0.0002) == (3, 0), "a worker without records"
    assert waits(0.001) == (3, 7)
    assert waits(0.005) == (5, 45)
    assert waits(0.02) == (20, 40)
    assert waits(0.2) == waits(9.0) == (40, 20), "a worker that commits"


def test_no_more_are_waited_for_than_there_are_askers() -> None:
    gathering = crowded()
    assert gathering.wait(NOW, None, 0.0).enough == 32, "it is not known how many there are"
    assert [gathering.wait(NOW, count, 0.0).enough for count in (2, 10, 3, 5, 12, 999)] == [
        2,
        10,
        9,
        8,
        12,
        32,
    ]


def test_a_crowd_that_is_gone_is_soon_forgotten() -> None:
    gathering = crowded()
    gathering.wait(NOW, 6000, 0.0)
    assert [gathering.wait(NOW, 2, 0.0).enough for _ in range(30)][-1] == 2
    gathering.overlapped(NOW)
    gathering.wait(NOW, 6000, 0.0)
    assert gathering.wait(NOW + 1.0, 1, 0.0) == NO_WAIT
    gathering.overlapped(NOW + 1.0)
    assert gathering.wait(NOW + 1.0, 2, 0.0).enough == 2


def test_keys_wait_no_longer_than_questions_where_few_come() -> None:
    gathering = crowded()
    long = gathering.wait(NOW, 2, 0.005)
    short = long._replace(seconds_of_keys=0.0)
    assert long != short
    for count in (25, 0, 4, 4):  # now more, now less
        gathering.waited_for_keys(NOW, count)
        assert gathering.wait(NOW, 2, 0.005) == long
    for count in (3, 3):
        gathering.waited_for_keys(NOW, count)
    assert gathering.wait(NOW, 2, 0.005) == short
    gathering.overlapped(NOW + 0.9)
    assert gathering.wait(NOW + 0.9, 2, 0.005) == short
    gathering.overlapped(NOW + 1.1)
    assert gathering.wait(NOW + 1.1, 2, 0.005) == long, "they are tried again"
    gathering.waited_for_keys(NOW + 1.1, 3)
    assert gathering.wait(NOW + 1.1, 2, 0.005) == short, "and one wait says enough"
