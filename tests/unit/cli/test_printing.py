"""Tables, JSON and colours."""

from __future__ import annotations

import io

from penstock.cli.printing import Paint, indented, plural, table, to_json


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_columns_line_up_and_numbers_go_to_the_right() -> None:
    rows = [("a", 1_000, None), ("long name", None, 2)]
    assert table(("name", "count", "n"), rows) == [
        "name       count  n",
        "a          1,000  -",
        "long name      -  2",
    ]


def test_a_table_may_be_empty() -> None:
    assert table(("name", "count"), []) == ["name  count"]


def test_colours_are_for_terminals_only() -> None:
    environment = {"TERM": "xterm"}
    assert Paint(Terminal(), environment)("red", "no") == "\x1b[1;31mno\x1b[m"
    assert Paint(io.StringIO(), environment)("red", "no") == "no"
    assert Paint(Terminal(), {**environment, "NO_COLOR": "1"})("red", "no") == "no"
    assert Paint(Terminal(), {"TERM": "dumb"})("red", "no") == "no"


def test_words() -> None:
    assert [plural(count, "task") for count in (0, 1, 1200)] == ["0 tasks", "1 task", "1,200 tasks"]
    assert indented(["a", "b"]) == ["  a", "  b"]
    assert to_json({"ü": 1}) == '{\n  "ü": 1\n}'


def test_numbers_of_others_are_shown_without_commas() -> None:
    assert table(("key", "value"), [("a", 1234567), ("b", 2.5)], commas=False) == [
        "key    value",
        "a    1234567",
        "b        2.5",
    ]
