"""A few conformance cases of several kinds and random programs, as bounded Spark jobs on 1, 2 and 5
partitions: the records are the reference's and, on one partition, Java's.

All that apply: `make conformance-dataframes`.
"""

from __future__ import annotations

from functools import partial

import pytest
from pyspark.sql import SparkSession

from conformance import harness
from conformance.dataframes.on_spark import outcome_on_spark
from conformance.dataframes.run import case_differences, program_differences

pytestmark = pytest.mark.slow

CASES = (
    "join_foreign_filtered_result",
    "headers_kept_through_a_repartition",
    "handler_processing_dead_letter_holds_the_raw_input",
    "punctuate_stream_time_first_at_once_then_on_the_beat",
)
PROGRAMS = (44, 46, 50)
"""They have all kinds of tables and aggregates, sessions and sliding windows, suppression, joins of
streams and with tables, a global and a versioned table among them.
"""


@pytest.mark.parametrize("name", CASES)
def test_a_case_has_the_records_of_the_reference_and_of_java(
    name: str, spark: SparkSession
) -> None:
    case = harness.find_case(name)
    assert case_differences(case, partial(outcome_on_spark, spark)) == []


@pytest.mark.parametrize("seed", PROGRAMS)
def test_a_random_program_has_the_records_of_the_reference(seed: int, spark: SparkSession) -> None:
    assert program_differences(seed, partial(outcome_on_spark, spark)) == []
