"""`penstock init`: names, refusals, and projects that are whole or not there."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from penstock._engine.planner.plan import plan_subtopologies
from penstock.cli import main
from penstock.cli.arguments.programs import load_application
from penstock.cli.init.project import TEMPLATES, check_name, contents, write
from penstock.errors import StreamsError

FILES = {
    ".dockerignore",
    ".gitignore",
    "Dockerfile",
    "README.md",
    "app.py",
    "pyproject.toml",
    "tests/test_app.py",
    "wheels/README.md",
}


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def files_in(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir()}


@pytest.mark.parametrize("name", ["a", "clicks", "shop-2", "a.b_c", "x" * 100])
def test_names_that_will_do(name: str) -> None:
    check_name(name)


@pytest.mark.parametrize(
    ("name", "suggested"),
    [
        ("", "my-project"),
        (".", "my-project"),
        ("..", "my-project"),
        ("-x", "x"),
        ("Shop", "shop"),
        ("my shop", "my-shop"),
        ("shop-", "shop"),
        ("7up", "my-project"),
        ("größe", "gr-e"),
        ("shop\n", "shop"),
        ("x" * 101, "x" * 100),
    ],
)
def test_names_that_will_not_do_come_with_one_that_will(name: str, suggested: str) -> None:
    with pytest.raises(StreamsError, match="a project's name must be") as caught:
        check_name(name)
    assert f"got {name!r}; for example: penstock init {suggested}" in str(caught.value)
    check_name(suggested)


@pytest.mark.parametrize("name", ["penstock", "pyspark", "json", "app", "tests", "con"])
def test_names_that_are_taken_elsewhere(name: str) -> None:
    with pytest.raises(StreamsError, match=f"for example: penstock init my-{name}$"):
        check_name(name)
    check_name(f"my-{name}")


def test_a_path_is_no_name() -> None:
    with pytest.raises(StreamsError, match=r"go to the folder first, then: penstock init shop$"):
        check_name("work/shop")


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_project_has_all_its_files_and_no_gap(
    template: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["init", "shop", "--template", template]) == 0
    assert files_in(Path("shop")) == FILES
    assert [path.name for path in Path().iterdir()] == ["shop"]
    for file in FILES:
        assert not re.search(r"@\w+@", Path("shop", file).read_text(encoding="utf-8")), file
    project = tomllib.loads(Path("shop/pyproject.toml").read_text())["project"]
    assert (project["name"], project["description"]) == ("shop", TEMPLATES[template].about)
    readme = Path("shop/README.md").read_text()
    commands = [line for block in readme.split("```sh\n")[1:] for line in _lines(block)]
    assert len(commands) == 6 + (template == "enrich")
    program = load_application("shop/app.py", {})
    inputs = [line.split("produce ")[1].split()[0] for line in commands if "produce" in line]
    first = plan_subtopologies(program.topology, "shop")[0]
    assert sorted(inputs) == sorted(first.source_topics())
    (store,) = program.topology.stores
    assert f"`penstock query shop {store} --changelog --program app.py`" in readme
    assert "  penstock run app.py" in capsys.readouterr().out


def _lines(block: str) -> list[str]:
    return block.partition("```")[0].strip().splitlines()


@pytest.mark.parametrize("there", ["folder", "file", "dangling link"])
def test_what_is_there_is_not_written_over(
    there: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if there == "folder":
        (tmp_path / "shop").mkdir()
    elif there == "file":
        (tmp_path / "shop").write_text("mine")
    else:
        (tmp_path / "shop").symlink_to("nowhere")
    assert main(["init", "shop"]) == 1
    assert capsys.readouterr().err == (
        f"penstock: there is a 'shop' in {str(tmp_path)!r} already, and nothing is written over "
        "it; choose another name, or remove it first\n"
    )
    assert [path.name for path in tmp_path.iterdir()] == ["shop"]
    assert there != "file" or (tmp_path / "shop").read_text() == "mine"


class EndsInTheMiddle(Mapping[str, str]):
    """Texts of which the second cannot be had."""

    def __init__(self, error: BaseException) -> None:
        self._error = error

    def __getitem__(self, path: str) -> str:
        if path == "b":
            raise self._error
        return "text"

    def __iter__(self) -> Iterator[str]:
        return iter("ab")

    def __len__(self) -> int:
        return 2


def test_a_project_that_cannot_be_finished_is_not_there(tmp_path: Path) -> None:
    for error, seen in (
        (OSError(28, "No space left on device"), StreamsError),
        (KeyboardInterrupt(), KeyboardInterrupt),
    ):
        with pytest.raises(seen):
            write(tmp_path / "shop", EndsInTheMiddle(error))
        assert list(tmp_path.iterdir()) == []
    with pytest.raises(StreamsError, match=r"cannot be written: No such file or directory$"):
        write(tmp_path / "gone" / "shop", {"a": "text"})


def test_of_two_at_once_one_wins(tmp_path: Path) -> None:
    class Late(EndsInTheMiddle):
        def __getitem__(self, path: str) -> str:
            (tmp_path / "shop").mkdir(exist_ok=True)
            (tmp_path / "shop" / "other").touch()
            return "text"

    with pytest.raises(StreamsError, match="already, and nothing is written over it"):
        write(tmp_path / "shop", Late(OSError()))
    assert files_in(tmp_path) == {"shop/other"}


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_rights_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tmp_path.chmod(0o500)
    try:
        assert main(["init", "shop"]) == 1
    finally:
        tmp_path.chmod(0o700)
    assert "cannot be written: Permission denied" in capsys.readouterr().err


def test_a_folder_that_is_gone_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    os.chdir(gone)
    gone.rmdir()
    assert main(["init", "shop"]) == 1
    assert "this folder has been removed; go to another one" in capsys.readouterr().err


@pytest.mark.parametrize("template", TEMPLATES)
def test_programs_are_as_formatters_and_linters_want_them(
    template: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "shop", contents("shop", template, "0.1.0"))
    monkeypatch.chdir(tmp_path / "shop")
    for command in (["format", "--check"], ["check", "--select=E,F,W,I,B,UP,SIM,RUF"]):
        ruff = [sys.executable, "-m", "ruff", *command, "--isolated", "--no-cache", "."]
        done = subprocess.run(ruff, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_the_test_of_each_kind_of_project_passes(tmp_path: Path) -> None:
    """All in one process; each test imports an `app` of its own."""
    for template in TEMPLATES:
        write(tmp_path / template, contents(template, template, "0.1.0"))
    program = (
        "import json, os, sys, pytest\n"
        "codes = []\n"
        "for name in sys.argv[1:]:\n"
        "    os.chdir(name)\n"
        "    codes.append(pytest.main(['-q', '-p', 'no:cacheprovider']))\n"
        "    os.chdir('..')\n"
        "    sys.modules.pop('app'), sys.modules.pop('test_app')\n"
        "print(json.dumps(codes))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *TEMPLATES],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert json.loads(done.stdout.splitlines()[-1]) == [0] * len(TEMPLATES), done.stdout
    assert done.stdout.count("1 passed") == len(TEMPLATES)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("proccessor", "there is no 'proccessor'; did you mean 'processor'? choose from 'count'"),
        ("xyz", "there is no 'xyz'; choose from 'count', 'enrich', 'processor'"),
    ],
)
def test_a_template_that_is_not_there_names_the_nearest(
    given: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["init", "shop", "--template", given])
    assert ended.value.code == 2
    assert f"argument --template: {said}" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_project_inside_another_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["init", "shop"]) == 0
    assert capsys.readouterr().err == ""
    deep = tmp_path / "shop" / "parts"
    deep.mkdir()
    monkeypatch.chdir(deep)
    assert main(["init", "inner"]) == 0
    assert capsys.readouterr().err == (
        f"penstock: 'inner' is inside the project {str(tmp_path / 'shop')!r}, which does not know "
        "of it: tools that are started there find the files of both; if that is not meant, move "
        f"it: mv inner {tmp_path}\n"
    )
    assert files_in(deep / "inner") == FILES
