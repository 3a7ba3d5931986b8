"""`penstock describe`."""

from __future__ import annotations

from pathlib import Path

import pytest

from penstock.cli import main

PROGRAM = """
from penstock import StreamsBuilder

builder = StreamsBuilder()
builder.stream("in").to("out")
"""
TEXT = """Topologies:
   Sub-topology: 0
    Source: KSTREAM-SOURCE-0000000000 (topics: [in])
      --> KSTREAM-SINK-0000000001
    Sink: KSTREAM-SINK-0000000001 (topic: out)
      <-- KSTREAM-SOURCE-0000000000
"""


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(str(tmp_path))  # put back when the test ends
    path = tmp_path / "app.py"
    path.write_text(PROGRAM)
    return path


def test_text_is_the_default(app: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["describe", str(app)]) == 0
    assert capsys.readouterr().out.rstrip() == TEXT.rstrip()


@pytest.mark.parametrize(("format", "start"), [("mermaid", "flowchart"), ("svg", "<svg")])
def test_pictures(format: str, start: str, app: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["describe", str(app), "--format", format]) == 0
    assert start in capsys.readouterr().out


def test_a_topology_is_preferred_to_the_builder_it_comes_from(
    app: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    app.write_text(PROGRAM + "topology = builder.build()\n")
    assert main(["describe", str(app)]) == 0
    assert "KSTREAM-SINK" in capsys.readouterr().out


def test_one_of_several_is_named(app: Path, capsys: pytest.CaptureFixture[str]) -> None:
    app.write_text(PROGRAM + 'other = StreamsBuilder()\nother.stream("elsewhere")\n')
    assert main(["describe", str(app)]) == 1
    assert "found builder, other; name the one you mean:" in capsys.readouterr().err
    assert main(["describe", f"{app}:other"]) == 0
    assert "elsewhere" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("program", "said"),
    [
        (
            "",
            "must define one Topology or StreamsBuilder at its top level, or make a KafkaStreams; "
            "found none",
        ),
        (
            "from penstock import StreamsBuilder\nStreamsBuilder().stream([])\n",
            "a source must read at least one topic; got none (at ",
        ),
    ],
)
def test_what_is_wrong_is_said_in_one_line(
    program: str, said: str, app: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    app.write_text(program)
    assert main(["describe", str(app)]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("penstock: ")
    assert said in line


def test_a_mistake_has_the_line_of_the_program(
    app: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    app.write_text("from penstock import Named\nNamed('')\n")
    assert main(["describe", str(app)]) == 1
    assert capsys.readouterr().err.endswith(f"a name must not be empty (at {app}:2)\n")


def test_a_program_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["describe", "no-such-program.py"]) == 1
    assert capsys.readouterr().err == (
        f"penstock: there is no program 'no-such-program.py' in {Path.cwd()}\n"
    )
