"""The SparkSession that runs an application: the user's own, checked, or a new one.

A new one has a JVM of its own that a Ctrl-C in the terminal does not reach: the driver gets the
signal and lets the workers finish. Output of the JVM and the Python workers goes to a file, unless
the user asks to see it. Under spark-submit the JVM starts Python and gets SIGINT and SIGTERM, which
would end it with all its workers: it passes them on to Python, whose application then closes.
"""

from __future__ import annotations

import logging
import os
import re
import signal
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from importlib.resources import files
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from pyspark import SparkConf, SparkContext, SparkFiles, java_gateway
from pyspark.errors import PySparkException
from pyspark.java_gateway import ensure_callback_server_started, launch_gateway
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.utils import is_remote

from penstock._engine.kafka.local_broker.java import collector_options
from penstock._engine.spark import worker_daemon
from penstock._engine.spark.class_archive import (
    QUICK_START,
    WRITES_ARCHIVE,
    archive_option,
    drop_archive,
)
from penstock._engine.spark.early_jvm import EarlyJvm
from penstock._engine.spark.held_folder import SPARK, HeldFolder
from penstock._engine.spark.interpreter import check_interpreter
from penstock._engine.spark.java_options import (
    DEFAULT_OPTIONS,
    default_settings,
    quoted,
    setting_in,
    users_options,
)
from penstock._engine.spark.known_sources import forget_known
from penstock._engine.state.files.private_files import make_private, open_private
from penstock.errors import ConfigError, StreamsError
from penstock.settings import StreamsConfig

__all__ = ["DataFrame", "SparkSession", "check", "reading_session", "session_for", "try_spark"]

_LOG4J = files("penstock._engine.spark") / "log4j2-quiet.properties"
_LOG_TAIL_LINES = 8
SPARK_LOG = "spark.log"
BACKFILL_LOG = "backfill.log"
"""Of a backfill: it empties its log before it is known whether the application runs."""
_FILE_LEVEL = "WARN"
_DAEMON_MODULE = "spark.python.daemon.module"
_SOCKET_FOLDER = "spark.python.unix.domain.socket.dir"
_SUBMITTED = "PYSPARK_GATEWAY_PORT"
# A socket's path has 104 bytes on some systems; its own name, of Spark, is a slash, a UUID and 7.
_SOCKET_FOLDER_BYTES = 104 - 1 - 44
_SIGNALS = {"INT": signal.SIGINT, "TERM": signal.SIGTERM}

_launching = threading.Lock()
_forwarders: list[SignalForwarder] = []
"""The JVM calls them; this list keeps them alive."""


def session_for(
    config: StreamsConfig,
    given: SparkSession | None,
    *,
    heavy: bool = False,
    early: EarlyJvm | None = None,
    log: str = SPARK_LOG,
) -> tuple[SparkSession, bool]:
    """Return the session to use, and whether this process must stop it.

    `heavy`: Spark itself carries records, and does not only run workers. `early` is a JVM of
    `launch_early`. `log` names the file of `log_path`.
    """
    session, owned = _found_or_started(config, given, heavy=heavy, early=early, log=log)
    check(session)
    return session, owned


def reading_session(config: StreamsConfig, given: SparkSession | None) -> SparkSession:
    """Return the session to read with. It hosts nothing: a Spark task that is copied reads the same
    records twice, and one of them counts.
    """
    return _found_or_started(config, given, heavy=True, early=None, log=SPARK_LOG)[0]


def _found_or_started(
    config: StreamsConfig,
    given: SparkSession | None,
    *,
    heavy: bool,
    early: EarlyJvm | None,
    log: str,
) -> tuple[SparkSession, bool]:
    refuse_connect(given, heavy=heavy)
    theirs = given or _existing()
    session = theirs or _start(config, heavy=heavy, early=early, log=log)
    _check_interpreter(session)
    forward_signals(session)
    return session, theirs is None


def launch_early(
    config: StreamsConfig,
    given: SparkSession | None,
    *,
    heavy: bool = False,
    log: str = SPARK_LOG,
) -> EarlyJvm | None:
    """Start the JVM of a session that will be needed soon, unless there is one."""
    if given is not None or _has_jvm() or SparkContext._active_spark_context is not None:
        return None
    settings = _settings(config)
    conf = _conf_of(config, settings, heavy=heavy)
    is_first = WRITES_ARCHIVE in str(conf.get(DEFAULT_OPTIONS))
    shared = HeldFolder(SPARK)
    return EarlyJvm(
        lambda options: _launch_jvm(conf, config, options, log, shared),
        is_first=is_first,
        forget=shared.remove,
    )


