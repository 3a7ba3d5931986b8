"""What a user says about the inputs of a backfill is checked before anything is done. (With a real
Spark: tests/spark/test_backfill.py.)
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from penstock._engine.spark.batch.backfill_inputs import InputOptions, open_inputs
from penstock.errors import ConfigError, StreamsError


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"until": "2026-11-01T00:00:00Z"}, "until must be 'earliest', 'latest', a moment"),
        ({"until": {"orders": "2026-11-01"}}, "until of topic 'orders' must be 'earliest'"),
        ({"until": {"orders": datetime(2026, 11, 1)}}, "orders'.* must have a time zone"),  # noqa: DTZ001
        ({"until": {0: 120}}, "until must be .* offsets by topic and partition"),
        ({"live_from": {"orders": "2026-11-01T00:00:00Z"}}, "live_from of topic 'orders' must be"),
        ({"live_from": {"orders": "Earliest"}}, "live_from of topic 'orders' must be"),
        ({"live_from": "earliest"}, "live_from must be a dict of topics"),
    ],
)
def test_a_text_that_is_no_bound_does_not_mean_the_end(options: Any, told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        InputOptions(**options)


@pytest.mark.parametrize(
    "bound", [datetime(2026, 11, 1, tzinfo=UTC), 1_793_491_200_000, "latest", {0: 120}, None]
)
def test_the_history_of_each_topic_ends_where_its_own_bound_says(bound: Any) -> None:
    options = InputOptions(until={"orders": bound})
    assert options.bound("orders") == bound
    assert options.bound("customers") is None


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"until": {"ordres": {0: 5}}}, "does not read 'ordres'; it reads 'orders'"),
        ({"files": {"ordres": "a.parquet"}}, "does not read 'ordres'; it reads 'orders'"),
        (
            {"until": {"orders": {0: 5}}, "files": {"orders": "a.parquet"}},
            "the history of 'orders' is read from --input, whole",
        ),
    ],
)
def test_bounds_of_a_misspelt_topic_are_refused(options: Any, told: str) -> None:
    nothing: Any = None
    with pytest.raises(StreamsError, match=told):
        open_inputs(nothing, ["orders"], InputOptions(**options), nothing)
