"""Whether executors can reach the local broker: it listens on loopback, for this machine alone."""

from __future__ import annotations

import os
import re

from pyspark import SparkConf, SparkContext

from penstock._engine.spark.session import SparkSession, is_submitted, refuse_connect
from penstock.errors import ConfigError
from penstock.settings import StreamsConfig

# A standalone master on loopback has no workers but those of its machine.
_ON_THIS_MACHINE = re.compile(
    r"local(\[.*\])?|local-cluster\[.*\]|spark://(localhost|127\.[\d.]+|\[::1\])(:\d+)?"
)


def refuse_far_executors(config: StreamsConfig, given: SparkSession | None) -> None:
    """Refuse the local broker where executors may run on other machines.

    Raises:
        ConfigError: it says which master it is, and how to name a cluster.
    """
    refuse_connect(given)
    master = _master_of(config, given)
    if master is None or _ON_THIS_MACHINE.fullmatch(master):
        return
    msg = (
        f"setting 'bootstrap.servers' must be given where Spark's master is {master!r}: without it "
        "the local broker would serve, which executors on other machines cannot reach; set it in "
        "the program or in its file, or set the variable PENSTOCK_BOOTSTRAP_SERVERS and read it "
        "with StreamsConfig.from_environment(...)"
    )
    raise ConfigError(msg)


def _master_of(config: StreamsConfig, given: SparkSession | None) -> str | None:
    """Return the master of the session that will run the application; None if Spark's own files
    say it, which are read when the session starts.
    """
    context = SparkContext._active_spark_context if given is None else given.sparkContext
    if context is not None:
        return str(context.master)
    if is_submitted():
        # The JVM knows what spark-submit was told; a conf has it once Python is connected to it.
        SparkContext._ensure_initialized()
        return SparkConf().get("spark.master")
    return None if "SPARK_ENV_LOADED" in os.environ else config.spark_master
