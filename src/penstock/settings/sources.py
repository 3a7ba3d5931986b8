"""Settings from a file or from the environment, as a plain mapping of keys to values."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from penstock.errors import ConfigError

VARIABLE_PREFIX = "PENSTOCK_"
CLUSTER_VARIABLE = f"{VARIABLE_PREFIX}BOOTSTRAP_SERVERS"

# Variables that are no settings: the project's own, and those that Kubernetes sets in every
# container beside a service that is named penstock. Those of services such as penstock-broker are
# told by the host of the service; a name that only looks like one of them is a wrong setting.
_NO_SETTINGS = re.compile(
    r"PENSTOCK_(CACHE|CRASH_AT|HOME|NO_C|REQUIRE_C|RUN|TRACEBACK"
    r"|SERVICE_HOST|SERVICE_PORT(_.*)?|PORT(_.*)?)"
)


_SERVICE_HOST = "_SERVICE_HOST"
_OF_SERVICE = re.compile(
    r"SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?|PORT_[0-9]+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?"
)
_ADDRESS = re.compile(r"(tcp|udp|sctp)://.*")


def read_file(path: str | Path) -> dict[str, Any]:
    """Read a TOML file (`.toml`) or a Java properties file (`.properties`)."""
    file = Path(path)
    readers = {".toml": _read_toml, ".properties": read_properties}
    reader = readers.get(file.suffix)
    if reader is None:
        msg = f"settings file {str(file)!r} must end in .toml or .properties"
        raise ConfigError(msg)
    try:
        return reader(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        msg = f"settings file {str(file)!r} cannot be read: {reason}"
        raise ConfigError(msg) from error


def read_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the settings among the variables: `PENSTOCK_COMMIT_INTERVAL_MS` is commit_interval_ms.

    Names say nothing of dots and capitals, so all parts of a name are taken for parts of a key.
    """
    services = [
        name.removesuffix(_SERVICE_HOST) + "_"
        for name in environment
        if name.endswith(_SERVICE_HOST)
    ]
    return {
        name.removeprefix(VARIABLE_PREFIX).lower(): value
        for name, value in environment.items()
        if name.startswith(VARIABLE_PREFIX)
        and not _NO_SETTINGS.fullmatch(name)
        and not any(_is_of_service(name, value, service) for service in services)
    }


def _is_of_service(name: str, value: str, service: str) -> bool:
    """Yes if Kubernetes sets the variable for a service, whose variables begin with `service`. Its
    port may be called as a setting (PENSTOCK_HTTP_PORT): then the value tells.
    """
    rest = name.removeprefix(service)
    if rest == name:
        return False
    return bool(_OF_SERVICE.fullmatch(rest) or (rest == "PORT" and _ADDRESS.fullmatch(value)))


def read_properties(text: str) -> dict[str, Any]:
    """Read Java's format: `key=value`, `key: value` or `key value`, escapes, lines that go on."""
    return dict(map(_split_property, _logical_lines(text)))


def _read_toml(text: str) -> dict[str, Any]:
    return dict(_flat(tomllib.loads(text), ""))


def _flat(table: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    """Return dotted keys for nested tables: `commit.interval.ms = 100` is three tables in TOML."""
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value


def _logical_lines(text: str) -> Iterator[str]:
    pending = ""
    for line in text.splitlines():
        stripped = line.lstrip(" \t\f")
        if not pending and (not stripped or stripped[0] in "#!"):
            continue
        pending += stripped
        if _ends_escaped(pending):
            pending = pending[:-1]
            continue
        yield pending
        pending = ""
    if pending:
        yield pending


def _ends_escaped(line: str) -> bool:
    return (len(line) - len(line.rstrip("\\"))) % 2 == 1


def _split_property(line: str) -> tuple[str, str]:
    match = re.match(r"((?:\\.|[^\\=: \t\f])*)[ \t\f]*[=:]?[ \t\f]*(.*)", line, re.DOTALL)
    assert match is not None  # every part may be empty
    key, value = match.groups()
    return _unescaped(key), _unescaped(value)


def _unescaped(text: str) -> str:
    plain = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}

    def replaced(match: re.Match[str]) -> str:
        code, character = match.groups()
        if code:
            return chr(int(code, 16))
        if character == "u":
            msg = "\\u must be followed by four hexadecimal digits"
            raise ValueError(msg)
        return plain.get(character, character)

    return re.sub(r"\\(?:u([0-9a-fA-F]{4})|(.))", replaced, text, flags=re.DOTALL)
