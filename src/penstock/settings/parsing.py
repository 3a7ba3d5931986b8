"""How the value of a setting is read: from Python's types, or from a file's or variable's text.

Each function returns the value or raises ValueError with a sentence that begins with "must".
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from typing import Any

from penstock.serdes import resolve
from penstock.serdes.names import windowed_kind
from penstock.stores._builders import check_engine

_PORT_MAX = 65535


def text(value: Any) -> str:
    """Read a text that is not empty."""
    if not isinstance(value, str) or not value:
        msg = f"must be a str that is not empty; got {value!r}"
        raise ValueError(msg)
    return value


def application_id(value: Any) -> str:
    """Read a name that can begin the name of a topic."""
    name = text(value)
    if not re.fullmatch(r"[a-zA-Z0-9._-]{1,200}", name):
        msg = (
            "must be made of letters, digits, '.', '_' and '-', at most 200, since topics are "
            f"named after it; got {value!r}"
        )
        raise ValueError(msg)
    return name


def names(value: Any) -> tuple[str, ...]:
    """Read `name, name`, or a list of names."""
    return tuple(filter(None, _listed(value, "a name")))


def _listed(value: Any, what: str) -> list[str]:
    parts = value.split(",") if isinstance(value, str) else value
    if not isinstance(parts, list | tuple) or not all(isinstance(part, str) for part in parts):
        msg = f"must be {what}, several with commas or in a list; got {value!r}"
        raise ValueError(msg)
    return [part.strip() for part in parts]


def servers(value: Any) -> str:
    """Read `host:port,host:port`, or a list of `host:port`."""
    hosts = _listed(value, "'host:port'")
    wrong = [host for host in hosts if not re.fullmatch(r"([a-zA-Z_0-9]+://)?.*?:[0-9]+", host)]
    if wrong or not hosts:
        hint = (
            "; the port is missing: Kafka's is mostly 9092" if hosts and ":" not in wrong[0] else ""
        )
        msg = f"must be 'host:port', several with commas; got {value!r}{hint}"
        raise ValueError(msg)
    if any(re.match("https?://", host) for host in hosts):
        msg = f"must be 'host:port', several with commas, without 'http://'; got {value!r}"
        raise ValueError(msg)
    return ",".join(hosts)


def endpoint(value: Any) -> str:
    """Read `host:port`, an IPv6 address in brackets. Java: HostInfo.buildFromEndpoint."""
    written = value if isinstance(value, str) else ""
    found = re.fullmatch(r"(\[[0-9a-fA-F:.%]+\]|[^\s:/\[\]@]+):([0-9]{1,5})", written)
    port = int(found[2]) if found else 0
    if found is None or not 0 < port <= _PORT_MAX:
        msg = f"must be 'host:port', as 'localhost:8080', with a port up to 65535; got {value!r}"
        raise ValueError(msg)
    return written


def at_least(minimum: int) -> Callable[[Any], int]:
    """Read a whole number of at least `minimum`."""

    def parse(value: Any) -> int:
        digits = isinstance(value, str) and re.fullmatch(r"-?[0-9]+", value)
        number = int(value) if digits else value
        if not isinstance(number, int) or isinstance(number, bool) or number < minimum:
            msg = f"must be a whole number of at least {minimum}; got {value!r}"
            raise ValueError(msg)
        return number

    return parse


def slots(value: Any) -> int | str:
    """Read a number of slots, or 'auto' or 'all'."""
    try:
        return value if value in ("auto", "all") else at_least(1)(value)
    except ValueError:
        msg = f"must be 'auto', 'all' or a whole number of at least 1; got {value!r}"
        raise ValueError(msg) from None


def replication_factor(value: Any) -> int:
    """Read a number of replicas, or -1."""
    number = at_least(-1)(value)
    if number == 0:
        msg = f"must be -1 (the broker's default) or at least 1; got {value!r}"
        raise ValueError(msg)
    return number


def truth(value: Any) -> bool:
    """Read true or false."""
    named = {"true": True, "false": False}.get(value.lower()) if isinstance(value, str) else value
    if not isinstance(named, bool):
        msg = f"must be True or False; got {value!r}"
        raise ValueError(msg)
    return named


def one_of(*choices: str, refused: dict[str, str] | None = None) -> Callable[[Any], str]:
    """Read one of a few words; `refused` says why others, that Java has or had, are not taken."""

    def parse(value: Any) -> str:
        if value in choices:
            return str(value)
        reason = (refused or {}).get(value) if isinstance(value, str) else None
        because = f": {reason}" if reason else ""
        msg = f"must be {' or '.join(map(repr, choices))}; got {value!r}{because}"
        raise ValueError(msg)

    return parse


def one_of_any_case(*choices: str) -> Callable[[Any], str]:
    """Read one of a few words, in capitals or not."""
    exactly = one_of(*choices)

    def parse(value: Any) -> str:
        word = value.upper() if isinstance(value, str) else value
        return exactly(word if word in choices else value)

    return parse


def serde(value: Any) -> Any:
    """Read a serde, or the name of one; that of windowed keys stays a name until all settings are
    known.
    """
    return windowed_kind(value) or resolve(value)


def dsl_stores(value: Any) -> Any:
    """Read where stores live: an engine's name, Java's class of it, or an engine of the user's."""
    if isinstance(value, str):
        simple = value.rpartition("$")[2].rpartition(".")[2].removesuffix("DslStoreSuppliers")
        value = {"RocksDB": "rocksdb", "InMemory": "in_memory"}.get(simple, value)
    check_engine(value)
    return value


