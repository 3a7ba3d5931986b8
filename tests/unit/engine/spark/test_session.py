"""The log of Spark is its owner's alone: it may show records. The JVM's signals reach Python.

tests/spark/test_spark_submit.py sends real ones.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pyspark import SparkConf, SparkContext, java_gateway

from penstock._engine.spark import session
from penstock._engine.spark.held_folder import SPARK, HeldFolder
from penstock._engine.spark.state import table
from penstock.errors import ConfigError
from penstock.settings import StreamsConfig


@pytest.mark.parametrize("there", [True, False])
def test_the_log_of_spark_is_its_owners_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, there: bool
) -> None:
    def launch(conf: SparkConf, options: dict[str, Any]) -> None:
        os.write(options["stdout"], b"a record\n")

    monkeypatch.setattr(session, "launch_gateway", launch)
    config = StreamsConfig(
        {"application.id": "app", "bootstrap.servers": "b:1", "state.dir": str(tmp_path / "state")}
    )
    log = session.log_path(config)
    if there:
        log.parent.mkdir(parents=True)
        log.write_text("of the last start")
        log.chmod(0o644)
    session._launch_with_log(SparkConf(loadDefaults=False), config, {}, session.SPARK_LOG)
    assert (log.stat().st_mode & 0o777, log.read_text()) == (0o600, "a record\n")


class FakeSession:
    """Fails if its JVM is used."""

    @property
    def sparkContext(self) -> Any:
        raise AssertionError("a JVM that Python has started needs no handlers")


def test_a_process_started_by_a_jvm_is_submitted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYSPARK_GATEWAY_PORT", raising=False)
    assert not session.is_submitted()
    monkeypatch.setenv("PYSPARK_GATEWAY_PORT", "4711")
    assert session.is_submitted()


SOCKET_FOLDER = "spark.python.unix.domain.socket.dir"
SETTINGS = StreamsConfig({"application.id": "app", "bootstrap.servers": "b:1"})


@pytest.mark.parametrize(
    ("setting", "value"), [("spark.python.worker.reuse", "false"), ("spark.speculation", "true")]
)
def test_settings_that_a_worker_cannot_live_with_do_not_keep_from_reading(
    setting: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYSPARK_GATEWAY_PORT", raising=False)
    monkeypatch.setattr(session, "_check_interpreter", lambda _: None)
    conf = SparkConf(loadDefaults=False).set(setting, value)
    context = SimpleNamespace(getConf=lambda: conf)
    theirs: Any = SimpleNamespace(sparkContext=context, range=lambda *_: "read")
    with pytest.raises(ConfigError, match=setting):
        session.session_for(SETTINGS, theirs)
    monkeypatch.setattr(table, "map_in_arrow", lambda numbers, *_: numbers)
    scan: Any = SimpleNamespace(
        config=SETTINGS,
        partitions=[0],
        schema=lambda: "key string",
        plan=SimpleNamespace(builder=SimpleNamespace(name="counts")),
    )
    shown: Any = table.table_of(scan, theirs)
    assert shown == "read"
    assert session.reading_session(SETTINGS, theirs) is theirs


def test_the_jvm_of_a_process_of_our_own_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYSPARK_GATEWAY_PORT", raising=False)
    without_jvm: Any = FakeSession()
    session.forward_signals(without_jvm)


def test_what_the_jvm_hears_this_process_hears() -> None:
    heard: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, _: heard.append(number))
    try:
        session.SignalForwarder(signal.SIGTERM).handle("SIGTERM")
        time.sleep(0)  # a signal is heard between two steps of the main thread
        assert heard == [signal.SIGTERM]
    finally:
        signal.signal(signal.SIGTERM, before)


@pytest.mark.parametrize(
    ("heavy", "why"),
    [
        (False, "which Connect does not show; run the program with spark-submit"),
        (True, "DataFrame"),
    ],
)
def test_a_session_of_spark_connect_is_refused_and_told_why(
    monkeypatch: pytest.MonkeyPatch, *, heavy: bool, why: str
) -> None:
    monkeypatch.delenv("SPARK_REMOTE", raising=False)
    remote = type("SparkSession", (), {"__module__": "pyspark.sql.connect.session"})()
    with pytest.raises(ConfigError, match=why):
        session.refuse_connect(remote, heavy=heavy)
    session.refuse_connect(None)
    session.refuse_connect(FakeSession())
    monkeypatch.setenv("SPARK_REMOTE", "sc://host")
    with pytest.raises(ConfigError, match="one of Spark Connect, where the driver is on a server"):
        session.refuse_connect(None)


def test_the_collector_of_spark_s_own_settings_is_left_alone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    config = StreamsConfig({"application.id": "a"})
    assert session._jvm_options(config, heavy=False).endswith(" -XX:+UseSerialGC")
    assert "GC" not in session._jvm_options(config, heavy=True)
    chosen = "spark.driver.defaultJavaOptions  -XX:+UseG1GC"
    (tmp_path / "spark-defaults.conf").write_text(chosen)
    assert "SerialGC" not in session._jvm_options(config, heavy=False)


@pytest.mark.parametrize("name", ["java-opts", "spark-env.sh"])
def test_the_collector_of_spark_s_other_files_is_left_alone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str
) -> None:
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    (tmp_path / name).write_text("-XX:+UseG1GC")
    assert "GC" not in session._jvm_options(StreamsConfig({"application.id": "a"}), heavy=False)


@pytest.mark.parametrize("heavy", [True, False])
def test_the_user_s_options_of_the_jvm_come_after_ours(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, heavy: bool
) -> None:
    """Of two that are opposed a JVM follows the last. Spark itself has the extra options after the
    default ones, so that those of the file stay where they are.
    """
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    # Beside a JVM of other tests, a conf would begin with its settings.
    monkeypatch.setattr(session, "SparkConf", partial(SparkConf, loadDefaults=False))
    theirs = "-Dlog4j2.configurationFile=mine.xml -XX:TieredStopAtLevel=4"
    (tmp_path / "spark-defaults.conf").write_text(
        f"spark.driver.defaultJavaOptions  {theirs}\nspark.driver.extraJavaOptions  -Dmine=1\n"
    )
    conf = session._conf_of(StreamsConfig({"application.id": "a"}), {}, heavy=heavy)
    ours = str(conf.get("spark.driver.defaultJavaOptions")).removesuffix(f" {theirs}")
    assert ours.startswith("-Dlog4j2.configurationFile=")
    assert ours.endswith(" -XX:+UseSerialGC") is not heavy
    assert not conf.contains("spark.driver.extraJavaOptions")


@pytest.mark.parametrize("option", ["WRITES_ARCHIVE", "QUICK_START"])
def test_a_start_knows_whether_it_is_the_first_on_this_machine(
    monkeypatch: pytest.MonkeyPatch, option: str
) -> None:
    given = getattr(session, option)
    monkeypatch.setattr(session, "_has_jvm", lambda: False)
    monkeypatch.setattr(SparkContext, "_active_spark_context", None)
    monkeypatch.setattr(session, "_launch_jvm", lambda *_: None)
    monkeypatch.setattr(session, "_jvm_options", lambda *_, **options: f"{given}x")
    early = session.launch_early(StreamsConfig({"application.id": "a"}), None)
    assert early is not None
    assert early.is_first is (option == "WRITES_ARCHIVE")
    early.take()


@pytest.mark.parametrize(
    ("master", "is_shared"),
    [
        ("local", True),
        ("local[*]", True),
        ("local[2, 4]", True),
        ("local-cluster[2,1,1024]", False),
        ("spark://other:7077", False),
        ("k8s://https://other:6443", False),
        ("yarn", False),
        (None, False),  # of Spark's own shell, which sets the master
    ],
)
def test_only_workers_of_this_machine_are_given_the_driver_s_folder_of_sockets(
    monkeypatch: pytest.MonkeyPatch, *, master: str | None, is_shared: bool
) -> None:
    """Executors of another machine do not have it, those of another user may not write to it."""
    monkeypatch.setattr(session, "_launch_with_log", lambda *_: None)
    conf = SparkConf(loadDefaults=False)
    if master is not None:
        conf.set("spark.master", master)
    shared = HeldFolder(SPARK)
    try:
        session._launch_jvm(conf, SETTINGS, {}, session.SPARK_LOG, shared)
    finally:
        shared.remove()
    assert conf.get(SOCKET_FOLDER) == (str(shared.path) if is_shared else None)


def test_launches_that_overlap_leave_pyspark_as_it_was(tmp_path: Path) -> None:
    """One that was refused goes on meanwhile, when the program is started again."""
    pyspark_launch: Any = java_gateway
    before, made = pyspark_launch.tempfile, list[Path]()
    inside, ends = threading.Event(), threading.Event()

    def launch_again() -> None:
        with session._folders_in(tmp_path):
            inside.set()
            ends.wait(60)
            made.append(Path(pyspark_launch.tempfile.mkdtemp()))

    again = threading.Thread(target=launch_again)
    with session._folders_in(tmp_path / "refused"):
        again.start()
        inside.wait(0.2)  # it must not come in; time to do so, if it could
    ends.set()
    again.join(60)
    assert pyspark_launch.tempfile is before
    assert [folder.parent for folder in made] == [tmp_path]


@pytest.mark.parametrize("master", ["local[*]", "spark://other:7077"])
def test_a_later_session_in_the_jvm_is_not_given_the_driver_s_folder_of_sockets(
    monkeypatch: pytest.MonkeyPatch, master: str
) -> None:
    """It may be of a cluster. What a session of a cluster has is the user's own."""
    cleared: list[str] = []
    system = SimpleNamespace(clearProperty=cleared.append)
    jvm = SimpleNamespace(java=SimpleNamespace(lang=SimpleNamespace(System=system)))
    made = SimpleNamespace(sparkContext=SimpleNamespace(_jvm=jvm, master=master))
    builder = SimpleNamespace(config=lambda **_: SimpleNamespace(getOrCreate=lambda: made))
    monkeypatch.setattr(session, "_has_jvm", lambda: False)
    monkeypatch.setattr(SparkContext, "_ensure_initialized", lambda **_: None)
    monkeypatch.setattr(session, "SparkSession", SimpleNamespace(builder=builder))
    monkeypatch.setattr(session, "_launch_jvm", lambda *args: args[-1].remove())
    started: Any = session._launch(SETTINGS, {}, heavy=False, early=None, log=session.SPARK_LOG)
    assert started is made
    assert (SOCKET_FOLDER in cleared) is (master == "local[*]")


