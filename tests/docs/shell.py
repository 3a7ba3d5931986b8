"""What is wrong with the commands of a page: what they name must exist, options must be known."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path

from penstock.cli import build_parser
from penstock.settings import StreamsConfig

ROOT = Path(__file__).parents[2]
PLAIN = {"cd", "echo", "printf", "git", "source", "mkdir", "tar"}
"""Commands of which nothing is ours."""
_OF_PIP = {"install", "uninstall"}
_OF_UV = {"venv", "pip", "add"}
_COMMENT = re.compile(r"(^|\s+)# .*$")


def commands(block: str) -> Iterator[list[str]]:
    """Yield the words of each command, pipes and comments taken apart."""
    for line in block.replace("\\\n", " ").splitlines():
        bare = _COMMENT.sub("", line).strip()
        if not bare:
            continue
        lexer = shlex.shlex(bare, posix=True, punctuation_chars="|;&<>")
        lexer.whitespace_split = True
        words: list[str] = []
        for word in lexer:
            if set(word) <= set("|;&"):
                yield words
                words = []
            else:
                words.append(word)
        yield words


def faults(block: str, files: set[str]) -> list[str]:
    """Say what is wrong; `files` are those that the page makes."""
    return [
        f"{shlex.join(words)}: {fault}"
        for words in commands(block)
        if (fault := _fault(words, files)) is not None
    ]


def _fault(words: list[str], files: set[str]) -> str | None:
    words = _without_redirections(words)
    program, *arguments = words
    name = program.rsplit("/", maxsplit=1)[-1]
    if name in PLAIN:
        return None
    checks: dict[str, Callable[[], str | None]] = {
        "penstock": lambda: penstock_fault(arguments),
        "make": lambda: _make_fault(arguments),
        "python": lambda: _python_fault(arguments, files),
        "pip": lambda: None if arguments[0] in _OF_PIP else "not one of what pages show of pip",
        "uv": lambda: None if arguments[0] in _OF_UV else "not one of what pages show of uv",
        "docker": lambda: _docker_fault(arguments),
        "spark-submit": lambda: _submit_fault(arguments, files),
        "pytest": lambda: _python_fault(arguments, files) if arguments else None,
    }
    return checks[name]() if name in checks else "a command without a check"


def penstock_fault(arguments: list[str]) -> str | None:
    """Say what the parser of the command line has against the arguments."""
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
            given = build_parser().parse_args(arguments)
    except SystemExit as ended:
        return None if ended.code == 0 else said.getvalue()
    settings = dict(getattr(given, "set", ()))
    try:
        StreamsConfig({"application.id": "page", **settings})
    except Exception as error:
        return str(error)
    return None


def _docker_fault(arguments: list[str]) -> str | None:
    if arguments[:2] != ["compose", "--file"]:
        return "only docker compose --file is shown"
    return None if (ROOT / arguments[2]).is_file() else f"there is no {arguments[2]}"


def _make_fault(arguments: list[str]) -> str | None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = [word for word in arguments if "=" not in word]
    unknown = [target for target in targets if f"\n{target}:" not in makefile]
    return f"no such target: {unknown}" if unknown else None


def _python_fault(arguments: list[str], files: set[str]) -> str | None:
    if arguments[0] == "-m":
        module = ROOT / arguments[1].replace(".", "/")
        known = (
            arguments[1] in {"venv", "pytest"}
            or module.exists()
            or module.with_suffix(".py").exists()
        )
        return None if known else "no such module"
    return None if arguments[0] in files or (ROOT / arguments[0]).exists() else "no such file"


def _submit_fault(arguments: list[str], files: set[str]) -> str | None:
    """Spark's options are Spark's; the program must exist."""
    # One in an image is the program of the page all the same.
    programs = [
        word.rsplit("/", maxsplit=1)[-1] if word.startswith("local://") else word
        for word in arguments
        if word.endswith(".py")
    ]
    known = all(program in files or (ROOT / program).exists() for program in programs)
    return None if programs and known else "no such program"


def _without_redirections(words: list[str]) -> list[str]:
    kept = []
    for word in words:
        if set(word) <= set("<>"):
            break
        kept.append(word)
    return kept
