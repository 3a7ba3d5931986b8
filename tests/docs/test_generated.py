"""Pictures and reference pages are what the code makes of them today."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from penstock._camel_case import snake_case
from scripts.pictures import commits
from scripts.pictures.__main__ import FOLDER as PICTURES_FOLDER
from scripts.pictures.__main__ import PICTURES
from scripts.reference.__main__ import FOLDER as PAGES_FOLDER
from scripts.reference.__main__ import PAGES
from scripts.reference.java_names import NAMES, OURS
from scripts.reference.java_page import MISSING, java_api, translation
from scripts.reference.names import NoSuchNameError, attributes, public_types, reached
from tests.crash.test_commit_steps import CRASH_POINTS
from tests.docs.blocks import name_of, pages

AGAIN = "run: python -m scripts.{}"


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_drawn_from_the_code_of_today(name: str) -> None:
    drawn = PICTURES[name]()
    assert (PICTURES_FOLDER / name).read_text("utf-8") == drawn, AGAIN.format("pictures")
    ElementTree.fromstring(drawn)


@pytest.mark.parametrize("name", PAGES)
def test_a_reference_page_is_written_from_the_code_of_today(name: str) -> None:
    assert (PAGES_FOLDER / name).read_text("utf-8") == PAGES[name](), AGAIN.format("reference")


def test_every_picture_is_on_a_page() -> None:
    text = "".join(page.read_text("utf-8") for page in pages())
    assert [name for name in PICTURES if f"pictures/{name}" not in text] == []
    assert {path.name for path in PICTURES_FOLDER.iterdir()} == set(PICTURES)


def test_the_points_at_which_workers_are_killed_are_those_of_the_tests() -> None:
    assert tuple(commits.crash_points()) == CRASH_POINTS


def test_what_is_said_to_be_missing_is_missing() -> None:
    types = public_types()
    there = [
        f"{java}.{method}"
        for java, methods in java_api()["types"].items()
        for method in methods
        if translation(java, method).startswith(MISSING)
        and (owner := types.get(OURS.get(java, java))) is not None
        and snake_case(method) in attributes(owner)
    ]
    assert there == []


def test_no_translation_is_of_a_method_that_java_has_not() -> None:
    api = java_api()["types"]
    unknown = {
        f"{java}.{name}" for java, names in NAMES.items() for name in set(names) - {*api[java]}
    }
    assert unknown == set()


def test_names_within_a_reason_exist_too() -> None:
    for names in NAMES.values():
        for said in names.values():
            if said.startswith(MISSING):
                for name in re.findall(r"`([A-Z]\w+\.[^`]+)`", said):
                    list(reached(name))


@pytest.mark.parametrize("wrong", ["KStream.mapValues", "Consumed(keys=...)", "KStreem.map"])
def test_a_name_that_does_not_exist_would_be_noticed(wrong: str) -> None:
    with pytest.raises(NoSuchNameError):
        list(reached(wrong))


def test_names_in_the_middle_of_a_sentence_exist() -> None:
    """`Materialized(retention=...)`, `KafkaStreams.progress`: as far as they begin with a class of
    ours. Pages that speak Java are left out.
    """
    wrong = []
    for page in pages():
        if page.name == "java.md" or page.parent.name == "decisions":
            continue
        prose = re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.M | re.S)
        for name in re.findall(r"`([A-Z]\w+(?:\.\w+)?(?:\([^`]*\))?)`", prose):
            if re.split(r"[.(]", name)[0] not in public_types():
                continue
            try:
                list(reached(name))
            except (NoSuchNameError, SyntaxError):
                wrong.append(f"{name_of(page)}: {name}")
    assert wrong == []
