"""The start of the server with an application, and its end."""

from __future__ import annotations

import logging
import socket
from contextlib import suppress
from pathlib import Path

from penstock._engine.http.access import is_loopback
from penstock._engine.http.address_file import ServedAt, remove_address, write_address
from penstock._engine.http.listening import WILDCARDS, listening_of
from penstock._engine.http.served import Application
from penstock.errors import ConfigError
from penstock.settings import StreamsConfig

_log = logging.getLogger(__name__)

# Of documentation alone: a socket that is connected to it sends nothing, and has the address by
# which this machine speaks to others.
_ELSEWHERE = {"127.0.0.1": ("192.0.2.1", socket.AF_INET), "::1": ("2001:db8::1", socket.AF_INET6)}


class Serving:
    """A server that runs, and the file that says where."""

    def __init__(self, application: Application, config: StreamsConfig, directory: Path) -> None:
        listening = listening_of(config)
        assert listening is not None
        try:
            from penstock._engine.http.server import HttpServer  # noqa: PLC0415
        except ImportError as error:
            msg = (
                "the console and setting 'penstock.http.port' need packages that are missing "
                f"({error.name}); install them: pip install 'penstock[http]'"
            )
            raise ConfigError(msg) from error
        self._server = HttpServer(application, listening)
        self._access = listening.access
        self._address = listening.address
        certificate = listening.certificate
        served = ServedAt(
            self._server.url,
            listening.access.token,
            None if certificate is None else str(certificate.resolve()),
        )
        try:
            self._file = write_address(directory, served)
        except OSError as error:
            self._server.close()
            msg = (
                f"the address of the HTTP server cannot be written to {directory}: "
                f"{error.strerror}; check 'state.dir', its free space and its permissions"
            )
            raise ConfigError(msg) from error
        self.url = self._server.url
        """For clients on this machine."""
        self._shown_url = self.url
        self._where = ""
        if self._address in WILDCARDS:
            server = config.application_server
            is_named = server is not None and not is_loopback(server[0])
            host = server[0] if server and is_named else _own_address(WILDCARDS[self._address])
            self._shown_url = _with_host(self.url, host)
            self._where = " on all interfaces of this machine"
        self.token_file = None
        if listening.access.token is not None:
            self.token_file = str(listening.token_file or self._file)
        if certificate is None and self.token_file and not is_loopback(self._address):
            _log.warning(
                "the HTTP server at %s has no certificate: its token and the state cross the "
                "network readable; set 'penstock.http.certificate', or leave "
                "'penstock.http.address' at 127.0.0.1 and use a tunnel",
                self._shown_url,
            )

    def line(self) -> str:
        """Return a line that says where the server is and where its token."""
        token = "no token is needed" if self.token_file is None else f"token in {self.token_file}"
        return f"state over HTTP: {self._shown_url}{self._where} ({token})"

    def console_link(self) -> str:
        """Return the address of the console; where a token is needed, one that works once."""
        if self._access.token is None:
            return f"{self._shown_url}/"
        return f"{self._shown_url}/#{self._access.logins.new_code()}"

    def console_line(self, *, to_terminal: bool) -> str:
        """Return a line that says where the console is. Only a terminal gets a link that lets a
        browser in: what goes elsewhere is kept, and read by others.
        """
        if to_terminal or self.token_file is None:
            return f"console: {self.console_link()}{self._where}"
        return f"console: {self._shown_url}/{self._where} (token in {self.token_file})"

    def figures(self) -> dict[str, str | None]:
        """Return the same for the progress."""
        return {"address": self.url, "tokenFile": self.token_file}

    def reached_at(self, server: tuple[str, int] | None) -> tuple[str, bool]:
        """Return the address for other drivers, and whether their machines reach it: not if it is
        loopback, nor if the server listens at all addresses and none is known by name. `server` is
        the `application.server`: its host is this machine, its port may be another server's.
        """
        if is_loopback(self._address) or (server is not None and is_loopback(server[0])):
            return self.url, False
        if server is not None:
            return _with_host(self.url, server[0]), True
        return self.url, self._address not in WILDCARDS

    def close(self) -> None:
        """End the server."""
        remove_address(self._file)
        self._server.close()


def _with_host(url: str, host: str) -> str:
    """Return the address of a server with another name of its machine."""
    scheme, port = url.partition(":")[0], url.rpartition(":")[2]
    return f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}"


def _own_address(loopback: str) -> str:
    """Return the address in digits by which others reach this machine; `loopback` if it is on no
    network. A server takes addresses in digits whatever names it was given.
    """
    place, family = _ELSEWHERE[loopback]
    with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as asked:
        asked.connect((place, 9))
        return str(asked.getsockname()[0])
    return loopback


def serve(application: Application, config: StreamsConfig, directory: Path) -> Serving | None:
    """Start the server if the settings want one.

    Raises:
        ConfigError: the settings are wrong, or the server cannot listen there.
    """
    if config.as_mapping()["penstock.http.port"] is None:
        return None
    return Serving(application, config, directory)
