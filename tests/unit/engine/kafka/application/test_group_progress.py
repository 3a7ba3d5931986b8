"""A bounded run of several instances is over wave by wave; the broker's part is tested with one."""

from __future__ import annotations

from penstock._engine.kafka.application.group_progress import Waves, _has_cycle

ENDS = {("in", 0): 10}


def own(*ends: int) -> dict[tuple[str, int], int]:
    return {("words", number): end for number, end in enumerate(ends)}


def test_a_program_without_topics_of_its_own_is_over_after_the_first_wave() -> None:
    waves = Waves(ENDS, most=1)
    assert waves.targets == ENDS
    assert waves.next({})


def test_what_came_of_the_inputs_is_a_wave_of_its_own() -> None:
    waves = Waves(ENDS, most=3)
    assert not waves.next(own(5, 7))
    assert waves.targets == own(5, 7)
    assert not waves.next(own(6, 7))
    assert waves.targets == own(6, 7)


def test_a_wave_in_which_nothing_was_written_is_the_last() -> None:
    waves = Waves(ENDS, most=None)
    assert not waves.next(own(5, 7))
    assert waves.next(own(5, 7))


def test_another_instance_that_writes_on_for_ever_does_not_keep_it_from_its_end() -> None:
    waves = Waves(ENDS, most=2)
    assert [waves.next(own(end)) for end in (1, 2, 3)] == [False, False, True]


def test_in_a_circle_only_silence_is_the_end() -> None:
    waves = Waves(ENDS, most=None)
    assert not any(waves.next(own(end)) for end in range(100))
    assert waves.next(own(99))


def test_circles_are_found() -> None:
    assert not _has_cycle({0: {1, 2}, 1: {2}, 2: set()})
    assert _has_cycle({0: {0}})
    assert _has_cycle({0: {1}, 1: {2}, 2: {1}})
