"""A few conformance cases, one of each kind, on Spark against a broker: the records are Java's.

Two have a query of their own, as an application of a user has; the others come one after the other
in one query, as all that apply do in `make conformance-spark`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pytest
from pyspark.sql import SparkSession

from conformance import harness
from conformance.applicability import why_not
from conformance.on_spark import GUARANTEES, compare
from conformance.stage import Stage
from penstock._engine.kafka.local_broker.broker import LocalBroker
from penstock.application import KafkaStreams

ON_ITS_OWN = {
    "headers_kept_through_a_repartition": GUARANTEES[0],
    "store_with_times_in_files": GUARANTEES[1],
}
IN_ONE_QUERY = {
    "stateless_nulls_pass_through_every_verb": GUARANTEES[0],
    "repartition_three_sub_topologies_in_a_chain": GUARANTEES[1],
    "aggregate_group_by_goes_through_a_topic": GUARANTEES[0],
    "table_with_a_store_keeps_rows": GUARANTEES[0],
    "cache_deletion_has_the_time_of_its_record": GUARANTEES[0],
    "handler_processing_dead_letter_holds_the_raw_input": GUARANTEES[0],
    "punctuate_stream_time_first_at_once_then_on_the_beat": GUARANTEES[1],
}

pytestmark = pytest.mark.slow


def case_of(name: str) -> harness.Case:
    case = harness.find_case(name)
    assert why_not(case) is None
    return case


@pytest.fixture(scope="module")
def stage(spark: SparkSession) -> Iterator[Stage]:
    with Stage(spark) as made:
        yield made


@pytest.mark.parametrize(("name", "guarantee"), ON_ITS_OWN.items())
def test_a_case_on_its_own_has_java_s_records(
    name: str, guarantee: str, kafka_broker: LocalBroker, spark: SparkSession
) -> None:
    on_its_own = partial(KafkaStreams, spark=spark)
    assert compare(case_of(name), on_its_own, kafka_broker.bootstrap_servers, guarantee) == []


@pytest.mark.parametrize(("name", "guarantee"), IN_ONE_QUERY.items())
def test_the_case_has_java_s_records(
    name: str, guarantee: str, kafka_broker: LocalBroker, stage: Stage
) -> None:
    servers = kafka_broker.bootstrap_servers
    assert compare(case_of(name), stage.application, servers, guarantee) == []
