"""Bounds that are none are refused before the cluster is asked. (With a broker:
tests/broker/test_history.py.)
"""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

import pytest

from penstock._engine.kafka.client.topic_history import check_bound, check_bounds, find_range
from penstock.errors import ConfigError

MOMENT = datetime(2026, 11, 1, tzinfo=UTC)


@pytest.mark.parametrize("name", ["since", "until"])
@pytest.mark.parametrize(
    "bound",
    ["2026-11-01T00:00:00Z", "Earliest", "begining", True, 1.5, date(2026, 11, 1), {"0": 5}],
)
def test_a_text_that_is_no_bound_does_not_mean_the_end(name: str, bound: Any) -> None:
    no_cluster: Any = None
    with pytest.raises(ConfigError, match=f"{name} must be 'earliest', 'latest', a moment"):
        find_range(no_cluster, "orders", **{name: bound})


def test_bounds_are_of_one_topic_or_of_several() -> None:
    for bound in ("earliest", "latest", None, MOMENT, 1_793_491_200_000):
        check_bound("until", bound)
        check_bounds("until", bound)
    check_bound("until", {0: 120})
    check_bounds("until", {"orders": {0: 120}})
    with pytest.raises(ConfigError, match="offsets by partition"):
        check_bound("until", {"orders": {0: 120}})
    with pytest.raises(ConfigError, match="offsets by topic and partition"):
        check_bounds("until", {0: 120})
