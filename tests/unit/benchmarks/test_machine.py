"""What the machine tells of itself."""

from __future__ import annotations

from benchmarks import machine


def test_stolen_time_is_that_of_all_processors_as_of_one() -> None:
    line = "cpu  4237824 0 433812 2162533 48479 0 35026 461337 0 0\n"
    assert machine.seconds_in(line, 2) == 461337 / machine._TICKS / 2


def test_an_old_kernel_tells_nothing_of_it() -> None:
    assert machine.seconds_in("cpu  4237824 0 433812 2162533\n", 2) == 0


def test_a_machine_has_cores() -> None:
    assert machine.cores() > 0
    assert f"{machine.cores()} cores" in machine.description()
    assert machine.stolen_seconds() >= 0
