"""The archive of Spark's classes: written by one JVM, used by the next ones."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from penstock._engine.spark import class_archive as classes

LONG_AGO = (1_000_000_000, 1_000_000_000)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PENSTOCK_CACHE", str(tmp_path))
    return tmp_path / "spark"


def as_a_jvm_does(option: str) -> Path:
    """Write the archive that the option asks for."""
    path = Path(option.split(maxsplit=1)[0].partition("=")[2])
    path.write_text("archive")
    return path


def test_the_first_jvm_writes_the_archive_and_the_next_one_uses_it(cache: Path) -> None:
    first = classes.archive_option()
    assert first.startswith("-XX:ArchiveClassesAtExit=")
    os.utime(as_a_jvm_does(first), LONG_AGO)
    assert classes.archive_option() == f"-XX:SharedArchiveFile={next(cache.iterdir())}"
    assert [path.suffix for path in cache.iterdir()] == [".jsa"]


def test_an_archive_that_is_being_written_is_left_alone() -> None:
    first = classes.archive_option()
    made = as_a_jvm_does(first)
    assert classes.archive_option() == first
    assert made.exists()


@pytest.mark.parametrize("seconds", [-1, 1])
def test_an_archive_whose_time_is_about_now_is_being_written(seconds: int) -> None:
    """A JVM may write after the clock was read; until it ends the header is empty."""
    first = classes.archive_option()
    made = as_a_jvm_does(first)
    made.write_bytes(bytes(100))
    about_now = time.time() + seconds
    os.utime(made, (about_now, about_now))
    assert classes.archive_option() == first
    assert made.exists()


def test_archives_that_are_being_written_do_not_displace_others(cache: Path) -> None:
    made = as_a_jvm_does(classes.archive_option())
    as_a_jvm_does(f"={made.with_suffix('.other')}")
    for number in range(2):
        (cache / f"classes-{number}.jsa").write_text("of another environment")
        os.utime(cache / f"classes-{number}.jsa", LONG_AGO)
    classes.archive_option()
    assert {path.name for path in cache.glob("*.jsa")} == {"classes-0.jsa", "classes-1.jsa"}


def test_what_a_jvm_of_another_environment_wrote_is_kept_for_it(cache: Path) -> None:
    cache.mkdir()
    for name in ("classes-0.1", "classes-0.2", "classes-1.jsa", "classes-1.3"):
        (cache / name).write_text("archive")
        os.utime(cache / name, LONG_AGO)
    classes.archive_option()
    assert {path.name for path in cache.iterdir()} == {"classes-0.jsa", "classes-1.jsa"}


def test_an_archive_is_used_although_another_start_tidies_up_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def gone(used: Path) -> None:
        raise FileNotFoundError(used)

    monkeypatch.setattr(classes, "_delete_oldest", gone)
    assert classes.archive_option().startswith("-XX:ArchiveClassesAtExit=")


def test_of_two_that_were_written_at_once_one_is_kept(cache: Path) -> None:
    made = as_a_jvm_does(classes.archive_option())
    second = made.with_suffix(".other")
    second.write_text("archive")
    for path in (made, second):
        os.utime(path, LONG_AGO)
    classes.archive_option()
    assert len(list(cache.iterdir())) == 1


def test_an_archive_of_a_time_that_is_yet_to_come_is_kept(cache: Path) -> None:
    os.utime(as_a_jvm_does(classes.archive_option()), (10_000_000_000, 10_000_000_000))
    assert classes.archive_option() == f"-XX:SharedArchiveFile={next(cache.iterdir())}"


def test_an_archive_that_was_cut_off_is_not_kept(cache: Path) -> None:
    first = classes.archive_option()
    made = as_a_jvm_does(first)
    made.write_bytes(bytes(5000) + b"archive")
    os.utime(made, LONG_AGO)
    assert classes.archive_option() == first
    assert list(cache.iterdir()) == []
    # One that was kept before it was looked at.
    made.with_suffix(".jsa").write_bytes(b"")
    assert classes.archive_option() == first
    assert list(cache.iterdir()) == []


def test_the_oldest_go_although_none_was_written(cache: Path) -> None:
    os.utime(as_a_jvm_does(classes.archive_option()), LONG_AGO)
    used = classes.archive_option()
    for number in range(4):
        (cache / f"classes-{number}.4711").write_text("of another environment")
        os.utime(cache / f"classes-{number}.4711", LONG_AGO)
    assert classes.archive_option() == used
    assert len(list(cache.iterdir())) == 3


def test_an_archive_is_dropped_with_which_a_jvm_did_not_start(cache: Path) -> None:
    os.utime(as_a_jvm_does(classes.archive_option()), LONG_AGO)
    classes.archive_option()
    classes.drop_archive()
    assert list(cache.iterdir()) == []


def test_only_the_newest_archives_are_kept(cache: Path) -> None:
    cache.mkdir()
    for number in range(5):
        name = f"classes-{number}.jsa" if number != 1 else "classes-1.4711"
        (cache / name).write_text("of another environment")
        os.utime(cache / name, (number, number))
    os.utime(as_a_jvm_does(classes.archive_option()), LONG_AGO)
    used = classes.archive_option().partition("=")[2]
    names = {path.name for path in cache.iterdir()}
    assert names == {"classes-3.jsa", "classes-4.jsa", Path(used).name}


def test_without_java_there_is_no_option(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", "/nowhere")
    assert classes.archive_option() == ""


AGENT = "-javaagent:/opt/jmx_prometheus.jar=9404:config.yaml"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("spark-defaults.conf", f"spark.driver.extraJavaOptions  -Da=1 {AGENT}"),
        ("spark-defaults.conf", f"spark.driver.defaultJavaOptions  {AGENT}"),
        ("java-opts", AGENT),
        ("spark-env.sh", f'export JAVA_TOOL_OPTIONS="{AGENT}"'),
    ],
)
def test_with_an_agent_in_spark_s_configuration_there_is_no_option(
    cache: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str
) -> None:
    """A JVM with an agent that is to write an archive does not start, nor do all that follow."""
    monkeypatch.setenv("SPARK_CONF_DIR", str(cache.parent))
    (cache.parent / name).write_text(text)
    assert classes.archive_option() == ""


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("JAVA_TOOL_OPTIONS", AGENT),
        ("PYSPARK_SUBMIT_ARGS", f"--driver-java-options '{AGENT}' pyspark-shell"),
    ],
)
def test_with_an_agent_in_the_environment_there_is_no_option(
    monkeypatch: pytest.MonkeyPatch, name: str, text: str
) -> None:
    monkeypatch.setenv(name, text)
    assert classes.archive_option() == ""


def test_an_agent_of_the_executors_is_no_agent_of_the_driver(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPARK_CONF_DIR", str(cache.parent))
    defaults = cache.parent / "spark-defaults.conf"
    defaults.write_text(f"spark.executor.extraJavaOptions {AGENT}")
    assert classes.archive_option().startswith("-XX:ArchiveClassesAtExit=")
