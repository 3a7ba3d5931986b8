"""Serdes by name, for settings."""

from __future__ import annotations

from typing import Any

import pytest

from penstock import serdes
from penstock.errors import ConfigError
from penstock.serdes import Serde

NAMES = [
    "string",
    "bytes",
    "short",
    "integer",
    "long",
    "float",
    "double",
    "boolean",
    "uuid",
    "void",
    "json",
]
JAVA_CLASSES = [
    ("StringSerde", serdes.string()),
    ("ByteArraySerde", serdes.bytes()),
    ("BytesSerde", serdes.bytes()),
    ("ByteBufferSerde", serdes.bytes()),
    ("ShortSerde", serdes.short()),
    ("IntegerSerde", serdes.integer()),
    ("LongSerde", serdes.long()),
    ("FloatSerde", serdes.float()),
    ("DoubleSerde", serdes.double()),
    ("BooleanSerde", serdes.boolean()),
    ("UUIDSerde", serdes.uuid()),
    ("VoidSerde", serdes.void()),
]


class Own(Serde[str]):
    pass


def refusal(spec: object) -> str:
    with pytest.raises(ConfigError) as caught:
        serdes.resolve(spec)
    return str(caught.value)


@pytest.mark.parametrize("name", NAMES)
def test_each_name_means_the_function_of_that_name(name: str) -> None:
    assert serdes.resolve(name) == getattr(serdes, name)()


@pytest.mark.parametrize(("name", "serde"), JAVA_CLASSES)
def test_java_class_names_are_understood(name: str, serde: Serde[Any]) -> None:
    package = "org.apache.kafka.common.serialization"

    for written in (f"{package}.Serdes${name}", f"{package}.Serdes.{name}", f"Serdes.{name}"):
        assert serdes.resolve(written) == serde


def test_a_serde_is_itself() -> None:
    serde = Own()

    assert serdes.resolve(serde) is serde


@pytest.mark.parametrize(
    ("name", "nearest"),
    [("strng", "string"), ("String", "string"), ("Serdes.LogSerde", "long"), ("int", "integer")],
)
def test_an_unknown_name_is_told_the_nearest(name: str, nearest: str) -> None:
    assert f"unknown serde {name!r}; did you mean {nearest!r}?" in refusal(name)


def test_an_unknown_name_is_told_all_names() -> None:
    assert refusal("com.example.OrderSerde") == (
        "unknown serde 'com.example.OrderSerde'; known names: 'string', 'bytes', 'short', "
        "'integer', 'long', 'float', 'double', 'boolean', 'uuid', 'void', 'json', "
        "and Java's, like 'Serdes.StringSerde'"
    )


def test_other_things_are_refused_with_a_hint() -> None:
    assert refusal(5) == "serde must be a Serde or the name of one; got 5"
    assert refusal(Own).endswith("; give an object: Own()")
    assert refusal(serdes.long).endswith("; write serdes.long()")
