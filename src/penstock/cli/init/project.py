"""A new project: whether its name will do, what is in it, and how it is written.

A project appears in its folder complete or not at all: it is written under another name and
renamed.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from penstock.errors import StreamsError

# What indexes and Kafka both take as a name, in lower case as commands are typed.
_NAME = re.compile(r"[a-z]([a-z0-9._-]*[a-z0-9])?")
_LONGEST_NAME = 100

# A package cannot need itself; the others are names that Python, pytest or a file system has.
_RESERVED = frozenset(
    (
        *("penstock", "pyspark", "pyarrow", "confluent-kafka", "msgspec", "rocksdict"),
        *("pytest", "app", "tests", "wheels", "aux", "con", "nul", "prn"),
    )
)


@dataclass(frozen=True, slots=True)
class Template:
    """A kind of project: what it does, commands that show it, and its store."""

    about: str
    produce: str
    consume: str
    store: str


TEMPLATES: Mapping[str, Template] = {
    "count": Template(
        "Counts the words of messages.",
        """echo '{"author": "ada", "text": "all streams lead to the sea"}' """
        "| penstock produce @name@-messages",
        "penstock consume @name@-counts --value long",
        "counts",
    ),
    "enrich": Template(
        "Adds the customer's name and country to each order.",
        """echo '7={"name": "Ada", "country": "GB"}' """
        "| penstock produce @name@-customers --separator =\n"
        """echo '7={"product": "book", "amount": 12.5}' """
        "| penstock produce @name@-orders --separator =",
        "penstock consume @name@-enriched",
        "customers",
    ),
    "processor": Template(
        "Reports sensors that are too hot, and those that have gone silent.",
        """echo 'boiler={"celsius": 95.0}' | penstock produce @name@-readings --separator =""",
        "penstock consume @name@-alerts",
        "last-seen",
    ),
}
"""The kinds of projects; the first is what is made unless another is asked for."""

# Where each file of `templates/` goes; those of a kind are in a folder of its name.
_SHARED = {
    "pyproject.toml.in": "pyproject.toml",
    "README.md.in": "README.md",
    "Dockerfile.in": "Dockerfile",
    "dockerignore.in": ".dockerignore",
    "gitignore.in": ".gitignore",
    "wheels.md.in": "wheels/README.md",
}
_OWN = {"app.py.in": "app.py", "test_app.py.in": "tests/test_app.py"}


def check_name(name: str) -> None:
    """Refuse a name that a project cannot have.

    Raises:
        StreamsError: the name cannot be used; the text says why and what to write.
    """
    if "/" in name or os.sep in name:
        msg = (
            f"a project's name must not be a path; got {name!r}; go to the folder first, then: "
            f"penstock init {_suggested(Path(name).name)}"
        )
        raise StreamsError(msg)
    if not _NAME.fullmatch(name) or len(name) > _LONGEST_NAME:
        msg = (
            "a project's name must be lower-case letters, digits, '-', '_' and '.', begin with a "
            f"letter, end with a letter or digit, and have at most {_LONGEST_NAME} characters; "
            f"got {name!r}; for example: penstock init {_suggested(name)}"
        )
        raise StreamsError(msg)
    if name in _RESERVED or name.replace("-", "_") in sys.stdlib_module_names:
        msg = (
            f"a project cannot be called {name!r}: Python or a package that it needs has that "
            f"name; for example: penstock init my-{name}"
        )
        raise StreamsError(msg)


def contents(name: str, kind: str, version: str) -> dict[str, str]:
    """Return the text of each file of a project, by its path in the project's folder."""
    template = TEMPLATES[kind]
    words = {
        "about": template.about,
        "produce": template.produce,
        "consume": template.consume,
        "store": template.store,
        "template": kind,
        "version": version,
        # Last: the commands hold it.
        "name": name,
    }
    folder = files(__package__) / "templates"
    places = {file: folder / file for file in _SHARED}
    places |= {file: folder / kind / file for file in _OWN}
    return {
        path: _filled(places[file].read_text(encoding="utf-8"), words)
        for file, path in (_SHARED | _OWN).items()
    }


def write(folder: Path, texts: Mapping[str, str]) -> None:
    """Write a project into a folder that is not there yet.

    Raises:
        StreamsError: there is something of that name, or it cannot be written.
    """
    if os.path.lexists(folder):
        raise StreamsError(_taken(folder))
    part = folder.with_name(f".{folder.name}.{os.getpid()}.part")
    try:
        part.mkdir()
        for path, text in texts.items():
            file = part / path
            file.parent.mkdir(exist_ok=True)
            file.write_text(text, encoding="utf-8", newline="\n")
        # Fails if another command has made the folder since.
        part.rename(folder)
    except OSError as error:
        if os.path.lexists(folder):
            raise StreamsError(_taken(folder)) from error
        msg = f"the project {str(folder)!r} cannot be written: {error.strerror or error}"
        raise StreamsError(msg) from error
    finally:
        shutil.rmtree(part, ignore_errors=True)


def project_around(folder: Path) -> Path | None:
    """Return the nearest folder, this one or above it, that is a project; None if there is none."""
    return next((each for each in (folder, *folder.parents) if _is_project(each)), None)


def inside(name: str, around: Path) -> str:
    """Say that a project was made inside another."""
    return (
        f"{name!r} is inside the project {str(around)!r}, which does not know of it: tools that "
        "are started there find the files of both; if that is not meant, move it: "
        f"mv {name} {shlex.quote(str(around.parent))}"
    )


def _is_project(folder: Path) -> bool:
    return os.path.isfile(folder / "pyproject.toml")


def _taken(folder: Path) -> str:
    return (
        f"there is a {folder.name!r} in {str(folder.parent)!r} already, and nothing is written "
        "over it; choose another name, or remove it first"
    )


def _filled(text: str, words: Mapping[str, str]) -> str:
    for word, value in words.items():
        text = text.replace(f"@{word}@", value)
    return text


def _suggested(name: str) -> str:
    """Return a name that will do, and looks like what was given."""
    near = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:_LONGEST_NAME].strip("-")
    return near if _NAME.fullmatch(near) else "my-project"
