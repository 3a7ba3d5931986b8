"""The programs and the commands of all pages in docs/ are as they say."""

from __future__ import annotations

import re
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from penstock._engine.control.status import RecordCounts, status
from penstock.capacity import FORMULAS
from penstock.cli import COMMANDS, main
from tests.docs.blocks import DOCS, ROOT, blocks_of, name_of, pages, run_page
from tests.docs.shell import faults, penstock_fault

ELSEWHERE = {
    "backfill.md": "tests/spark/test_backfill_docs.py",
    "dataframes.md": "tests/spark/test_dataframes_docs.py",
    "spark/between.md": "tests/spark/test_between.py",
    "spark/sink.md": "tests/spark/test_sink.py",
    "spark/state-as-tables.md": "tests/spark/test_state.py",
    "spark/topics.md": "tests/spark/test_topics.py",
    "user-analytics.md": "tests/spark/test_examples.py",
    "tutorial.md": "tests/spark/test_tutorial.py",
    "how-to/fastapi.md": "tests/spark/test_queries.py",
    "how-to/query-the-state.md": "tests/spark/test_queries.py",
    "concepts/exactly-once.md": "tests/broker/test_exactly_once_docs.py",
}
"""Pages whose programs need a broker or Spark, and the test that runs them."""

NOT_RUN = {"", "text", "sh", "properties", "toml", "java", "ini", "yaml"}
"""Languages of blocks that are no Python; what is in them is checked below, or shown in one of the
tests."""


def with_programs() -> list[Path]:
    return [
        page for page in pages() if blocks_of(page, "python") and name_of(page) not in ELSEWHERE
    ]


@pytest.mark.parametrize("page", with_programs(), ids=name_of)
def test_the_programs_of_a_page_run(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run_page(page)


def test_programs_that_run_elsewhere_do() -> None:
    for page, test in ELSEWHERE.items():
        assert Path(page).name in (ROOT / test).read_text(encoding="utf-8"), page


@pytest.mark.parametrize("page", pages(), ids=name_of)
def test_every_block_is_of_a_kind_that_is_checked(page: Path) -> None:
    languages = {block.language for block in blocks_of(page)}
    assert languages <= {*NOT_RUN, "python"}
    # Blocks that are indented, as in lists, would be overlooked.
    assert re.findall(r"^[ \t]+```\w+", page.read_text(encoding="utf-8"), re.M) == []


@pytest.mark.parametrize("page", pages(), ids=name_of)
def test_the_commands_of_a_page_are_understood(page: Path) -> None:
    made = {block.title for block in blocks_of(page) if block.title} | {"app.py"}
    wrong = [fault for block in blocks_of(page, "sh") for fault in faults(block.text, made)]
    assert wrong == []


@pytest.mark.parametrize("page", [*pages(), ROOT / "README.md"], ids=lambda page: page.name)
def test_the_english_of_a_page_is_plain(page: Path) -> None:
    """Riddles that readers stumbled over: name the actor, and say what happens."""
    prose = re.sub(r"^```.*?^```$|`[^`]*`", "", page.read_text("utf-8"), flags=re.M | re.S)
    assert re.findall(r"(?i)\b(?:whoever|somebody|nobody|is told so|are told so)\b", prose) == []


def test_a_wrong_command_would_be_noticed() -> None:
    assert faults("penstock run app.py --available-soon", {"app.py"})
    assert faults("penstock run app.py --set commit.intervall.ms=5", {"app.py"})
    assert faults("make tea", set())
    assert faults("echo a | pensotck produce lines", set())
    assert faults("python nowhere.py", set())


def test_commands_in_the_middle_of_a_sentence_are_understood() -> None:
    wrong = []
    for page in pages():
        for said in re.findall(r"`penstock ([a-z][^`.…]*)`", page.read_text(encoding="utf-8")):
            arguments = re.sub(r"\[|\]|\.\.\.", "", said).split()
            arguments = ["bash" if word == "SHELL" else word for word in arguments]
            # A sentence may leave out what the command is about.
            if penstock_fault(arguments) and penstock_fault([*arguments, "x"]):
                wrong.append(f"{name_of(page)}: penstock {said}")
    assert wrong == []


def test_java_that_is_shown_is_part_of_a_program_that_runs() -> None:
    programs = "".join(
        path.read_text("utf-8") for path in (ROOT / "tests" / "interop" / "java").glob("*.java")
    )
    shown = [block.text for page in pages() for block in blocks_of(page, "java")]
    assert shown
    assert [text for text in shown if text not in programs] == []


def test_every_figure_of_the_progress_is_told_of() -> None:
    text = (DOCS / "how-to" / "monitoring.md").read_text("utf-8")
    figures = {*status({}, None), "lag", "asOf", *RecordCounts().end_turn()}
    (told,) = [block.text for block in blocks_of(DOCS / "how-to" / "monitoring.md", "python")][:1]
    assert [name for name in figures if f"`{name}`" not in text or f'"{name}":' not in told] == []


def test_every_command_is_on_its_page() -> None:
    text = (DOCS / "cli.md").read_text(encoding="utf-8")
    assert [name for name in COMMANDS if f"`penstock {name}" not in text] == []


def test_every_formula_is_on_its_page() -> None:
    text = (DOCS / "capacity.md").read_text(encoding="utf-8")
    assert [name for name in FORMULAS if f"| `{name}` |" not in text] == []


def answers() -> list[Any]:
    """Return the blocks that show a command behind a `$` and what it answers."""
    return [
        pytest.param(
            *block.text.removeprefix("$ penstock ").split("\n", 1),
            id=f"{name_of(page)}:{block.line}",
        )
        for page in pages()
        for block in blocks_of(page, "text")
        # What `doctor` finds is each machine's own affair.
        if block.text.startswith("$ penstock ") and not block.text.startswith("$ penstock doctor")
    ]


@pytest.mark.parametrize(("command", "answer"), answers())
def test_an_answer_that_is_shown_is_the_answer(
    command: str, answer: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = command.split()
    assert penstock_fault(arguments) is None
    monkeypatch.setattr(sys, "path", sys.path.copy())
    monkeypatch.chdir(ROOT)
    assert main(arguments) == 0
    # So is how many cores it has.
    printed, cores = capsys.readouterr().out, re.compile(r"\d+ slots? .*")
    assert cores.sub("", printed) == cores.sub("", answer)


WRONG_PAGES = {
    "prints something else": "```python\nprint(1)\n```\n\n```text\n2\n```\n",
    "prints what is not shown": "```python\nprint(1)\n```\n",
    "shows what is not printed": "```python\nx = 1\n```\n\n```text\n1\n```\n",
    "asserts what is not so": "```python\nassert 1 == 2\n```\n",
}


@pytest.mark.parametrize("page", WRONG_PAGES.values(), ids=list(WRONG_PAGES))
def test_a_page_that_is_wrong_would_be_noticed(page: str, tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text(page)
    with pytest.raises(AssertionError):
        run_page(path)


def test_the_tutorial_is_as_long_as_the_readme_says() -> None:
    (program,) = [block for block in blocks_of(DOCS / "tutorial.md") if block.title == "views.py"]
    readme = (ROOT / "README.md").read_text("utf-8")
    assert f"{len(program.text.splitlines())} lines" in readme


def test_what_pages_say_is_not_there_is_not() -> None:
    """A change that adds it documents it on these pages, and removes its line here."""
    missing = {
        "penstock.console": "how-to/monitoring.md",
    }
    assert {name: told for name, told in missing.items() if find_spec(name) is not None} == {}