class EarlySession:
    """The session of an application that is being prepared: its JVM starts at once, and the session
    where the preparation has to wait. The user's own is taken as it is.
    """

    def __init__(self, config: StreamsConfig, given: SparkSession | None) -> None:
        self._config, self._given = config, given
        self._jvm = launch_early(config, given)
        self._started: SparkSession | None = None
        self._taken = False

    @property
    def is_first(self) -> bool:
        """Whether it writes an archive of Spark's classes, which makes later starts quicker."""
        return self._jvm is not None and self._jvm.is_first

    def start(self) -> None:
        """Start the session now, unless there is one."""
        if self._jvm is not None and self._started is None:
            self._started, _ = session_for(self._config, None, early=self._jvm)

    def take(self) -> tuple[SparkSession, bool]:
        """Return the session, and whether this process must stop it."""
        self._taken = True
        if self._started is not None:
            return self._started, True
        return session_for(self._config, self._given, early=self._jvm)

    def abandon(self) -> None:
        """End what was started, unless it was taken."""
        if self._started is not None and not self._taken:
            stop_owned(self._started)
        elif self._jvm is not None:
            self._jvm.abandon()


def try_spark(config: StreamsConfig) -> str:
    """Run a small job in a Python worker; return the version and the master.

    Raises:
        StreamsError: Spark did not start.
    """
    session, owned = session_for(config, None)
    try:
        context = session.sparkContext
        rows = context.parallelize(range(4), 1).map(lambda number: number * 2).collect()
        assert rows == [0, 2, 4, 6]
        return f"Spark {session.version} at {context.master}"
    finally:
        if owned:
            stop_owned(session)


def stop_owned(session: SparkSession) -> None:
    """Stop a session that was started here, and leave its JVM to others as Spark made it."""
    forget_known(session)
    session.stop()


def _existing() -> SparkSession | None:
    """Return the user's session. Spark calls it active only on the thread that made it."""
    if SparkContext._active_spark_context is None:
        return None
    return SparkSession.builder.getOrCreate()


def check(session: SparkSession) -> None:
    """Refuse settings under which workers would not survive a turn."""
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


def refuse_connect(session: object, *, heavy: bool = False) -> None:
    """Refuse a session of Spark Connect; None is none, unless the environment makes it one.

    Raises:
        ConfigError: it says why.
    """
    if session is None:
        is_connect = is_remote() or "SPARK_REMOTE" in os.environ
    else:
        is_connect = type(session).__module__.startswith("pyspark.sql.connect")
    if is_connect and heavy:
        msg = (
            "topics and state are read through a Spark session whose driver is this process; got "
            "one of Spark Connect, where the driver is on a server; use spark-submit or "
            "SparkSession.builder.master(...), or give penstock.spark.run a DataFrame"
        )
        raise ConfigError(msg)
    if is_connect:
        msg = (
            "a live application needs a Spark session whose driver is this process; got one of "
            "Spark Connect, where the driver is on a server: workers report to this process and "
            "it plans their slots by the server's executors, which Connect does not show; run the "
            "program with spark-submit or SparkSession.builder.master(...), or bounded, over "
            "DataFrames, with penstock.spark.run"
        )
        raise ConfigError(msg)


def check_local_interpreter(session: SparkSession) -> None:
    """Refuse a session whose workers run on this machine with an interpreter that cannot run ours.
    Of a cluster, the driver of a bounded run need not have the interpreter.

    Raises:
        ConfigError: it says what to set.
    """
    if is_local(str(session.sparkContext.master)):
        _check_interpreter(session)


def _check_interpreter(session: SparkSession) -> None:
    context = session.sparkContext
    root = SparkFiles.getRootDirectory()
    paths = [os.path.join(root, name) for name in getattr(context, "_python_includes", ())]
    check_interpreter(str(context.pythonExec), paths)


def log_path(config: StreamsConfig, log: str = SPARK_LOG) -> Path:
    """Return the file for the output of Spark and its Python workers."""
    return config.state_dir / config.application_id / log