def test_blanks_in_the_names_of_folders_do_not_part_options(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PENSTOCK_CACHE", str(tmp_path / "my cache"))
    monkeypatch.setattr(session, "_LOG4J", tmp_path / "my environment" / "log4j2.properties")
    options = session._jvm_options(StreamsConfig({"application.id": "a"}), heavy=True)
    assert f'"-Dlog4j2.configurationFile={session._LOG4J}"' in options
    assert f'"-XX:ArchiveClassesAtExit={tmp_path}/my cache/spark/classes-' in options


class FakeJvm:
    """Stands for a JVM that starts meanwhile."""

    is_first = False

    def __init__(self) -> None:
        self.abandoned = 0

    def abandon(self) -> None:
        self.abandoned += 1


@pytest.mark.parametrize(
    ("starts", "takes", "stopped", "abandoned"),
    [(True, False, 1, 0), (True, True, 0, 1), (False, False, 0, 1), (False, True, 0, 1)],
)
def test_an_early_session_that_is_not_taken_is_stopped(
    monkeypatch: pytest.MonkeyPatch, *, starts: bool, takes: bool, stopped: int, abandoned: int
) -> None:
    jvm, made, ended = FakeJvm(), list[Any](), list[Any]()

    def start(*_: Any, early: Any) -> tuple[object, bool]:
        assert early is jvm
        made.append(object())
        return made[-1], True

    monkeypatch.setattr(session, "launch_early", lambda *_: jvm)
    monkeypatch.setattr(session, "session_for", start)
    monkeypatch.setattr(session, "stop_owned", ended.append)
    early = session.EarlySession(SETTINGS, None)
    if starts:
        early.start()
        early.start()
    if takes:
        assert early.take() == (made[0], True)
    early.abandon()
    assert len(made) == int(starts or takes)
    assert (len(ended), jvm.abandoned) == (stopped, abandoned)
