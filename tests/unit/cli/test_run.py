"""What `penstock run` makes of its arguments and of the program. (On Spark: tests/spark.)"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any, ClassVar

import pytest

from penstock import KafkaStreams, Topology
from penstock.cli import main
from penstock.cli.arguments import programs
from penstock.cli.arguments.programs import topology_among
from penstock.errors import StreamsError
from penstock.terminal import invocation
from penstock.terminal.display import Panel

BUILDER = """
from penstock import StreamsBuilder
builder = StreamsBuilder()
builder.stream("in").to("out")
"""
APPLICATION = (
    BUILDER
    + """
from penstock import KafkaStreams
if __name__ == "__main__":
    KafkaStreams(builder.build(), {"application.id": "mine", "poll.ms": 7}).run()
"""
)


class FakeStreams(KafkaStreams):
    """Remembers how it was run instead of running."""

    ran: ClassVar[list[tuple[dict[str, Any], invocation.Invocation]]]
    error: ClassVar[Exception | None]

    def run(
        self, *, available_now: bool = False, quiet: bool = False, panel: Panel | None = None
    ) -> None:
        self._invocation.answered = True
        self.ran.append((self._config.given(), self._invocation))
        if self.error is not None:
            raise self.error


@pytest.fixture
def streams(monkeypatch: pytest.MonkeyPatch) -> type[FakeStreams]:
    class Fresh(FakeStreams):
        ran: ClassVar[list[tuple[dict[str, Any], invocation.Invocation]]] = []
        error: ClassVar[Exception | None] = None

    monkeypatch.setattr("penstock.KafkaStreams", Fresh)
    monkeypatch.setattr(programs, "KafkaStreams", Fresh)
    monkeypatch.setattr(sys, "argv", ["penstock"])
    monkeypatch.setattr(sys, "path", sys.path.copy())
    return Fresh


def program(folder: Path, text: str, name: str = "app.py") -> str:
    path = folder / name
    path.write_text(text)
    return str(path)


def test_program_runs_as_python_would_run_it(tmp_path: Path, streams: type[FakeStreams]) -> None:
    (tmp_path / "beside.py").write_text("NAME = 'beside'\n")
    note = (
        "import pathlib, sys, beside\n"
        "pathlib.Path(sys.argv[1]).write_text(beside.NAME + __name__)\n"
    )
    text = note + APPLICATION
    assert main(["run", program(tmp_path, text), str(tmp_path / "out")]) == 0
    assert (tmp_path / "out").read_text() == "beside__main__"
    assert [settings for settings, _ in streams.ran] == [{"application.id": "mine", "poll.ms": 7}]


@pytest.mark.parametrize(
    "words",
    [
        "-- eu --quiet",
        "eu -- --quiet",
        "--available-now -- eu --quiet",
        "eu --available-now -- --quiet",
        "--program-arguments eu --quiet",
    ],
)
def test_what_stands_last_is_the_programs(
    tmp_path: Path, streams: type[FakeStreams], words: str
) -> None:
    note = (
        f"import pathlib, sys\npathlib.Path({str(tmp_path / 'out')!r}).write_text(str(sys.argv))\n"
    )
    path = program(tmp_path, note + APPLICATION)
    assert main(["run", path, *words.split()]) == 0
    assert (tmp_path / "out").read_text() == str([path, "eu", "--quiet"])
    assert [told.quiet for _, told in streams.ran] == [False]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (
            "run app.py --quiet eu",
            "unrecognized arguments: eu; what is meant for the program comes",
        ),
        ("topics app.py --fast", "unrecognized arguments: --fast; what is meant for the program"),
        ("consume words --fast", "unrecognized arguments: --fast\n"),
        ("consume words --onec", "unrecognized arguments: --onec; did you mean --once?\n"),
        ("run app.py --avialable-now", "--avialable-now; did you mean --available-now?; what is"),
        ("consume words -- eu", "penstock consume: error: unrecognized arguments: eu\n"),
        (
            "capacity table --fast",
            "penstock capacity table: error: unrecognized arguments: --fast\n",
        ),
    ],
)
def test_words_that_nobody_takes_are_refused(
    words: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        main(words.split())
    assert caught.value.code == 2
    assert told in capsys.readouterr().err


def test_no_command_at_all_shows_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main([])
    assert caught.value.code == 2
    assert re.search("^    backfill +process the past", capsys.readouterr().err, re.MULTILINE)


def test_wishes_reach_the_application(tmp_path: Path, streams: type[FakeStreams]) -> None:
    wishes = ["--set", "poll.ms=9", "--bootstrap-servers", "kafka:9092", "--spark-log", "warn"]
    main(["run", program(tmp_path, APPLICATION), *wishes, "--quiet", "--available-now"])
    ((settings, told),) = streams.ran
    assert settings == {
        "application.id": "mine",
        "poll.ms": 9,
        "bootstrap.servers": "kafka:9092",
        "penstock.spark.log": "WARN",
    }
    assert (told.quiet, told.available_now) == (True, True)


def test_topology_that_nobody_runs_is_run_under_the_name_of_its_file(
    tmp_path: Path, streams: type[FakeStreams]
) -> None:
    assert main(["run", program(tmp_path, BUILDER, "word_count.py")]) == 0
    assert [settings for settings, _ in streams.ran] == [{"application.id": "word-count"}]


def test_failure_is_told_with_the_user_s_own_traceback(
    tmp_path: Path, streams: type[FakeStreams], capsys: pytest.CaptureFixture[str]
) -> None:
    streams.error = StreamsError("node 'a' failed")
    streams.error.add_note('Traceback (most recent call last):\n  File "app.py", line 7')
    assert main(["run", program(tmp_path, APPLICATION)]) == 1
    assert capsys.readouterr().err == (
        "penstock: node 'a' failed\n\n"
        'Traceback (most recent call last):\n  File "app.py", line 7\n'
    )


def test_program_without_a_topology_is_refused(
    tmp_path: Path, streams: type[FakeStreams], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", program(tmp_path, "x = 1\n")]) == 1
    assert "must define one Topology or StreamsBuilder" in capsys.readouterr().err


def test_program_that_is_not_there_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "nowhere.py"]) == 1
    assert capsys.readouterr().err == (
        f"penstock: there is no program 'nowhere.py' in {Path.cwd()}\n"
    )


@pytest.mark.parametrize("setting", ["poll.ms", "=5"])
def test_setting_must_have_key_and_value(setting: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["run", "app.py", "--set", setting])
    assert f"must look like KEY=VALUE; got {setting!r}" in capsys.readouterr().err


def test_wrong_command_says_how_it_is_used(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["dance"])
    assert caught.value.code == 2
    assert "usage: penstock" in capsys.readouterr().err


def test_topology_among_names_may_be_given_by_name() -> None:
    topology = Topology()
    names = {"one": topology, "two": Topology()}
    assert topology_among(names, "app.py", "one") is topology


@pytest.mark.parametrize(("words", "wanted"), [(["--console"], True), ([], False)])
def test_the_console_is_served_if_it_is_asked_for(
    words: list[str], wanted: bool, streams: type[FakeStreams], tmp_path: Path
) -> None:
    program = tmp_path / "app.py"
    program.write_text(APPLICATION, encoding="utf-8")
    assert main(["run", str(program), *words]) == 0
    [(_, options)] = streams.ran
    assert options.console is wanted


def test_an_application_that_the_program_does_not_run_is_not_run(
    tmp_path: Path, streams: type[FakeStreams], capsys: pytest.CaptureFixture[str]
) -> None:
    path = program(tmp_path, APPLICATION.replace(".run()", ""))
    assert main(["run", path]) == 0
    assert streams.ran == []
    assert f"{path} made application 'mine' and did not run it" in capsys.readouterr().err


def test_a_job_of_the_program_s_own_is_all_that_runs(
    tmp_path: Path, streams: type[FakeStreams]
) -> None:
    job = "import penstock.spark, contextlib\nwith contextlib.suppress(Exception):\n    penstock."
    for call in ("spark.run(builder.build(), {})", "spark.backfill(builder.build(), {})"):
        assert main(["run", program(tmp_path, BUILDER + job + call)]) == 0
    assert streams.ran == []


def test_settings_of_the_command_line_may_be_spelled_otherwise(
    tmp_path: Path, streams: type[FakeStreams]
) -> None:
    path, file = program(tmp_path, APPLICATION), tmp_path / "prod.toml"
    file.write_text("poll_ms = 8")
    assert main(["run", path, "--set", "poll_ms=9"]) == 0
    assert main(["run", path, "--settings", str(file)]) == 0
    assert main(["run", path, "--settings", str(file), "--set", "poll.ms=10"]) == 0
    assert [settings["poll.ms"] for settings, _ in streams.ran] == [9, 8, 10]
