"""Asks the HTTP servers of the other drivers of an application.

Questions and answers are MessagePack of declared types, as between driver and workers. A question
goes to the driver that announced the address: the request names it, and a server of another driver
refuses. The token is sent to no server that did not prove itself by its certificate, if this driver
has one.
"""

from __future__ import annotations

import http.client
import os
import platform
import ssl
import threading
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from msgspec import structs

from penstock._clock import monotonic, new_id
from penstock._engine.control.drivers import Driver
from penstock._engine.control.forwarding import DriverNotAsked
from penstock._engine.control.protocol import wire
from penstock._engine.http.listening import file_of, token_of
from penstock._engine.http.replies import (
    ANSWER_BYTES_MAX,
    DRIVER_HEADER,
    MESSAGEPACK,
    QUESTION_BYTES_MAX,
    QUESTIONS_PATH,
)
from penstock._engine.http.serving import Serving
from penstock._engine.queries.questions import Answer, Question
from penstock.errors import ConfigError
from penstock.settings import StreamsConfig

_CONNECT_SECONDS = 2.0
# A driver that was asked says why it has no answer a moment after its time is over: that is less
# than there is, by this much, but never less than two thirds.
_GRACE_SECONDS = 2.0
# The last attempt of a question whose time is nearly over gets a chance.
_EXCHANGE_SECONDS_MIN = 0.5
# The server hangs up after 5 seconds.
_IDLE_SECONDS = 3.0
_IDLE_MAX = 8


def own_driver(config: StreamsConfig, serving: Serving | None) -> Driver:
    """Return how this driver announces itself: a new id, and where it is asked."""
    machine, server = platform.node(), config.application_server
    named = Driver(new_id(), f"{machine}/{os.getpid()}", host=server)
    if serving is None:
        return named
    url, is_reached = serving.reached_at(server)
    parts = urlsplit(url)
    host = server or (str(parts.hostname), int(parts.port or 0))
    return Driver(named.id, named.name, host=host, url=url, machine=None if is_reached else machine)


class _Idle(NamedTuple):
    connection: http.client.HTTPConnection
    until: float