def of_client(key: str) -> Callable[[Any], Any]:
    """Return the parser of a setting of a client or a topic."""
    return _CLIENT_VALUES.get(key, _for_client)


def _for_client(value: Any) -> Any:
    """Read a value that may be a secret, so no error shows it."""
    if isinstance(value, list | tuple) and all(isinstance(part, str) for part in value):
        return ",".join(value)
    if isinstance(value, str | int | float) or callable(value):
        return value
    msg = f"must be a str, a number, a bool or a list of str; got a {type(value).__name__}"
    raise ValueError(msg)


_PROTOCOLS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")


def _security_protocol(value: Any) -> str:
    """Read a protocol in any case, as Java's clients and librdkafka do."""
    word = value.upper() if isinstance(value, str) else value
    return word if word in _PROTOCOLS else one_of(*_PROTOCOLS)(value)


_sasl_mechanism = one_of("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER", "GSSAPI")

# librdkafka names the wrong value, not those that there are.
_CLIENT_VALUES: dict[str, Callable[[Any], Any]] = {
    "security.protocol": _security_protocol,
    "sasl.mechanism": _sasl_mechanism,
    "sasl.mechanisms": _sasl_mechanism,
}

OPTIMIZATIONS = frozenset(
    {"merge.repartition.topics", "reuse.ktable.source.topics", "single.store.self.join"}
)
"""The rewrites that a topology may go through."""


def optimization(value: Any) -> str:
    """Read the names of rewrites, several with commas, or none or all."""
    named = {part.strip() for part in value.split(",")} if isinstance(value, str) else set()
    if value not in {"none", "all"} and not (named and named <= OPTIMIZATIONS):
        msg = f"must be 'none', 'all', or some of {', '.join(sorted(OPTIMIZATIONS))}; got {value!r}"
        raise ValueError(msg)
    return str(value)


def instance_of(what: str, method: str, *known: type) -> Callable[[Any], Any]:
    """Read an object that has `method`, its class, the (Java) name of a class that Penstock has, or
    `module:name` of one of the user's own.
    """
    names = {kind.__name__: kind for kind in known}

    def parse(value: Any) -> Any:
        found = _named(value, what, names) if isinstance(value, str) else value
        made = found() if isinstance(found, type) else found
        of_another_kind = is_built_in(made) and not isinstance(made, known)
        if of_another_kind or not callable(getattr(made, method, None)):
            msg = f"must be {what}, with a method {method}, or its class; got {value!r}"
            raise ValueError(msg)
        return made

    return parse


def is_built_in(handler: object) -> bool:
    """Yes if a handler is one of Penstock's."""
    return type(handler).__module__ == "penstock.handlers"


def _named(name: str, what: str, names: dict[str, type]) -> Any:
    module, colon, attribute = name.partition(":")
    if colon:
        try:
            return getattr(importlib.import_module(module), attribute)
        except (ImportError, AttributeError, ValueError) as error:
            msg = f"must be {what}; {name!r} cannot be imported: {error}"
            raise ValueError(msg) from error
    simple = name.rpartition(".")[2]
    if simple not in names:
        known = f"the name of one of {', '.join(names)}" if names else "'module:name' of one"
        msg = f"must be {what} or {known}; got {name!r}"
        raise ValueError(msg)
    return names[simple]
