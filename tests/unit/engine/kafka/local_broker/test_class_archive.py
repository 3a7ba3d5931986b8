"""Archives of classes: one for each Java and each set of jars."""

from __future__ import annotations

from pathlib import Path

import pytest

from penstock._engine.kafka.local_broker import class_archive
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


def test_a_cache_that_cannot_be_written_is_no_failure(jar: Path, tmp_path: Path) -> None:
    made, cache = tmp_path / "made", tmp_path / "cache"
    made.write_text("archive")
    cache.write_text("not a folder")
    class_archive.keep(made, cache / "classes.jsa")
    assert made.exists()
