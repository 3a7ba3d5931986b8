"""Where and how the server listens, from the settings of the application."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from penstock._engine.http.access import Access, host_name, is_address, is_loopback
from penstock._engine.http.address_file import is_token
from penstock.errors import ConfigError
from penstock.settings import StreamsConfig

WILDCARDS = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}
"""Addresses that mean all of a machine, each with its loopback address."""

_TOKEN_LENGTHS = range(16, 1001)


@dataclass(frozen=True, slots=True)
class Listening:
    """Where the server listens, what it asks for, and its certificate."""

    address: str
    port: int
    access: Access
    token_file: Path | None = None
    """The user's file that has the token, if there is one."""
    certificate: Path | None = None
    private_key: Path | None = None

    @property
    def scheme(self) -> str:
        return "http" if self.certificate is None else "https"


def listening_of(config: StreamsConfig) -> Listening | None:
    """Return how the settings want to be served; None: not at all.

    Raises:
        ConfigError: the server would listen for everybody, or a file is missing.
    """
    settings = config.as_mapping()
    port: int | None = settings["penstock.http.port"]
    if port is None:
        return None
    if port > 65_535:
        msg = f"setting 'penstock.http.port' must be at most 65535; got {port}"
        raise ConfigError(msg)
    address: str = settings["penstock.http.address"]
    wanted: str = settings["penstock.http.access"]
    if wanted == "no token on loopback" and not is_loopback(address):
        msg = (
            f"setting 'penstock.http.address' is {address!r}: others than this machine could read "
            "the state of the application without a token; leave 'penstock.http.access' at "
            "'token', or set it to 'no token anywhere' if that is meant"
        )
        raise ConfigError(msg)
    token, file = token_of(settings)
    if wanted != "token":
        token, file = None, None
    made = wanted == "token" and token is None
    names = _hosts(settings, address, config.application_server)
    access = Access(secrets.token_urlsafe(32) if made else token, names)
    certificate = file_of(settings, "penstock.http.certificate")
    key = file_of(settings, "penstock.http.private.key")
    if key is not None and certificate is None:
        msg = "setting 'penstock.http.private.key' needs 'penstock.http.certificate'"
        raise ConfigError(msg)
    return Listening(address, port, access, file, certificate, key)


def served_anywhere(config: StreamsConfig) -> StreamsConfig:
    """Return the settings with any free port, if they name none."""
    if config.as_mapping()["penstock.http.port"] is not None:
        return config
    return StreamsConfig({**config.given(), "penstock.http.port": 0})


def _hosts(
    settings: Mapping[str, Any], address: str, server: tuple[str, int] | None
) -> frozenset[str]:
    given = (settings["penstock.http.hosts"] or "").split(",")
    named = frozenset(_named_host(one.strip()) for one in given if one.strip())
    # Other drivers address it so.
    own = {address.lower()} if server is None else {address.lower(), server[0].lower()}
    return named | own


def _named_host(text: str) -> str:
    """Return the name that a Host header will have, of a name with or without a port."""
    name = text.lower() if is_address(text) else host_name(text)
    if name is None or re.search(r"[/\s?#@]", text):
        msg = (
            "setting 'penstock.http.hosts' must be host names with commas between them, as "
            f"'driver,driver.example'; got {text!r}; leave out the scheme and the path"
        )
        raise ConfigError(msg)
    return name


def token_of(settings: Mapping[str, Any]) -> tuple[str | None, Path | None]:
    """Return the token of the settings, and the file that has it; None if there is none.

    Raises:
        ConfigError: the file cannot be read, or has no token.
    """
    token: str | None = settings["penstock.http.token"]
    path = file_of(settings, "penstock.http.token.file")
    if token is not None and path is not None:
        msg = "give 'penstock.http.token' or 'penstock.http.token.file', not both"
        raise ConfigError(msg)
    named = "penstock.http.token"
    if path is not None:
        token, named = path.read_text("utf-8", "replace").strip(), f"the file {path}"
    if token is not None and not (is_token(token) and len(token) in _TOKEN_LENGTHS):
        msg = f"{named} must have a token of 16 to 1,000 characters, ASCII without blanks"
        raise ConfigError(msg)
    return token, path


def file_of(settings: Mapping[str, Any], key: str) -> Path | None:
    """Return the file that a setting names, None if it names none.

    Raises:
        ConfigError: it cannot be read.
    """
    if settings[key] is None:
        return None
    path = Path(settings[key])
    try:
        with path.open("rb"):
            return path
    except OSError as error:
        msg = f"setting {key!r}: the file {path} cannot be read: {error.strerror}"
        raise ConfigError(msg) from error
