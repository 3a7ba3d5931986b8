"""How values of settings are read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from penstock.settings import parsing


class Setter:
    def set(self) -> None: ...


@pytest.mark.parametrize(
    ("parse", "value", "expected"),
    [
        (parsing.text, "a", "a"),
        (parsing.names, "a.x, b[].y ,", ("a.x", "b[].y")),
        (parsing.names, ["a.x", "b.y"], ("a.x", "b.y")),
        (parsing.application_id, "a.B_c-9", "a.B_c-9"),
        (parsing.servers, "a:1, b:2", "a:1,b:2"),
        (parsing.servers, ("a:1",), "a:1"),
        (parsing.servers, "[::1]:9092", "[::1]:9092"),
        (parsing.endpoint, "localhost:8080", "localhost:8080"),
        (parsing.endpoint, "[::1]:65535", "[::1]:65535"),
        (parsing.at_least(0), "12", 12),
        (parsing.at_least(-1), -1, -1),
        (parsing.replication_factor, "3", 3),
        (parsing.truth, True, True),
        (parsing.truth, "False", False),
        (parsing.one_of("a", "b"), "b", "b"),
        (parsing.one_of_any_case("DEFAULT", "HEADERS"), "Headers", "HEADERS"),
        (parsing.optimization, "all", "all"),
        (
            parsing.optimization,
            "merge.repartition.topics,single.store.self.join",
            "merge.repartition.topics,single.store.self.join",
        ),
    ],
)
def test_a_value_is_read(parse: Callable[[Any], Any], value: Any, expected: Any) -> None:
    assert parse(value) == expected


@pytest.mark.parametrize(
    ("parse", "value"),
    [
        (parsing.text, ""),
        (parsing.text, 5),
        (parsing.application_id, "a b"),
        (parsing.application_id, "a" * 201),
        (parsing.names, 5),
        (parsing.servers, "a"),
        (parsing.servers, []),
        (parsing.servers, 5),
        (parsing.servers, [5]),
        (parsing.endpoint, "localhost"),
        (parsing.endpoint, ":8080"),
        (parsing.endpoint, "localhost:"),
        (parsing.endpoint, "localhost:0"),
        (parsing.endpoint, "localhost:65536"),
        (parsing.endpoint, "http://localhost:80"),
        (parsing.endpoint, "::1:80"),
        (parsing.endpoint, 80),
        (parsing.at_least(0), -1),
        (parsing.at_least(0), "1.5"),
        (parsing.at_least(0), True),
        (parsing.at_least(0), None),
        (parsing.replication_factor, 0),
        (parsing.truth, "yes"),
        (parsing.truth, 1),
        (parsing.one_of("a", "b"), "c"),
        (parsing.one_of("a", "b"), None),
        (parsing.optimization, ""),
        (parsing.optimization, "none,all"),
        (parsing.instance_of("a setter", "set"), 5),
        (parsing.instance_of("a setter", "set"), "no_such_module:Setter"),
        (parsing.instance_of("a setter", "set"), "pathlib:Setter"),
        (parsing.instance_of("a setter", "set"), "Setter"),
    ],
)
def test_anything_else_is_refused_with_what_it_must_be(
    parse: Callable[[Any], Any], value: Any
) -> None:
    with pytest.raises(ValueError, match=r"^must be "):
        parse(value)


def test_an_object_its_class_and_its_name_are_one() -> None:
    parse = parsing.instance_of("a setter", "set", Setter)
    given = Setter()
    assert parse(given) is given
    assert isinstance(parse(Setter), Setter)
    assert isinstance(parse("org.example.Setter"), Setter)