class HttpDriverClient:
    """Asks other drivers with the token and the certificate of this one; any thread may call it.

    Raises:
        ConfigError: the file of the token or of the certificate cannot be read.
    """

    def __init__(self, config: StreamsConfig) -> None:
        settings = config.as_mapping()
        # A token that was made for this run is no other driver's: it stays here.
        self._token = token_of(settings)[0] if settings["penstock.http.access"] == "token" else None
        certificate = file_of(settings, "penstock.http.certificate")
        self._pinned = None if certificate is None else _first_certificate(certificate)
        """The certificate that all drivers may share, whatever names it has."""
        self._lock = threading.Lock()
        self._idle: dict[str, list[_Idle]] = {}

    def ask(self, driver: Driver, question: Question) -> Answer:
        """Return the answer of another driver, in the time of the question.

        Raises:
            DriverNotAsked: it has none; the message says why, and what to do.
        """
        url = self._address_of(driver)
        until = monotonic() + max(question.seconds, _EXCHANGE_SECONDS_MIN)
        seconds = question.seconds - min(_GRACE_SECONDS, question.seconds / 3)
        body = wire.encode(structs.replace(question, seconds=seconds))
        if len(body) > QUESTION_BYTES_MAX:
            msg = (
                f"a question to another driver may have {QUESTION_BYTES_MAX:,} bytes; ask for less"
            )
            raise DriverNotAsked(msg, again=False)
        try:
            status, answer = self._exchange(driver, url, body, until)
        except (OSError, ValueError, http.client.HTTPException) as error:
            msg = f"{_shown(driver)} does not answer: {error or type(error).__name__}"
            untrusted = isinstance(error, ssl.SSLCertVerificationError)
            raise DriverNotAsked(msg, again=not untrusted) from error
        if status != 200:
            raise _refusal(driver, status, answer)
        try:
            return wire.decode(answer, Answer)
        except wire.WireError as error:
            msg = f"{_shown(driver)} sent no answer: {error}"
            raise DriverNotAsked(msg, again=True) from error

    def close(self) -> None:
        """Hang up."""
        with self._lock:
            idle, self._idle = self._idle, {}
        for connections in idle.values():
            for one in connections:
                one.connection.close()

    def _address_of(self, driver: Driver) -> str:
        url = driver.url
        if url is None:
            msg = (
                f"it is with another driver, {driver.name}, which has no HTTP server; set "
                "'penstock.http.port' for all drivers (it needs penstock[http])"
            )
            raise DriverNotAsked(msg, again=False)
        if driver.machine not in {None, platform.node()}:
            msg = (
                f"it is with {_shown(driver)}, which only its own machine reaches; set "
                "'penstock.http.address' there, and 'application.server' to its host and port"
            )
            raise DriverNotAsked(msg, again=False)
        scheme = "http" if self._pinned is None else "https"
        if urlsplit(url).scheme not in {scheme, "https"} or not urlsplit(url).hostname:
            msg = (
                f"it is with {_shown(driver)}, which serves no HTTPS as this driver does; set "
                "'penstock.http.certificate' for all drivers"
            )
            raise DriverNotAsked(msg, again=False)
        return url

    def _exchange(self, driver: Driver, url: str, body: bytes, until: float) -> tuple[int, bytes]:
        headers = {"Content-Type": MESSAGEPACK, DRIVER_HEADER: driver.id}
        if self._token is not None:
            headers["Authorization"] = f"Bearer {self._token}"
        used = self._take(url)
        if used is not None:
            try:
                return self._post(url, used, body, headers, until)
            except (ConnectionError, http.client.BadStatusLine):
                pass  # the server had hung up; a read may be asked again
        return self._post(url, self._connected(url, until), body, headers, until)

    def _post(
        self,
        url: str,
        connection: http.client.HTTPConnection,
        body: bytes,
        headers: dict[str, str],
        until: float,
    ) -> tuple[int, bytes]:
        try:
            connection.sock.settimeout(_left(until))
            connection.request("POST", QUESTIONS_PATH, body, headers)
            response = connection.getresponse()
            answer = response.read(ANSWER_BYTES_MAX + 1)
            if len(answer) > ANSWER_BYTES_MAX:
                msg = f"the answer has more than {ANSWER_BYTES_MAX:,} bytes"
                raise http.client.HTTPException(msg)
        except BaseException:
            connection.close()
            raise
        if response.will_close:
            connection.close()
        else:
            self._keep(url, connection)
        return response.status, answer

    def _connected(self, url: str, until: float) -> http.client.HTTPConnection:
        parts = urlsplit(url)
        host, port = str(parts.hostname), parts.port
        seconds = min(_CONNECT_SECONDS, _left(until))
        if parts.scheme == "http":
            connection = http.client.HTTPConnection(host, port, timeout=seconds)
            connection.connect()
            return connection
        if self._pinned is not None:
            anyone = ssl.create_default_context()
            anyone.check_hostname, anyone.verify_mode = False, ssl.CERT_NONE
            shown = http.client.HTTPSConnection(host, port, timeout=seconds, context=anyone)
            shown.connect()
            if shown.sock.getpeercert(binary_form=True) == self._pinned:
                return shown
            shown.close()
        # Another certificate must be for this host, by an authority that the system trusts.
        trusted = http.client.HTTPSConnection(host, port, timeout=seconds)
        trusted.connect()
        return trusted

    def _take(self, url: str) -> http.client.HTTPConnection | None:
        with self._lock:
            idle = self._idle.get(url, [])
            while idle:
                one = idle.pop()
                if one.until > monotonic():
                    return one.connection
                one.connection.close()
        return None

    def _keep(self, url: str, connection: http.client.HTTPConnection) -> None:
        with self._lock:
            self._drop_old()
            idle = self._idle.setdefault(url, [])
            if len(idle) < _IDLE_MAX:
                idle.append(_Idle(connection, monotonic() + _IDLE_SECONDS))
                return
        connection.close()

    def _drop_old(self) -> None:
        """Close connections that were idle for too long, also to drivers that have ended."""
        now = monotonic()
        for url, idle in list(self._idle.items()):
            for one in [one for one in idle if one.until <= now]:
                idle.remove(one)
                one.connection.close()
            if not idle:
                del self._idle[url]


def _left(until: float) -> float:
    """Return the seconds until then, which a socket can be told: 0 would mean not to wait."""
    return max(0.001, until - monotonic())


def _first_certificate(file: Path) -> bytes:
    """Return the certificate that a server with this file shows.

    Raises:
        ConfigError: there is none in it.
    """
    begin, end = "-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----"
    _, found, rest = file.read_text("utf-8", "replace").partition(begin)
    if not found or end not in rest:
        msg = f"setting 'penstock.http.certificate': there is no certificate in {file}"
        raise ConfigError(msg)
    return ssl.PEM_cert_to_DER_cert(f"{begin}{rest.partition(end)[0]}{end}\n")


def _refusal(driver: Driver, status: int, answer: bytes) -> DriverNotAsked:
    if status == 401:
        msg = (
            f"it is with {_shown(driver)}, which refuses the token of this one; set the same "
            "'penstock.http.token' or 'penstock.http.token.file' for all drivers"
        )
        return DriverNotAsked(msg, again=False)
    said = answer[:500].decode("utf-8", "replace").strip()
    msg = f"{_shown(driver)} answered {status}: {said}"
    return DriverNotAsked(msg, again=status in {421, 503})


def _shown(driver: Driver) -> str:
    return f"driver {driver.name} at {driver.url}"
