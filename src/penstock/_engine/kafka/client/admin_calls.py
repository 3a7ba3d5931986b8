"""Admin requests with retries: faults that may pass are retried for a while.

The client reports a refused connection through its error callback only, while requests just time
out. So `open_admin` first checks that there is a connection at all.
"""

from __future__ import annotations

import logging
import re
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import Any, TypeVar, cast

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import AdminClient

from penstock import _clock as clock
from penstock._engine.kafka.client.client_errors import BrokerAway, code_of, is_retriable
from penstock._engine.kafka.client.clients import admin_settings
from penstock._engine.kafka.client.refused_connections import advice, client_refused, is_refusal
from penstock.errors import ConfigError, StreamsError
from penstock.settings import StreamsConfig

__all__ = [
    "REQUEST_SECONDS",
    "AdminClient",
    "RenewedAdmin",
    "ask_coordinator",
    "open_admin",
    "renewed_admin",
    "settle",
    "until",
    "with_retries",
]

K = TypeVar("K")
T = TypeVar("T")

_log = logging.getLogger(__name__)

REQUEST_SECONDS = 10.0
"""How long one request may take."""

_PAUSE_SECONDS = 0.2
_SILENT_SECONDS = 2.0
_GREETING_SECONDS = 1.0
_RENEWAL_SECONDS = 10.0
_ANSWER_SECONDS = 5.0

# The longest that the client takes.
_COORDINATOR_SECONDS = 3600.0

# What the client adds about itself: (after 0ms in state CONNECT, 3 identical error(s) suppressed)
_IN_PASSING = re.compile(r" \(after \d+ms in state [^()]*(\(s\)[^()]*)?\)")


def open_admin(config: StreamsConfig) -> AdminClient:
    """Return an admin client that the cluster has answered.

    Raises:
        ConfigError: the cluster refuses the connection, as with a wrong password, or no host of
            `bootstrap.servers` is known.
        StreamsError: no broker answers until `task.timeout.ms`.
    """
    faults: list[KafkaError] = []
    settings: dict[str, Any] = {**admin_settings(config), "error_cb": faults.append}
    try:
        admin = AdminClient(settings)
    except KafkaException as error:
        raise client_refused(error, config) from None
    timeout_seconds = config.task_timeout_ms / 1000
    deadline = clock.monotonic() + timeout_seconds
    warned = False
    while (silence := _greet(admin)) is not None:
        reason = config.without_secrets(_why(faults, silence))
        if any(map(is_refusal, faults)):
            msg = (
                f"the Kafka cluster at {config.bootstrap_servers} refuses the connection, or is "
                f"not trusted: {reason}; {advice(reason, settings)}"
            )
            raise ConfigError(msg)
        if _hosts_are_unknown(config.bootstrap_servers, faults):
            msg = (
                f"no host of 'bootstrap.servers' is known here: {reason}; is the name right, and "
                "does this machine, or container, know it?"
            )
            raise ConfigError(msg)
        if clock.monotonic() >= deadline:
            msg = (
                f"the Kafka cluster at {config.bootstrap_servers} does not answer: {reason}; is it "
                "up, is 'bootstrap.servers' right, and does 'security.protocol' fit its listener?"
            )
            raise StreamsError(msg)
        if not warned:
            _log.warning(
                "the Kafka cluster at %s does not answer yet: %s; waiting up to %.0f s",
                config.bootstrap_servers,
                reason,
                timeout_seconds,
            )
        warned = True
    return cast("AdminClient", RenewedAdmin(lambda: AdminClient(admin_settings(config)), admin))


def _hosts_are_unknown(servers: str, faults: list[KafkaError]) -> bool:
    """Return whether no name among `servers` exists. A name server that fails for the moment is
    waited for.
    """
    unknown = [
        fault.str()
        for fault in faults
        if fault.code() == KafkaError._RESOLVE and "Temporary failure" not in fault.str()
    ]
    names = [server.strip() for server in servers.split(",") if server.strip()]
    # The client names a host in quotes, with its port.
    return bool(names) and all(any(f"'{name}'" in said for said in unknown) for name in names)


def _greet(admin: AdminClient) -> KafkaError | None:
    """Return None if the cluster answers."""
    try:
        admin.list_topics(timeout=_GREETING_SECONDS)
    except KafkaException as error:
        admin.poll(0)  # now the faults come in
        return code_of(error)
    return None


def _why(faults: list[KafkaError], silence: KafkaError) -> str:
    """Return the most telling fault: a refusal, or the last that is more than 'all are down'."""
    refusals = [fault for fault in faults if is_refusal(fault)]
    telling = [fault for fault in faults if fault.code() != KafkaError._ALL_BROKERS_DOWN]
    said = (refusals or telling or [silence])[-1].str()
    return _IN_PASSING.sub("", said)


