"""Archives of classes: one for each Java and each set of jars."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from penstock._engine.kafka.local_broker import class_archive, java
from penstock._engine.kafka.local_broker.java import Java

JAVA = Java("java", 17, "build 17")


@pytest.fixture
def jar(tmp_path: Path) -> Path:
    path = tmp_path / "some.jar"
    path.write_text("a jar")
    return path


def test_an_archive_is_for_this_java_and_these_jars(jar: Path, tmp_path: Path) -> None:
    archive = class_archive.archive_in(tmp_path, JAVA, [jar])
    assert archive == class_archive.archive_in(tmp_path, JAVA, [jar])
    assert archive != class_archive.archive_in(tmp_path, Java("java", 21, "build 21"), [jar])
    jar.write_text("another jar")
    assert archive != class_archive.archive_in(tmp_path, JAVA, [jar])


def test_what_a_jvm_wrote_is_moved_into_the_cache(jar: Path, tmp_path: Path) -> None:
    made = tmp_path / "made"
    made.write_text("archive")
    archive = class_archive.archive_in(tmp_path / "cache", JAVA, [jar])
    class_archive.keep(made, archive)
    assert archive.read_text() == "archive"
    assert list(archive.parent.iterdir()) == [archive]


@pytest.mark.parametrize("begun", [b"", bytes(4096)])
def test_what_was_cut_off_is_not_kept(jar: Path, tmp_path: Path, begun: bytes) -> None:
    made = tmp_path / "made"
    made.write_bytes(begun)
    archive = class_archive.archive_in(tmp_path / "cache", JAVA, [jar])
    class_archive.keep(made, archive)
    assert not archive.exists()
    assert not made.exists()


def test_an_archive_of_a_jvm_is_whole(tmp_path: Path) -> None:
    made = tmp_path / "made.jsa"
    option = f"-XX:ArchiveClassesAtExit={made}"
    subprocess.run([java.find().path, option, "-version"], capture_output=True, check=True)
    assert made.read_bytes()[:4] == (0xF00BABA8).to_bytes(4, sys.byteorder)
    assert class_archive.is_whole(made)


def test_what_a_process_left_that_was_killed_halfway_is_deleted(tmp_path: Path) -> None:
    made, cache = tmp_path / "made", tmp_path / "cache"
    made.write_text("archive")
    cache.mkdir()
    with subprocess.Popen(["true"]) as dead:
        dead.wait()
    (cache / f".classes-0.jsa-{dead.pid}").write_text("half an archive")
    alive = cache / f".classes-1.jsa-{os.getppid()}"
    alive.write_text("half an archive")
    class_archive.keep(made, cache / "classes-2.jsa")
    assert set(cache.iterdir()) == {alive, cache / "classes-2.jsa"}


def test_a_cache_that_cannot_be_written_is_no_failure(jar: Path, tmp_path: Path) -> None:
    made, cache = tmp_path / "made", tmp_path / "cache"
    made.write_text("archive")
    cache.write_text("not a folder")
    class_archive.keep(made, cache / "classes.jsa")
    assert made.exists()