def _start(config: StreamsConfig, *, heavy: bool, early: EarlyJvm | None, log: str) -> SparkSession:
    settings = _settings(config)
    # At INFO it logs the end of each thread's connection to the JVM.
    if (py4j := logging.getLogger("py4j")).level == logging.NOTSET:
        py4j.setLevel(logging.WARNING)
    with _signals_kept():
        return _launch(config, settings, heavy=heavy, early=early, log=log)


def _settings(config: StreamsConfig) -> dict[str, str]:
    # Otherwise workers run the first python3 on the path, without the user's packages.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    settings = {
        "spark.app.name": config.application_id,
        "spark.sql.adaptive.enabled": "false",
        "spark.locality.wait": "0",
        "spark.python.unix.domain.socket.enabled": "true",
        "spark.ui.showConsoleProgress": "false",
    }
    # Spark's own shell sets a master, too.
    if not is_submitted() and "SPARK_ENV_LOADED" not in os.environ:
        settings["spark.master"] = config.spark_master
        if config.spark_master.startswith("local"):
            os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    return settings


def _has_jvm() -> bool:
    return SparkContext._gateway is not None or is_submitted()


def _conf_of(config: StreamsConfig, settings: Mapping[str, str], *, heavy: bool) -> SparkConf:
    """Return the settings of a JVM that is to be started."""
    conf = SparkConf()
    for key, value in settings.items():
        conf.set(key, value)
    conf.set(DEFAULT_OPTIONS, _jvm_options(config, heavy=heavy))
    if not heavy and is_local(settings.get("spark.master", "")):
        conf.set(_DAEMON_MODULE, worker_daemon.MODULE)
    return conf


def _has_engine(conf: SparkConf) -> bool:
    """Return whether workers of a session find the engine before packages are sent to them: they
    run on this machine, with this interpreter.
    """
    sent = (conf.get("spark.submit.pyFiles"), conf.get("spark.archives"), conf.get("spark.files"))
    same = os.environ.get("PYSPARK_PYTHON") == sys.executable
    return is_local(str(conf.get("spark.master"))) and same and not any(sent)


def is_local(master: str) -> bool:
    """Return whether the driver runs the tasks itself."""
    return re.fullmatch(r"local(\[.*\])?", master) is not None


def _launch(
    config: StreamsConfig,
    settings: Mapping[str, str],
    *,
    heavy: bool,
    early: EarlyJvm | None,
    log: str,
) -> SparkSession:
    has_jvm = _has_jvm()
    try:
        if has_jvm:
            # Before it, a conf has none of the settings of the JVM.
            SparkContext._ensure_initialized()
            conf = SparkConf()
            for key, value in settings.items():
                conf.set(key, value)
            if not heavy and not conf.contains(_DAEMON_MODULE) and _has_engine(conf):
                conf.set(_DAEMON_MODULE, worker_daemon.MODULE)
        else:
            conf = _conf_of(config, settings, heavy=heavy)
            gateway = (
                _launch_jvm(conf, config, {}, log, HeldFolder(SPARK))
                if early is None
                else early.take()
            )
            SparkContext._ensure_initialized(gateway=gateway, conf=conf)
        session = SparkSession.builder.config(conf=conf).getOrCreate()
        if not has_jvm:
            # A property of the JVM is a setting of every later session in it, a cluster's as well.
            jvm: Any = session.sparkContext._jvm
            jvm.java.lang.System.clearProperty(_DAEMON_MODULE)
            if is_local(str(session.sparkContext.master)):  # else it is the user's
                jvm.java.lang.System.clearProperty(_SOCKET_FOLDER)
        return session
    except PySparkException as error:
        if not has_jvm:
            drop_archive()
        msg = f"Spark did not start: {error}; {_log_tail(config, log)}"
        raise StreamsError(msg) from None


def _jvm_options(config: StreamsConfig, *, heavy: bool) -> str:
    """Return our options and then the user's: Spark takes one text of default options, and ours is
    given with the command, which hides the one in the file. The user's extra options follow.
    """
    options = [
        quoted(f"-Dlog4j2.configurationFile={_LOG4J}"),
        f"-Dpenstock.log={config.spark_log or _FILE_LEVEL}",
        archive_option(),
    ]
    if not heavy:
        options += [QUICK_START, *collector_options(*users_options())]
    return " ".join(filter(None, [*options, setting_in(default_settings(), DEFAULT_OPTIONS)]))


