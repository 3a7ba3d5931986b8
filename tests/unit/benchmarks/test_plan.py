"""What the command line asks for; and that every workload has its programs."""

from __future__ import annotations

import re

import pytest

from benchmarks import plan, topologies
from benchmarks.contenders import AT_LEAST_ONCE, CONTENDERS, EXACTLY_ONCE
from benchmarks.environments import JAVA_SOURCES
from benchmarks.workloads import WORKLOADS
from penstock import StreamsBuilder


def test_the_quick_form_is_penstock_against_java_exactly_once() -> None:
    quick = plan.parse([])
    assert quick.parts == ["throughput"]
    assert quick.workloads == list(WORKLOADS)
    assert quick.contenders == ["penstock", "java"]
    assert list(quick.guarantees) == [EXACTLY_ONCE]


def test_the_full_form_has_everything() -> None:
    full = plan.parse(["--full"])
    assert tuple(full.parts) == plan.PARTS
    assert full.contenders == list(CONTENDERS)
    assert list(full.guarantees) == [EXACTLY_ONCE, AT_LEAST_ONCE]


def test_naming_a_workload_asks_for_its_throughput_alone() -> None:
    found = plan.parse(["--full", "--only", "rekey", "fraud"])
    assert (found.parts, found.workloads) == (["throughput"], ["rekey", "fraud"])
    found = plan.parse(["--only", "latency", "rekey"])
    assert (found.parts, found.workloads) == (["throughput", "latency"], ["rekey"])
    assert plan.parse(["--only", "restore"]).parts == ["restore"]


def test_the_chart_is_beside_the_results() -> None:
    assert plan.parse(["--results", "some/where.json"]).chart.name == "where.svg"


def test_contenders_say_what_they_have_no_part_in() -> None:
    faust, java = CONTENDERS["faust"], CONTENDERS["java"]
    assert not faust.can("hopping", AT_LEAST_ONCE)
    assert not faust.can("count", EXACTLY_ONCE)
    assert faust.can("count", AT_LEAST_ONCE)
    assert java.can("fraud", EXACTLY_ONCE)
    assert java.limits() is None
    assert faust.limits() == "Faust: only count, filter-map, rekey, tumbling, without exactly-once"


@pytest.mark.parametrize("name", sorted(topologies.ALL))
def test_every_topology_can_be_built(name: str) -> None:
    builder = StreamsBuilder()
    topologies.ALL[name](builder, ["one", "other"], "out")
    assert "out" in str(builder.build().describe())


def test_every_workload_has_its_twin_in_java() -> None:
    java = (JAVA_SOURCES / "Topologies.java").read_text(encoding="utf-8")
    assert set(re.findall(r'"([\w-]+)", Topologies::', java)) == set(topologies.ALL)
    assert {workload.topology for workload in WORKLOADS.values()} == set(topologies.ALL)
