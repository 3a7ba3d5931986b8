"""The application that a program makes, without running it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from penstock.cli.arguments.programs import application_id_of, load_application, load_topology
from penstock.errors import StreamsError

BUILDER = """
from penstock import KafkaStreams, StreamsBuilder
builder = StreamsBuilder()
builder.stream("in").to("out")
"""
MAIN = (
    BUILDER
    + """
if __name__ == "__main__":
    import sys
    try:
        KafkaStreams(builder.build(), {"application.id": "mine" + "".join(sys.argv[1:])}).run()
    except Exception:
        raise SystemExit("it is caught")
"""
)


@pytest.fixture(autouse=True)
def _path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", sys.path.copy())


def program(folder: Path, text: str) -> str:
    path = folder / "word_count.py"
    path.write_text(text)
    return str(path)


def test_it_is_seen_as_soon_as_it_is_made(tmp_path: Path) -> None:
    argv = list(sys.argv)
    found = load_application(program(tmp_path, MAIN), {"poll.ms": 7}, ["-2"])
    assert found.config.given() == {"application.id": "mine-2", "poll.ms": 7}
    assert "in" in str(found.topology.describe())
    assert sys.argv == argv


@pytest.mark.parametrize("name", ["", ":builder"])
def test_a_program_that_makes_none_is_named_after_its_file(tmp_path: Path, name: str) -> None:
    found = load_application(program(tmp_path, BUILDER) + name, {"poll.ms": 7})
    assert found.config.given() == {"application.id": "word-count", "poll.ms": 7}


def test_a_program_that_ends_first_is_told(tmp_path: Path) -> None:
    with pytest.raises(StreamsError, match="ended, with exit code 3, before it made a Kafka"):
        load_application(program(tmp_path, "raise SystemExit(3)"), {})


def test_the_top_level_finds_its_arguments_too(tmp_path: Path) -> None:
    text = BUILDER.replace('"out"', "sys.argv[1]").replace("\nfrom", "\nimport sys\nfrom", 1)
    assert "(topic: eu)" in str(load_topology(program(tmp_path, text), ["eu"]).describe())
    with pytest.raises(StreamsError, match="ended, with exit code 3, before it made a Kafka"):
        load_topology(program(tmp_path, "raise SystemExit(3)"))


def test_id_of_a_file() -> None:
    assert application_id_of("some/word_count.py") == "word-count"


def test_a_topology_that_is_made_in_main_is_found_too(tmp_path: Path) -> None:
    text = MAIN.replace("builder = StreamsBuilder()", "def made():\n  builder = StreamsBuilder()")
    text = text.replace("\nbuilder.stream", "\n  builder.stream").replace(
        '.to("out")', '.to("out")\n  return builder'
    )
    path = program(tmp_path, text.replace("builder.build()", "made().build()"))
    assert "Sink" in str(load_topology(path).describe())
