"""How many slots dynamic allocation may make room for."""

from __future__ import annotations

import pytest

from penstock._engine.spark.streaming.session_load import allocates_dynamically, most_slots

MOST = "spark.dynamicAllocation.maxExecutors"


@pytest.mark.parametrize(
    ("conf", "present", "executors", "expected"),
    [
        ({MOST: "3"}, 1, 1, 3),
        ({MOST: "3"}, 4, 2, 6),  # two cores each
        ({MOST: "3", "spark.executor.cores": "4", "spark.task.cpus": "2"}, 0, 0, 6),
        ({MOST: "0"}, 0, 0, 1),
        ({MOST: "2"}, 3, 3, 3),  # more are there than may be added
        ({}, 1, 1, 2**31 - 1),
        ({MOST: "infinity"}, 1, 1, 2**31 - 1),
    ],
)
def test_all_executors_that_may_be_added_count(
    conf: dict[str, str], present: int, executors: int, expected: int
) -> None:
    assert most_slots(conf, present, executors) == expected


def test_it_is_off_unless_it_is_switched_on() -> None:
    assert not allocates_dynamically({})
    assert allocates_dynamically({"spark.dynamicAllocation.enabled": "true"})
