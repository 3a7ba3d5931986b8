"""Random programs: those whose expectations are kept do what Java did, and the search works."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from conformance import harness, java
from conformance.fuzz import cases, generator, observe, recorded, run, shrink
from conformance.fuzz.description import Description
from conformance.fuzz.interpret import DescribedProgram
from conformance.fuzz.oracle import Oracle
from conformance.fuzz.recorded import Recorded
from conformance.fuzz.tally import Tally
from conformance.harness import Observation
from penstock import KStream
from penstock._engine.kafka.local_broker.jars import JarsError
from penstock.errors import TopologyError

PROGRAMS = recorded.load()


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: str(program.seed))
def test_recorded_program_does_what_java_did(program: Recorded) -> None:
    differences = observe.differing(program.description, program.expected)
    assert not differences, "\n".join(["", program.description.to_text(), *differences])


def test_recorded_programs_have_everything_that_can_be_drawn() -> None:
    drawn, kept = Tally(), Tally()
    nothing = Observation()
    for seed in range(300):
        drawn.add(generator.generate(seed), nothing)
    for program in PROGRAMS:
        kept.add(program.description, program.expected)
    for group in ("verbs", "windows", "joins", "options"):
        assert drawn.names(group) <= kept.names(group)


@pytest.mark.slow
def test_recorded_expectations_are_what_java_gives_today() -> None:
    try:
        with Oracle() as oracle:
            today = list(oracle.observe_all(program.description for program in PROGRAMS))
    except (java.OracleError, JarsError) as error:
        pytest.skip(str(error))
    stale = [
        program.seed
        for program, seen in zip(PROGRAMS, today, strict=True)
        if (program.expected.lines, program.expected.topology) != (seen.lines, seen.topology)
    ]
    assert stale == [], "read what changed, then: python -m conformance.fuzz.recorded"


def test_wrong_operator_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    filtering = [
        program
        for program in PROGRAMS
        if any(step["verb"] == "filter" for step in program.description.steps)
    ]
    monkeypatch.setattr(KStream, "filter", KStream.filter_not)
    assert any(observe.differing(program.description, program.expected) for program in filtering)


def test_same_number_gives_the_same_program() -> None:
    assert generator.generate(7) == generator.generate(7)
    assert generator.generate(7) != generator.generate(8)


def test_only_the_verbs_asked_for_are_drawn() -> None:
    verbs = {
        step["verb"]
        for seed in range(20)
        for step in generator.generate(seed, ["filter", "merge"]).steps
    }
    assert verbs == {"stream", "filter", "merge", "to"}


def test_nearly_everything_that_is_drawn_can_be_built() -> None:
    refused = 0
    for seed in range(80):
        try:
            DescribedProgram(generator.generate(seed)).topology(lambda line: None)
        except TopologyError:
            refused += 1
    assert refused < 6


def test_description_reads_what_it_writes() -> None:
    description = generator.generate(3)
    assert Description.from_json(description.to_json()) == description
    assert Description.from_json(description.to_text()) == description


def described(*verbs: str) -> Description:
    steps: list[dict[str, Any]] = [{"id": "0", "verb": "stream", "topics": ["in"]}]
    for number, verb in enumerate(verbs, 1):
        option = {"f": "all", "named": f"name-{number}"}
        steps.append({"id": str(number), "verb": verb, "of": str(number - 1), **option})
    lines = [{"topic": "in", "key": str(number)} for number in range(9)]
    return Description(steps, [*lines, {"advance_wall_clock": 5}], {"topology.optimization": "all"})


def test_program_with_a_difference_is_made_small() -> None:
    def shows(description: Description) -> bool:
        verbs = [step["verb"] for step in description.steps]
        return "filter" in verbs and {"topic": "in", "key": "4"} in description.input

    smallest = shrink.shrink(described("peek", "filter", "filter_not", "peek"), shows)
    assert [step["verb"] for step in smallest.steps] == ["stream", "filter"]
    assert smallest.steps[1] == {"id": "2", "verb": "filter", "of": "0", "f": "all"}
    assert smallest.input == [{"topic": "in", "key": "4"}]
    assert smallest.config == {}


def test_difference_becomes_a_case(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(harness, "CASES", tmp_path)
    file = tmp_path / "difference.json"
    file.write_text(described("filter").to_text(), encoding="utf-8")
    cases.main("stateless/kept", str(file), "A filter keeps all.")
    seen = harness.run(harness.find_case("kept"))
    assert len(seen.lines) == 10
    assert "name-1" in str(seen.topology)
    with pytest.raises(SystemExit, match="must be VERB/NAME"):
        cases.main("kept", str(file), "A filter keeps all.")


class FakeOracle:
    """Says what Python says, but for one program."""

    def __init__(self, wrong: Description | None = None) -> None:
        self._wrong = wrong

    def observe(self, description: Description) -> Observation:
        seen = observe.observe(description, [])
        if self._wrong is not None and description.steps == self._wrong.steps:
            seen.lines[0]["dropped"] = 99
        return seen

    def observe_all(self, descriptions: Any) -> Any:
        return map(self.observe, descriptions)

    def __enter__(self) -> FakeOracle:
        return self

    def __exit__(self, *error: object) -> None:
        pass


def test_run_tells_what_occurred(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(run, "Oracle", FakeOracle)
    assert run.main(["--count", "5", "--only", "filter"]) == 0
    told = capsys.readouterr().out
    assert "stream.filter" in told
    assert "5 programs agree, 0 differ" in told


@pytest.mark.slow
def test_run_tells_a_difference_and_keeps_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    wrong = generator.generate(2, ["filter"])
    monkeypatch.setattr(run, "Oracle", lambda: FakeOracle(wrong))
    arguments = ["--count", "4", "--only", "filter", "--keep", str(tmp_path)]
    assert run.main(arguments) == 1
    told = capsys.readouterr().out
    assert "program 2 differs; made small:" in told
    assert "dropped: expected 99" in told
    kept = Description.from_json((tmp_path / "2.json").read_text())
    assert kept.steps == wrong.steps
    assert json.dumps(kept.input) != json.dumps(wrong.input)
    assert run.main(["--replay", str(tmp_path / "2.json")]) == 1
