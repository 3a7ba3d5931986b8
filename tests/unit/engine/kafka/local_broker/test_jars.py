"""Jars from coordinates: which program fetches them, the cache, and the sentences when it fails.

Maven and Java are shell scripts here; the real ones are met whenever the conformance suite records.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from penstock._engine.kafka.local_broker import jars

KAFKA = "org.apache.kafka:kafka-streams:4.3.1"

# Both write one jar where they are told to and their arguments where the test can read them.
FAKE_MAVEN = """\
for argument in "$@"; do
  case "$argument" in -DoutputDirectory=*) folder=${argument#-DoutputDirectory=};; esac
  case "$argument" in --file=*) pom=${argument#--file=};; esac
done
while read -r line; do echo "$line" >> "$0.seen"; done < "$pom"
echo jar > "$folder/kafka-streams-4.3.1.jar"
"""
FAKE_IVY = """\
while [ "$1" != -retrieve ]; do
  [ "$1" = -ivy ] && description=$2
  shift
done
while read -r line; do echo "$line" >> "$0.seen"; done < "$description"
echo jar > "${2%%/[[]*}/kafka-streams-4.3.1.jar"
"""
OFFLINE = "echo 'Could not transfer artifact: Connection refused'; exit 1\n"


class Machine:
    """A machine with only the programs a test installs."""

    def __init__(self, folder: Path) -> None:
        self.bin = folder / "bin"
        self.cache = folder / "cache"
        self.said: list[str] = []
        self.bin.mkdir()

    def install(self, name: str, script: str) -> None:
        program = self.bin / name
        program.write_text(f"#!/bin/sh\n{script}")
        program.chmod(0o755)

    def remove(self, name: str) -> None:
        (self.bin / name).unlink()

    def seen_by(self, name: str) -> str:
        return (self.bin / f"{name}.seen").read_text()

    def resolve(self, *coordinates: str) -> list[str]:
        paths = jars.resolve(coordinates, cache=self.cache, progress=self.said.append)
        return [path.name for path in paths]

    def refusal(self, *coordinates: str) -> str:
        with pytest.raises(jars.JarsError) as caught:
            self.resolve(*coordinates)
        return str(caught.value)


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    result = Machine(tmp_path)
    monkeypatch.setenv("PATH", str(result.bin))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    return result


@pytest.fixture
def pyspark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    def install() -> None:
        package = tmp_path / "pyspark"
        (package / "jars").mkdir(parents=True)
        (package / "jars" / "ivy-2.5.3.jar").touch()
        spec = SimpleNamespace(origin=str(package / "__init__.py"))
        monkeypatch.setattr(importlib.util, "find_spec", lambda name: spec)

    return install


def test_maven_fetches_if_it_is_there(machine: Machine) -> None:
    machine.install("java", "")
    machine.install("mvn", FAKE_MAVEN)
    assert machine.resolve(KAFKA) == ["kafka-streams-4.3.1.jar"]
    assert "<artifactId>kafka-streams</artifactId><version>4.3.1</version>" in machine.seen_by(
        "mvn"
    )
    assert "with Maven" in machine.said[0]


def test_ivy_of_pyspark_fetches_without_maven(
    machine: Machine, pyspark: Callable[[], None]
) -> None:
    pyspark()
    machine.install("java", FAKE_IVY)
    assert machine.resolve(KAFKA) == ["kafka-streams-4.3.1.jar"]
    assert 'name="kafka-streams" rev="4.3.1"' in machine.seen_by("java")
    assert "with Ivy" in machine.said[0]


def test_second_call_needs_no_program_at_all(machine: Machine) -> None:
    machine.install("java", "")
    machine.install("mvn", FAKE_MAVEN)
    first = machine.resolve(KAFKA)
    machine.remove("java")
    machine.remove("mvn")
    machine.said.clear()
    assert machine.resolve(KAFKA) == first
    assert machine.said == []


def test_order_of_coordinates_does_not_matter(machine: Machine) -> None:
    machine.install("java", "")
    machine.install("mvn", FAKE_MAVEN)
    machine.resolve(KAFKA, "org.slf4j:slf4j-nop:1.7.36")
    machine.remove("mvn")
    assert machine.resolve("org.slf4j:slf4j-nop:1.7.36", KAFKA) == ["kafka-streams-4.3.1.jar"]


def test_another_set_has_a_folder_of_its_own(machine: Machine) -> None:
    machine.install("java", "")
    machine.install("mvn", FAKE_MAVEN)
    machine.resolve(KAFKA)
    machine.resolve(KAFKA, "org.slf4j:slf4j-nop:1.7.36")
    assert len(list((machine.cache / "jars").iterdir())) == 2


def test_failed_download_leaves_only_its_log(machine: Machine) -> None:
    machine.install("java", "")
    machine.install("mvn", 'for a in "$@"; do :; done; echo half > half.jar; exit 1\n')
    assert "cannot be fetched with Maven; its output is in" in machine.refusal(KAFKA)
    assert [path.suffix for path in (machine.cache / "jars").iterdir()] == [".log"]


def test_offline_says_so_and_names_the_log(machine: Machine) -> None:
    machine.install("java", "")
    machine.install("mvn", OFFLINE)
    refusal = machine.refusal(KAFKA)
    assert "its repository does not answer; check the network" in refusal
    log = Path(refusal.rpartition("details: ")[2].rstrip(")"))
    assert "Connection refused" in log.read_text()


def test_program_that_fetches_nothing_is_a_failure(machine: Machine) -> None:
    machine.install("java", "")
    machine.install("mvn", "exit 0\n")
    assert "cannot be fetched" in machine.refusal(KAFKA)


def test_no_java_is_said(machine: Machine) -> None:
    machine.install("mvn", FAKE_MAVEN)
    assert "no 'java' on the PATH; install a JDK" in machine.refusal(KAFKA)


def test_neither_maven_nor_ivy_is_said(machine: Machine) -> None:
    machine.install("java", "")
    assert "install Maven (the command 'mvn') or 'pip install pyspark'" in machine.refusal(KAFKA)


@pytest.mark.parametrize("coordinate", ["kafka", "org.apache.kafka:kafka", "a:b:c:d", "a:b:<c>"])
def test_malformed_coordinate_is_refused(machine: Machine, coordinate: str) -> None:
    assert f"must be 'group:artifact:version'; got {coordinate!r}" in machine.refusal(coordinate)


def test_cache_that_cannot_be_written_is_said(machine: Machine) -> None:
    machine.install("java", "")
    machine.install("mvn", FAKE_MAVEN)
    machine.cache.write_text("a file where the folder should be")
    assert "set PENSTOCK_CACHE to a folder that can be written" in machine.refusal(KAFKA)


def test_publishing_what_another_process_has_published_keeps_the_first(tmp_path: Path) -> None:
    first, second, name = tmp_path / "1", tmp_path / "2", tmp_path / "name"
    for folder in (first, second):
        folder.mkdir()
        (folder / "who").write_text(folder.name)
    jars.publish(first, name)
    jars.publish(second, name)
    assert (name / "who").read_text() == "1"


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"PENSTOCK_CACHE": "/own", "XDG_CACHE_HOME": "/shared"}, Path("/own")),
        ({"XDG_CACHE_HOME": "/shared"}, Path("/shared/penstock")),
        ({}, Path.home() / ".cache" / "penstock"),
    ],
)
def test_cache_follows_the_environment(environment: dict[str, str], expected: Path) -> None:
    assert jars.cache_root(environment) == expected
