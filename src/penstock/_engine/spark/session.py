"""A SparkSession fit for hosting: the user's own, checked, or a new one.

A new one has a JVM of its own that a Ctrl-C in the terminal does not reach: the driver hears it and
lets the workers finish. What the JVM and the Python workers write goes to a file, unless the user
asks to see it.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any

from pyspark import SparkConf, SparkContext
from pyspark.errors import PySparkException
from pyspark.java_gateway import launch_gateway
from pyspark.sql import DataFrame, SparkSession

from penstock._engine.spark.signals import hand_on_signals, is_submitted
from penstock._engine.spark.spark_classes import QUICK_START, archive_option, drop_archive
from penstock._engine.state.files.private_files import make_private, open_private
from penstock.errors import ConfigError, StreamsError
from penstock.settings import StreamsConfig

__all__ = ["DataFrame", "SparkSession", "check", "session_for"]

_LOG4J = files("penstock._engine.spark") / "log4j2-quiet.properties"
_LOG_TAIL_LINES = 8
_FILE_LEVEL = "WARN"


def session_for(
    config: StreamsConfig, given: SparkSession | None, *, heavy: bool = False
) -> tuple[SparkSession, bool]:
    """Give the session to host on, and whether it is ours to stop.

    `heavy`: Spark itself has records to carry, not only workers to host.
    """
    theirs = given or _existing()
    session = theirs or _start(config, heavy=heavy)
    check(session)
    hand_on_signals(session)
    return session, theirs is None


def _existing() -> SparkSession | None:
    """Give the user's session, which is active only on the thread that made it."""
    if SparkContext._active_spark_context is None:
        return None
    return SparkSession.builder.getOrCreate()


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


def log_path(config: StreamsConfig) -> Path:
    """Give the file that takes what Spark and its Python workers write."""
    return config.state_dir / config.application_id / "spark.log"


def _start(config: StreamsConfig, *, heavy: bool) -> SparkSession:
    # Without this the workers would run whichever python3 comes first, without the user's packages.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    settings = {
        "spark.app.name": config.application_id,
        "spark.sql.adaptive.enabled": "false",
        "spark.locality.wait": "0",
        "spark.python.unix.domain.socket.enabled": "true",
        "spark.ui.showConsoleProgress": "false",
    }
    # A shell of Spark's own says which master, too.
    if not is_submitted() and "SPARK_ENV_LOADED" not in os.environ:
        settings["spark.master"] = config.spark_master
        if config.spark_master.startswith("local"):
            os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    # It says at INFO whenever a thread's connection to the JVM ends.
    if (py4j := logging.getLogger("py4j")).level == logging.NOTSET:
        py4j.setLevel(logging.WARNING)
    with _signals_kept():
        return _launch(config, settings, heavy=heavy)


def _launch(config: StreamsConfig, settings: Mapping[str, str], *, heavy: bool) -> SparkSession:
    conf = SparkConf()
    for key, value in settings.items():
        conf.set(key, value)
    has_jvm = SparkContext._gateway is not None or is_submitted()
    try:
        if not has_jvm:
            conf.set("spark.driver.extraJavaOptions", _jvm_options(config, heavy=heavy))
            SparkContext._ensure_initialized(gateway=_launch_jvm(conf, config), conf=conf)
        return SparkSession.builder.config(conf=conf).getOrCreate()
    except PySparkException as error:
        if not has_jvm:
            drop_archive()
        msg = f"Spark did not start: {error}; {_last_words(config)}"
        raise StreamsError(msg) from None


def _jvm_options(config: StreamsConfig, *, heavy: bool) -> str:
    options = [
        f"-Dlog4j2.configurationFile={_LOG4J}",
        f"-Dpenstock.log={config.spark_log or _FILE_LEVEL}",
        archive_option(),
    ]
    return " ".join(options if heavy else [*options, QUICK_START])


def _launch_jvm(conf: SparkConf, config: StreamsConfig) -> Any:
    # In a session of its own, signals for the terminal's or the shell's process group do not end it
    # before its work is done. It ends with this process all the same: it watches its input.
    own: dict[str, Any] = {"start_new_session": True}
    if config.spark_log is not None:
        return launch_gateway(conf, own)  # type: ignore[no-untyped-call]
    path = log_path(config)
    try:
        make_private(path.parent)
        log = open_private(path, os.O_TRUNC | os.O_APPEND)
    except OSError as error:
        msg = f"setting 'state.dir' must be a directory that can be written to: {error}"
        raise ConfigError(msg) from error
    try:
        return launch_gateway(conf, {**own, "stdout": log, "stderr": log})  # type: ignore[no-untyped-call]
    finally:
        os.close(log)


def _last_words(config: StreamsConfig) -> str:
    if config.spark_log is not None:
        return "its log is above"
    path = log_path(config)
    lines = path.read_text(errors="replace").splitlines() if path.exists() else []
    if not lines:
        return f"its log {path} is empty; is there a Java 17 or later?"
    return "\n  ".join([f"its log {path} ends with", *lines[-_LOG_TAIL_LINES:]])


@contextmanager
def _signals_kept() -> Iterator[None]:
    """Undo what a new SparkContext does to SIGINT: it would cancel all jobs, the slots included."""
    in_main = threading.current_thread() is threading.main_thread()
    before = signal.getsignal(signal.SIGINT) if in_main else None
    try:
        yield
    finally:
        if in_main and before is not None:
            signal.signal(signal.SIGINT, before)
