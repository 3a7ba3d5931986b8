"""What is fetched and made once: jars, the formatted checkpoint, the class archive."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from penstock._engine.kafka.local_broker import distribution, jars, java
from penstock._engine.kafka.local_broker.distribution import Distribution
from penstock.errors import StreamsError

# Stands in for Java running Kafka's format tool, and counts how often it is asked.
FORMAT_TOOL = """\
#!/bin/sh
echo called >> "$0.calls"
mkdir data && echo checkpoint > data/bootstrap.checkpoint
"""


@pytest.fixture
def kafka(tmp_path: Path) -> Distribution:
    program = tmp_path / "java"
    program.write_text(FORMAT_TOOL)
    program.chmod(0o755)
    jar = tmp_path / "kafka.jar"
    jar.write_text("jar")
    return Distribution(java.Java(str(program), 17, "build 17"), (jar,), tmp_path / "kept")


def calls(kafka: Distribution) -> int:
    return len(Path(f"{kafka.java.path}.calls").read_text().splitlines())


def properties(path: Path) -> dict[str, str]:
    pairs = (line.partition("=") for line in path.read_text().splitlines())
    return {key: value for key, _, value in pairs}


def test_formatted_directory_has_the_checkpoint_and_an_identity(
    kafka: Distribution, tmp_path: Path
) -> None:
    kafka.format(tmp_path / "data")
    assert (tmp_path / "data" / "bootstrap.checkpoint").read_text() == "checkpoint\n"
    identity = properties(tmp_path / "data" / "meta.properties")
    assert len(identity.pop("cluster.id")) == 22
    assert identity == {"version": "1", "node.id": "1"}
    assert distribution.is_formatted(tmp_path / "data")


def test_every_directory_is_another_cluster_and_the_tool_runs_once(
    kafka: Distribution, tmp_path: Path
) -> None:
    kafka.format(tmp_path / "a")
    kafka.format(tmp_path / "b")
    a, b = (properties(tmp_path / name / "meta.properties") for name in "ab")
    assert a["cluster.id"] != b["cluster.id"]
    assert calls(kafka) == 1


def test_formatted_directory_stays_as_it_is(kafka: Distribution, tmp_path: Path) -> None:
    kafka.format(tmp_path / "data")
    before = (tmp_path / "data" / "meta.properties").read_text()
    kafka.format(tmp_path / "data")
    assert (tmp_path / "data" / "meta.properties").read_text() == before


@pytest.mark.parametrize("checkpoint", [None, "check"])
def test_a_format_that_was_cut_off_is_made_again(
    kafka: Distribution, tmp_path: Path, checkpoint: str | None
) -> None:
    data = tmp_path / "data"
    data.mkdir()
    if checkpoint is not None:
        (data / "bootstrap.checkpoint").write_text(checkpoint)
    assert distribution.is_begun(data)
    kafka.format(data)
    assert (data / "bootstrap.checkpoint").read_text() == "checkpoint\n"
    assert distribution.is_formatted(data)
    assert not distribution.is_begun(data)


def test_directory_with_other_files_is_left_alone(kafka: Distribution, tmp_path: Path) -> None:
    mine = tmp_path / "kafka"
    mine.mkdir()
    (mine / "thesis.txt").write_text("mine")
    with pytest.raises(StreamsError, match="holds files that are not a broker's; use another"):
        kafka.format(mine)
    assert [path.name for path in mine.iterdir()] == ["thesis.txt"]


def test_failure_of_the_format_tool_is_told(kafka: Distribution, tmp_path: Path) -> None:
    Path(kafka.java.path).write_text("#!/bin/sh\necho no space left; exit 3\n")
    with pytest.raises(StreamsError, match="failed with exit code 3: no space left"):
        kafka.format(tmp_path / "data")
    assert list(kafka.folder.iterdir()) == []


def test_a_cache_that_cannot_be_used_is_told_and_not_taken_for_the_data(
    kafka: Distribution, tmp_path: Path
) -> None:
    (kafka.folder / "formatted").mkdir(parents=True)
    with pytest.raises(StreamsError) as caught:
        kafka.format(tmp_path / "data")
    assert str(caught.value) == (
        f"{kafka.folder}/formatted/bootstrap.checkpoint of the cache cannot be used (No such file "
        f"or directory); delete {kafka.folder}, or set PENSTOCK_CACHE to a folder that can be "
        "written"
    )


def test_jars_that_cannot_be_had_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def offline(*_: object, **__: object) -> list[Path]:
        raise jars.JarsError("its repository does not answer; check the network")

    monkeypatch.setattr(jars, "resolve", offline)
    monkeypatch.setattr(java, "find", lambda: java.Java("java", 17, "build"))
    with pytest.raises(StreamsError) as caught:
        distribution.fetch(lambda _: None)
    assert str(caught.value) == (
        "Kafka 4.3.1 is not on this machine yet: its repository does not answer; check the network"
    )


def test_fetching_says_that_it_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []

    def slow(_: Sequence[str], cache: Path, progress: Callable[[str], None]) -> list[Path]:
        progress("fetching")
        while len(said) < 3:
            time.sleep(0.005)
        return [cache / "kafka.jar"]

    monkeypatch.setattr(jars, "resolve", slow)
    monkeypatch.setattr(java, "find", lambda: java.Java("java", 17, "build"))
    monkeypatch.setattr(distribution, "_HEARTBEAT_SECONDS", 0.01)
    found = distribution.fetch(said.append, cache=tmp_path)
    assert said[:3] == ["fetching", "still fetching, 0 s ...", "still fetching, 0 s ..."]
    assert found.jars == (tmp_path / "kafka.jar",)
    assert found.folder == tmp_path / "broker" / "4.3.1"


def test_properties_survive_java_s_escapes(tmp_path: Path) -> None:
    distribution.write_properties(tmp_path / "p", {"a": 1, "b": "x\\y", "c": "é\n", "d": " z"})
    assert (tmp_path / "p").read_text() == "a=1\nb=x\\u005cy\nc=\\u00e9\\u000a\nd=\\ z\n"
