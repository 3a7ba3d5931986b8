"""peek, for_each and print."""

from __future__ import annotations

from pathlib import Path

import pytest

from penstock import Printed, StreamsBuilder
from tests.operators.programs import Seen, drive, pipe, run

RECORDS: list[Seen] = [("a", 1, 3), ("b", None, 1), (None, 3, 7)]


def test_peek_sees_every_record_and_changes_none() -> None:
    seen: list[tuple[object, object]] = []
    out = run(lambda s: s.peek(lambda k, v: seen.append((k, v))), RECORDS)
    assert out == RECORDS
    assert seen == [("a", 1), ("b", None), (None, 3)]


def test_for_each_is_the_end() -> None:
    seen: list[tuple[object, object]] = []
    out = run(lambda s: s.for_each(lambda k, v: seen.append((k, v))), RECORDS)
    assert out == []
    assert seen == [("a", 1), ("b", None), (None, 3)]


@pytest.mark.parametrize(
    ("printed", "lines"),
    [
        (None, ["[KSTREAM-SOURCE-0000000000]: a, 1", "[KSTREAM-SOURCE-0000000000]: b, None"]),
        (Printed.to_sys_out(label="words"), ["[words]: a, 1", "[words]: b, None"]),
        (
            Printed.to_sys_out(label="words", mapper=lambda k, v: f"{k}={v}"),
            ["[words]: a=1", "[words]: b=None"],
        ),
    ],
)
def test_print_writes_a_line_for_each_record(
    printed: Printed[object, object] | None, lines: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    run(lambda s: s.print(printed), RECORDS[:2])
    assert capsys.readouterr().out.splitlines() == lines


def test_print_to_a_file_empties_it_first_and_can_be_read_while_it_runs(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_text("yesterday\n")

    def build(builder: StreamsBuilder) -> None:
        builder.stream("in").print(Printed.to_file(str(path), label="words"))

    seen = StreamsBuilder()
    build(seen)
    seen.build().describe()
    assert path.read_text() == "yesterday\n"  # who only looks at a program changes nothing
    with drive(build) as driver:
        assert path.read_text() == ""
        pipe(driver, "in", ("a", "é"))
        assert path.read_text(encoding="utf-8") == "[words]: a, é\n"
        pipe(driver, "in", ("b", 2))
    assert path.read_text(encoding="utf-8") == "[words]: a, é\n[words]: b, 2\n"