def _launch_jvm(
    conf: SparkConf, config: StreamsConfig, options: dict[str, Any], log: str, shared: HeldFolder
) -> Any:
    """Start a JVM; `options` are those of its process, which pyspark adds to. What it and Python
    share is in the folder `shared`, which both hold: a JVM that does not find it never ends.
    """
    # Executors of a cluster have the setting too, but neither the folder nor always its user.
    is_short = len(os.fsencode(shared.path)) <= _SOCKET_FOLDER_BYTES
    if is_short and is_local(str(conf.get("spark.master"))):
        conf.set(_SOCKET_FOLDER, str(shared.path))
    held = shared.duplicate()
    options["pass_fds"] = (held,)
    try:
        with _folders_in(shared.path):
            gateway = _launch_with_log(conf, config, options, log)
    except BaseException:
        shared.remove()
        raise
    finally:
        os.close(held)
    shared.remove_at_exit()
    return gateway


@contextmanager
def _folders_in(folder: Path) -> Iterator[None]:
    """Have pyspark make in `folder` the one in which the JVM says how it is reached."""
    pyspark_launch: Any = java_gateway
    # One launch at a time: one that was abandoned may still go on.
    with _launching:
        before = pyspark_launch.tempfile
        here = partial(before.mkdtemp, dir=folder)
        pyspark_launch.tempfile = SimpleNamespace(mkdtemp=here, mkstemp=before.mkstemp)
        try:
            yield
        finally:
            pyspark_launch.tempfile = before


def _launch_with_log(
    conf: SparkConf, config: StreamsConfig, options: dict[str, Any], log: str
) -> Any:
    # In a process session of its own, signals to the terminal's or the shell's process group do not
    # end it before its work is done. It ends with this process all the same: its input closes.
    options["start_new_session"] = True
    if config.spark_log is not None:
        return launch_gateway(conf, options)  # type: ignore[no-untyped-call]
    path = log_path(config, log)
    try:
        make_private(path.parent)
        file = open_private(path, os.O_TRUNC | os.O_APPEND)
    except OSError as error:
        msg = f"setting 'state.dir' must be a directory that can be written to: {error}"
        raise ConfigError(msg) from error
    try:
        options |= {"stdout": file, "stderr": file}
        return launch_gateway(conf, options)  # type: ignore[no-untyped-call]
    finally:
        os.close(file)


def _log_tail(config: StreamsConfig, log: str) -> str:
    if config.spark_log is not None:
        return "its log is above"
    path = log_path(config, log)
    lines = path.read_text(errors="replace").splitlines() if path.exists() else []
    if not lines:
        return f"its log {path} is empty; is there a Java 17 or later?"
    return "\n  ".join([f"its log {path} ends with", *lines[-_LOG_TAIL_LINES:]])


@contextmanager
def _signals_kept() -> Iterator[None]:
    """Restore the SIGINT handler. That of a new SparkContext cancels all jobs, also the slots."""
    in_main = threading.current_thread() is threading.main_thread()
    before = signal.getsignal(signal.SIGINT) if in_main else None
    try:
        yield
    finally:
        if in_main and before is not None:
            signal.signal(signal.SIGINT, before)


def is_submitted() -> bool:
    """Return whether a JVM has started this process, and not the other way round."""
    return _SUBMITTED in os.environ


def forward_signals(session: SparkSession) -> None:
    """Make the JVM send its signals to this process; a second call does nothing."""
    if _forwarders or not is_submitted():
        return
    gateway: Any = session.sparkContext._gateway
    ensure_callback_server_started(gateway)  # type: ignore[no-untyped-call]
    for name, number in _SIGNALS.items():
        forwarder = SignalForwarder(number)
        gateway.jvm.sun.misc.Signal.handle(gateway.jvm.sun.misc.Signal(name), forwarder)
        _forwarders.append(forwarder)


class SignalForwarder:
    """The JVM's handler of a signal: sends it to this process. When Python ends, the JVM does."""

    def __init__(self, number: signal.Signals) -> None:
        self._number = number

    def handle(self, _signal: object) -> None:
        os.kill(os.getpid(), self._number)

    class Java:
        implements = ("sun.misc.SignalHandler",)