class RenewedAdmin:
    """An admin client that is replaced when the cluster does not answer it: after a broker stood
    still, or after all connections were reset at once, one of librdkafka may never find a broker or
    a coordinator again.
    """

    def __init__(self, make: Callable[[], AdminClient], admin: AdminClient | None = None) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._admin = admin
        self._made_at = clock.monotonic()
        self._replaced: list[tuple[float, AdminClient]] = []
        """Kept while requests of other threads may wait in them, which would fail with them."""

    def __getattr__(self, name: str) -> Any:
        with self._lock:
            if self._admin is None:
                self._admin = self._make()
                self._made_at = clock.monotonic()
            admin, _ended = self._admin, self._take_ended()
        # Those that ended go here, outside of the lock: that may take seconds.
        return getattr(admin, name)

    def renew(self) -> None:
        """Replace the client, unless it is so new that it may still be connecting."""
        with self._lock:
            now = clock.monotonic()
            if self._admin is not None and now - self._made_at >= _RENEWAL_SECONDS:
                self._replaced.append((now, self._admin))
                self._admin = None

    def _take_ended(self) -> list[tuple[float, AdminClient]]:
        """Remove the clients that were replaced so long ago that no request waits in them."""
        if not self._replaced:
            return []
        answered = clock.monotonic() - REQUEST_SECONDS - _ANSWER_SECONDS
        ended = [one for one in self._replaced if one[0] <= answered]
        self._replaced = [one for one in self._replaced if one[0] > answered]
        return ended


def renewed_admin(config: StreamsConfig) -> AdminClient:
    """Return an admin client that `with_retries` replaces when the cluster does not answer it."""
    return cast("AdminClient", RenewedAdmin(lambda: AdminClient(admin_settings(config))))


def with_retries(
    what: str, ask: Callable[[], T], timeout_seconds: float, admin: object = None
) -> T:
    """Return the result of `ask`, called again after faults that may pass; the `admin` that it
    uses is renewed before.

    Raises:
        BrokerAway: the fault did not pass in time; it begins with `what` could not be done.
        KafkaException: the cluster refused.
    """
    began = clock.monotonic()
    deadline = began + timeout_seconds
    warned = False
    while True:
        try:
            return ask()
        except KafkaException as error:
            fault = code_of(error)
            if not is_retriable(fault):
                raise
            if isinstance(admin, RenewedAdmin):
                admin.renew()
            if not warned and clock.monotonic() - began >= _SILENT_SECONDS:
                _log.warning("%s is not possible now, trying on: %s", what, fault.str())
                warned = True
            if clock.monotonic() >= deadline:
                msg = (
                    f"{what} was not possible within {timeout_seconds:.0f} s: {fault.str()}; "
                    "is the Kafka cluster at 'bootstrap.servers' up, and do the security settings "
                    "fit it?"
                )
                raise BrokerAway(msg) from error
        time.sleep(_PAUSE_SECONDS)


def until(true: Callable[[], bool], timeout_seconds: float) -> bool:
    """Wait until a condition is true; return False if it was not in time."""
    deadline = clock.monotonic() + timeout_seconds
    while not true():
        if clock.monotonic() >= deadline:
            return False
        time.sleep(_PAUSE_SECONDS)
    return True


def ask_coordinator(
    call: Callable[..., Mapping[K, Future[Any]]], asked: list[Any], **options: Any
) -> tuple[dict[K, Any], dict[K, KafkaError]]:
    """Return what `settle` does of a request to the coordinator of a group.

    librdkafka ends the process when the coordinator comes back after such a request has timed out
    (its issue 4605). So the request has no timeout: it is the answer that is not waited for, and
    the request ends with its client, which `with_retries` replaces (decision 0011).
    """
    return settle(call(asked, request_timeout=_COORDINATOR_SECONDS, **options), REQUEST_SECONDS)


def settle(
    futures: Mapping[K, Future[Any]], timeout_seconds: float = REQUEST_SECONDS + _ANSWER_SECONDS
) -> tuple[dict[K, Any], dict[K, KafkaError]]:
    """Wait for all answers; return the good ones and the refusals, raise a fault that may pass.

    A client whose own thread has died, as of too little memory, never answers: that is a timeout.
    """
    answers: dict[K, Any] = {}
    refusals: dict[K, KafkaError] = {}
    for key, future in futures.items():
        try:
            answers[key] = future.result(timeout_seconds)
        except TimeoutError:
            raise KafkaException(KafkaError(KafkaError._TIMED_OUT)) from None
        except KafkaException as error:
            if is_retriable(code_of(error)):
                raise
            refusals[key] = code_of(error)
    return answers, refusals
