"""Which host an application may have."""

from __future__ import annotations

from typing import Any, cast

import pytest

from penstock import KafkaStreams, StreamsBuilder, StreamsConfig, Topology
from penstock._application_hosts import check_local_broker
from penstock.errors import ConfigError
from penstock.terminal.invocation import Invocation, invoked

CONFIG = {"application.id": "fraud", "bootstrap.servers": "nowhere:9092"}


def topology() -> Topology:
    builder = StreamsBuilder()
    builder.stream("in").to("out")
    return builder.build()


def test_there_are_two_hosts() -> None:
    with pytest.raises(ConfigError, match=r"host must be 'spark' or 'local'.*got 'flink'"):
        KafkaStreams(topology(), CONFIG, host=cast("Any", "flink"))


def test_the_development_host_takes_no_session() -> None:
    session: Any = object()
    with pytest.raises(ConfigError, match="runs without Spark, but KafkaStreams was given a"):
        KafkaStreams(topology(), CONFIG, spark=session, host="local")


def test_the_command_line_goes_before_the_program() -> None:
    with invoked(Invocation(host="local")):
        assert KafkaStreams(topology(), CONFIG)._host == "local"
    assert KafkaStreams(topology(), CONFIG)._host == "spark"


@pytest.mark.usefixtures("no_spark_session")
def test_the_development_host_has_the_local_broker_whatever_the_master_is() -> None:
    config = StreamsConfig({"application.id": "fraud", "penstock.spark.master": "yarn"})
    check_local_broker("local", None, config)
    with pytest.raises(ConfigError, match=r"'bootstrap.servers' must be given .* 'yarn'"):
        check_local_broker("spark", None, config)
