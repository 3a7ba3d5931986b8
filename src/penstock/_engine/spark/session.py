"""A SparkSession fit for hosting: the user's own, checked, or a new one."""

from __future__ import annotations

import os
import sys
from importlib.resources import files

from pyspark.sql import SparkSession

from penstock.errors import ConfigError
from penstock.settings import StreamsConfig

_QUIET = files("penstock._engine.spark") / "log4j2-quiet.properties"


def session_for(config: StreamsConfig, given: SparkSession | None) -> tuple[SparkSession, bool]:
    """Give the session to host on, and whether it is ours to stop."""
    if given is not None:
        check(given)
        return given, False
    active = SparkSession.getActiveSession()
    if active is not None:
        check(active)
        return active, False
    return _start(config), True


def check(session: SparkSession) -> None:
    """Refuse settings under which workers would not live from turn to turn."""
    conf = session.sparkContext.getConf()
    if conf.get("spark.python.worker.reuse", "true") != "true":
        msg = (
            "'spark.python.worker.reuse' must be true: a worker that is not reused loses its tasks "
            "after each turn"
        )
        raise ConfigError(msg)
    if conf.get("spark.speculation", "false") == "true":
        msg = "'spark.speculation' must be false: a copy of a slot would compete for its tasks"
        raise ConfigError(msg)


def _start(config: StreamsConfig) -> SparkSession:
    # Without this the workers would run whichever python3 comes first, without the user's packages.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName(config.application_id)
    under_submit = "PYSPARK_GATEWAY_PORT" in os.environ or "SPARK_ENV_LOADED" in os.environ
    if not under_submit:
        builder = builder.master(config.spark_master)
        if config.spark_master.startswith("local"):
            os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    settings = {
        "spark.sql.adaptive.enabled": "false",
        "spark.locality.wait": "0",
        "spark.python.unix.domain.socket.enabled": "true",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile={_QUIET}",
    }
    for key, value in settings.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    check(session)
    return session
