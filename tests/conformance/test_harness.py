"""The harness itself: how bytes and errors are written, and how a difference is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conformance import differences, harness, run
from conformance.harness import Case, Observation
from penstock.errors import ConfigError, SerializationError, StreamsError, TopologyError


@pytest.mark.parametrize(
    ("written", "data"),
    [
        (None, None),
        ("", b""),
        ("grüße", "grüße".encode()),
        ({"hex": "00ff"}, b"\x00\xff"),
        ({"int": -2}, b"\xff\xff\xff\xfe"),
        ({"long": 5}, b"\0\0\0\0\0\0\0\x05"),
        ({"double": 1.5}, b"\x3f\xf8\0\0\0\0\0\0"),
    ],
)
def test_input_is_read_as_bytes(written: str | dict[str, str] | None, data: bytes | None) -> None:
    assert harness.to_bytes(written) == data


@pytest.mark.parametrize("written", [{"float": 1.5}, {"int": 1, "long": 1}, {}])
def test_unknown_way_of_writing_is_refused(written: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="one of hex, int, long, double; got"):
        harness.to_bytes(written)


@pytest.mark.parametrize(
    ("data", "written"),
    [
        (None, None),
        (b"", ""),
        ("🚀 \u2028".encode(), "🚀 \u2028"),
        (b"a\tb", {"hex": "610962"}),
        (b"\x7f", {"hex": "7f"}),
        ("\x85".encode(), {"hex": "c285"}),
        (b"\xff", {"hex": "ff"}),
    ],
)
def test_output_is_text_only_without_control_characters(
    data: bytes | None, written: str | dict[str, str] | None
) -> None:
    assert harness.to_json(data) == written


@pytest.mark.parametrize(
    ("error", "expected", "name"),
    [
        (StreamsError("x"), None, "StreamsException"),
        (TopologyError("x"), None, "TopologyException"),
        (TopologyError("x"), "NullPointerException", "NullPointerException"),
        (TopologyError("x"), "ConfigException", "TopologyException"),
        (ConfigError("x"), "ConfigException", "ConfigException"),
        (SerializationError("x"), None, "SerializationException"),
        (TypeError("x"), None, "NullPointerException"),
        (ValueError("x"), "NullPointerException", "IllegalArgumentException"),
        (KeyError("x"), "StreamsException", "KeyError: 'x'"),
    ],
)
def test_errors_have_java_s_names(error: Exception, expected: str | None, name: str) -> None:
    assert harness.java_name(error, expected) == name


def make_case(folder: Path, program: str, **files: str) -> Case:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "program.py").write_text(program)
    for name, text in files.items():
        (folder / name.replace("_jsonl", ".jsonl").replace("_txt", ".txt")).write_text(text)
    return Case(folder)


PRINTING = """
from penstock import StreamsBuilder

def topology(log):
    builder = StreamsBuilder()
    def see(key, value):
        print(f"saw {value}")
        log(f"logged {value}")
    builder.stream("in").peek(see).to("out")
    return builder.build()
"""


def test_run_observes_output_log_and_print_of_each_step(tmp_path: Path) -> None:
    step = {"topic": "in", "key": "k", "value": "v", "timestamp": 7, "headers": [["h", None]]}
    case = make_case(tmp_path / "printing", PRINTING, input_jsonl=json.dumps(step))
    record = {"key": "k", "value": "v", "timestamp": 7, "headers": [["h", None]]}
    assert harness.run(case).lines == [
        {"output": {"out": [record]}, "stdout": ["saw v"], "log": ["logged v"]}
    ]


def test_topology_that_cannot_be_built_has_one_line(tmp_path: Path) -> None:
    program = "def topology(log):\n    raise ValueError('no')\n"
    case = make_case(tmp_path / "verb" / "broken", program, expected_jsonl="{}")
    seen = harness.run(case)
    assert seen.lines == [{"build_error": "IllegalArgumentException"}]
    assert seen.topology is None


def test_case_without_input_has_one_line(tmp_path: Path) -> None:
    assert harness.run(make_case(tmp_path / "idle", PRINTING)).lines == [{}]


def test_difference_names_step_part_and_both_values(tmp_path: Path) -> None:
    step = {"topic": "in", "value": "v"}
    expected = {"output": {"out": [{"key": "a"}, {"key": "b"}]}, "dropped": 1}
    case = make_case(
        tmp_path / "differs", "", input_jsonl=json.dumps(step), expected_jsonl=json.dumps(expected)
    )
    seen = Observation(lines=[{"output": {"out": [{"key": "a"}, {"key": "c"}]}}])
    assert differences.describe(case, seen) == [
        '  step 1: {"topic": "in", "value": "v"}',
        "    dropped: expected 1",
        "                  got nothing",
        '    output.out[1].key: expected "b"',
        '                            got "c"',
    ]


def test_difference_of_topologies_is_a_diff(tmp_path: Path) -> None:
    case = make_case(tmp_path / "drawn", "", topology_txt="a\nb\n")
    lines = differences.describe(case, Observation(topology="a\nc\n"))
    assert lines[0] == "  topology.txt:"
    assert lines[-2:] == ["    -b", "    +c"]


def test_agreement_has_no_lines(tmp_path: Path) -> None:
    case = make_case(tmp_path / "same", "", expected_jsonl="{}\n", topology_txt="a\n")
    assert differences.describe(case, Observation(lines=[{}], topology="a\n")) == []


def test_run_ends_with_the_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    good = make_case(tmp_path / "verb" / "good", PRINTING, expected_jsonl="{}\n")
    (good.folder / "topology.txt").write_text(str(harness.run(good).topology))
    make_case(
        tmp_path / "verb" / "broken", "raise ImportError('no such thing')", expected_jsonl="{}\n"
    )
    make_case(tmp_path / "verb" / "unrecorded", PRINTING)
    monkeypatch.setattr(harness, "CASES", tmp_path)
    assert run.main([]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "FAIL broken",
        "  cannot be run: ImportError: no such thing",
        "FAIL unrecorded",
        "  it has no expectation; record it: make conformance-record CASES=unrecorded",
        "1 passed, 2 failed",
    ]
    assert run.main(["good"]) == 0
    assert run.main(["nosuch"]) == 2


def test_a_case_is_found_by_its_name_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    later, sooner = (make_case(tmp_path / verb, PRINTING) for verb in ("a/second", "b/first"))
    monkeypatch.setattr(harness, "CASES", tmp_path)
    assert list(harness.all_cases(tmp_path).items()) == [("first", sooner), ("second", later)]
    assert harness.find_case("second") == later
    assert later.module == "conformance.cases.a.second.program"
    with pytest.raises(LookupError, match="has a case called 'third'"):
        harness.find_case("third")


def test_two_cases_of_one_name_are_refused(tmp_path: Path) -> None:
    make_case(tmp_path / "a" / "same", PRINTING)
    make_case(tmp_path / "b" / "same", PRINTING)
    with pytest.raises(ValueError, match="two cases are called 'same'"):
        harness.all_cases(tmp_path)
