"""Data sources of ours are registered by name; others are left to Spark."""

from __future__ import annotations

import pickle

from penstock._engine.spark.dataframes.source import TopicSource
from penstock._engine.spark.known_sources import _OWN, SourceOfModule, only_own
from penstock._engine.spark.state.source import StateSource


def test_a_source_of_another_package_is_for_spark_to_find() -> None:
    assert only_own(["os", "pyspark", "pyspark_penstock", "pyspark_penstock_state"])
    assert not only_own(["pyspark_penstock", "pyspark_huggingface"])


def test_our_sources_arrive_under_their_names() -> None:
    arrived = {
        name: pickle.loads(pickle.dumps(SourceOfModule(name, module)))
        for name, module in _OWN.items()
    }
    assert arrived == {TopicSource.name(): TopicSource, StateSource.name(): StateSource}
