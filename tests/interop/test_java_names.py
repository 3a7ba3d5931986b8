"""The page of Java's methods and settings leaves none out: the real classes are asked."""

from __future__ import annotations

import pytest

from scripts.reference.java_classes import has_javap, methods, settings
from scripts.reference.java_page import java_api

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not has_javap(), reason="there is no JDK here"),
]


def test_the_methods_on_the_page_are_those_of_the_jars() -> None:
    assert methods() == java_api()["types"]


def test_the_settings_on_the_page_are_those_of_the_jars() -> None:
    assert settings() == java_api()["settings"]
