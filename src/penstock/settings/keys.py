"""The known keys, dotted as Kafka writes them or in snake_case, and suggestions for others."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import Any

from penstock.errors import ConfigError
from penstock.settings.client_keys import (
    CLIENT_KEYS,
    PREFIXES,
    TOPIC_KEYS,
    TOPIC_PREFIX,
    clients_knowing,
)
from penstock.settings.table import BY_KEY, NOT_HONOURED, RENAMED

USER_PREFIX = "app."
_SPARK_PREFIX = "spark."

# librdkafka has a few keys that are not dotted, such as log_level.
_WITH_UNDERSCORE = {
    key.replace("_", "."): key for keys in CLIENT_KEYS.values() for key in keys if "_" in key
}


def dotted_key(key: str) -> str:
    """Return the dotted key for a key the user may have written in snake_case.

    Raises:
        ConfigError: there is no such setting.
    """
    if not isinstance(key, str):
        msg = f"a setting's key must be a str; got {key!r}"
        raise ConfigError(msg)
    if key.startswith(USER_PREFIX):
        return key
    for spelling in _spellings(key):
        if spelling.startswith(USER_PREFIX) or _is_known(spelling):
            return spelling
    raise ConfigError(_not_known(key))


def dotted_keys(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings under their dotted keys.

    Raises:
        ConfigError: there is no such setting, or it is given twice, in two spellings.
    """
    dotted: dict[str, Any] = {}
    for key, value in settings.items():
        spelling = dotted_key(key)
        if spelling in dotted:
            raise ConfigError(given_twice(spelling))
        dotted[spelling] = value
    return dotted


def over_defaults(defaults: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings with defaults, which have dotted keys, for those that are not given in either
    spelling. What is given keeps its spelling, for messages.

    Raises:
        ConfigError: there is no such setting, or it is given twice, in two spellings.
    """
    known = dotted_keys(given)
    return {**{key: value for key, value in defaults.items() if key not in known}, **given}


def given_twice(key: str) -> str:
    """Return what is wrong with settings that have a key in two spellings."""
    return f"setting {key!r} must be given once; got it dotted and in snake_case; leave one out"


def without_prefix(key: str) -> str:
    """Return a key as the client or topic knows it that it is meant for."""
    return _split(key)[1]


def _spellings(key: str) -> tuple[str, ...]:
    dotted = key.replace("_", ".")
    prefix, rest = _split(dotted)
    return key, dotted, prefix + _WITH_UNDERSCORE.get(rest, rest)


def _is_known(key: str) -> bool:
    if key in BY_KEY:
        return True
    if key in NOT_HONOURED or key in RENAMED:
        return False
    prefix, rest = _split(key)
    if prefix == TOPIC_PREFIX:
        # A broker may have settings of its own: only what looks like a slip is refused.
        return rest in TOPIC_KEYS or _nearest(rest, TOPIC_KEYS, 0.8) is None
    return rest in CLIENT_KEYS[PREFIXES[prefix]] if prefix else bool(clients_knowing(rest))


def _split(key: str) -> tuple[str, str]:
    """Return the prefix of a key, or an empty text, and the rest."""
    for prefix in (*PREFIXES, TOPIC_PREFIX):
        if key.startswith(prefix):
            return prefix, key.removeprefix(prefix)
    return "", key


def _not_known(key: str) -> str:
    dotted = key.replace("_", ".")
    if dotted in RENAMED:
        return f"setting {key!r} is not known any more; it is called {RENAMED[dotted]!r} now"
    if dotted in NOT_HONOURED or key in NOT_HONOURED:
        return f"setting {key!r} of Kafka Streams has no effect in Penstock yet; leave it out"
    if dotted.startswith(_SPARK_PREFIX):
        return (
            f"setting {key!r} is one of Spark's; give it to the session: "
            f"SparkSession.builder.config({dotted!r}, ...), and that to KafkaStreams(spark=...)"
        )
    prefix, rest = _split(dotted)
    others = clients_knowing(rest)
    if prefix in PREFIXES and others:
        listed = ", ".join(f"'{other}.{rest}'" for other in others)
        return f"setting {key!r} is not known: a {PREFIXES[prefix]} has none; there is {listed}"
    near = _nearest(rest, _neighbours(prefix), 0.5)
    hint = f"; did you mean {prefix + near!r}?" if near else ""
    return f"setting {key!r} is not known{hint} (settings of your own start with {USER_PREFIX!r})"


def _neighbours(prefix: str) -> Iterable[str]:
    """Return the keys that may have been meant."""
    if prefix == TOPIC_PREFIX:
        return TOPIC_KEYS
    if prefix:
        return CLIENT_KEYS[PREFIXES[prefix]]
    return BY_KEY


def _nearest(key: str, keys: Iterable[str], cutoff: float) -> str | None:
    near = difflib.get_close_matches(key, sorted(keys), n=1, cutoff=cutoff)
    return near[0] if near else None
