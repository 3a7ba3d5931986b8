"""Settings from files and from the environment."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import penstock
from penstock.errors import ConfigError
from penstock.settings.sources import read_environment, read_file, read_properties


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a=1\nb = 2\nc:3\nd 4\n", {"a": "1", "b": "2", "c": "3", "d": "4"}),
        ("# no\n! no\n\n  a=1", {"a": "1"}),
        ("a=one, \\\n    two", {"a": "one, two"}),
        ("a=1\\\\\nb=2", {"a": "1\\", "b": "2"}),
        ("a", {"a": ""}),
        ("a=x=y:z", {"a": "x=y:z"}),
        (r"a\=b=c", {"a=b": "c"}),
        (r"a=\u00e4\tb\n", {"a": "ä\tb\n"}),
        (r"a=\q", {"a": "q"}),
        ("a=1 ", {"a": "1 "}),
        ("a=1\na=2", {"a": "2"}),
        ("a=1\\", {"a": "1"}),
        ("", {}),
    ],
)
def test_properties_are_read_as_java_reads_them(text: str, expected: dict[str, str]) -> None:
    assert read_properties(text) == expected


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("a.yaml", "", "must end in .toml or .properties"),
        ("a.toml", "a = ", "cannot be read: "),
        ("a.properties", r"a=\u12", r"cannot be read: \\u must be followed by four hexadecimal"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused(
    tmp_path: Path, name: str, text: str, reason: str
) -> None:
    file = tmp_path / name
    file.write_text(text)
    with pytest.raises(ConfigError, match=f"^settings file '{re.escape(str(file))}' {reason}"):
        read_file(file)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"cannot be read: .*No such file"):
        read_file(tmp_path / "no.toml")


def test_variables_are_settings_unless_they_are_for_something_else() -> None:
    variables = {
        "PENSTOCK_POLL_MS": "5",
        "PENSTOCK_CACHE": "/cache",
        "PENSTOCK_SERVICE_HOST": "10.0.0.1",
        "PENSTOCK_PORT_80_TCP": "tcp://10.0.0.1:80",
        "POLL_MS": "6",
    }
    assert read_environment(variables) == {"poll_ms": "5"}


def test_variables_of_the_project_itself_are_no_settings() -> None:
    sources = Path(penstock.__file__).parent.rglob("*.py")
    names = {
        name
        for file in sources
        if file.parent.name != "settings"
        for name in re.findall(r'"(PENSTOCK_[A-Z_]+[A-Z])"', file.read_text())
    }
    assert read_environment(dict.fromkeys(names, "")) == {}


def of_service(name: str, port: str) -> dict[str, str]:
    """Return the variables that Kubernetes sets for a service with one port."""
    address = f"tcp://10.0.0.1:{port}"
    return {
        f"{name}_SERVICE_HOST": "10.0.0.1",
        f"{name}_SERVICE_PORT": port,
        f"{name}_SERVICE_PORT_KAFKA": port,
        f"{name}_PORT": address,
        f"{name}_PORT_{port}_TCP": address,
        f"{name}_PORT_{port}_TCP_PROTO": "tcp",
        f"{name}_PORT_{port}_TCP_PORT": port,
        f"{name}_PORT_{port}_TCP_ADDR": "10.0.0.1",
    }


def test_variables_of_a_kubernetes_service_are_no_settings() -> None:
    services = {**of_service("PENSTOCK_BROKER", "9092"), **of_service("PENSTOCK_HTTP", "80")}
    assert read_environment({**services, "PENSTOCK_POLL_MS": "5"}) == {"poll_ms": "5"}
    assert read_environment({**services, "PENSTOCK_HTTP_PORT": "8080"}) == {"http_port": "8080"}


def test_what_only_looks_like_a_service_is_a_wrong_setting() -> None:
    variables = {
        "PENSTOCK_BROKER_SERVICE_PORT": "9092",
        "PENSTOCK_HTTP_PORT_80_TCP": "tcp://10.0.0.1:80",
        "PENSTOCK_HTTTP_PORT": "8080",
    }
    assert len(read_environment(variables)) == 3
    beside = {**of_service("PENSTOCK_HTTTP", "80"), "PENSTOCK_HTTTP_PORT": "8080"}
    assert read_environment(beside) == {"htttp_port": "8080"}
