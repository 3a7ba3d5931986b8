"""The words after the question mark of a request, checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import parse_qsl

from penstock._engine.http.replies import bad_request
from penstock.windows import END_OF_TIME

LIMIT_DEFAULT = 100
LIMIT_MAX = 10_000
_FIELDS_MAX = 50


@dataclass(frozen=True, slots=True)
class StoreParameters:
    """What may be said about a read of a store; None: nothing was said."""

    key_from: str | None = None
    key_to: str | None = None
    prefix: str | None = None
    reverse: bool = False
    limit: int = LIMIT_DEFAULT
    cursor: str | None = None
    time_from: int | None = None
    time_to: int | None = None
    as_of: int | None = None
    uncommitted: bool | None = None
    stale_ok: bool = False
    partition: int | None = None

    @property
    def times(self) -> tuple[int, int]:
        """The two times, the beginning and the end of time where one is missing."""
        begin = 0 if self.time_from is None else self.time_from
        return begin, END_OF_TIME if self.time_to is None else self.time_to


def words_of(query: str) -> dict[str, str]:
    """Return names and values of a query string; each name once.

    Raises:
        Refusal: it cannot be read, or says a thing twice.
    """
    try:
        pairs = parse_qsl(
            query,
            keep_blank_values=True,
            strict_parsing=bool(query),
            errors="strict",
            max_num_fields=_FIELDS_MAX,
        )
    except ValueError as error:
        msg = f"the words after '?' must look like name=value&name=value, in UTF-8: {error}"
        raise bad_request(msg) from error
    words: dict[str, str] = {}
    for name, value in pairs:
        if name in words:
            msg = f"{name!r} may be said once only"
            raise bad_request(msg)
        words[name] = value
    return words


def only(words: Mapping[str, str], *known: str) -> None:
    """Refuse words that have no effect here: their author would wait for one.

    Raises:
        Refusal: there is such a word.
    """
    unknown = sorted(words.keys() - set(known))
    if unknown:
        allowed = ", ".join(map(repr, known)) or "none"
        msg = f"there is no parameter {unknown[0]!r} here; parameters: {allowed}"
        raise bad_request(msg)


def store_parameters(words: Mapping[str, str]) -> StoreParameters:
    """Return what is said about a read of a store.

    Raises:
        Refusal: a word is wrong.
    """
    parameters = StoreParameters(
        words.get("from"),
        words.get("to"),
        words.get("prefix"),
        _truth(words, "reverse") or False,
        _number(words, "limit", 1, LIMIT_MAX, LIMIT_DEFAULT) or LIMIT_DEFAULT,
        words.get("cursor"),
        _time(words, "time_from"),
        _time(words, "time_to"),
        _time(words, "as_of"),
        _truth(words, "uncommitted"),
        _truth(words, "stale_ok") or False,
        _number(words, "partition", 0, 1 << 31, None),
    )
    begin, end = parameters.times
    if begin > end:
        msg = f"'time_from' must not be after 'time_to'; got {begin} and {end}"
        raise bad_request(msg)
    return parameters


def _truth(words: Mapping[str, str], name: str) -> bool | None:
    word = words.get(name)
    if word is None:
        return None
    if word.lower() not in {"true", "false"}:
        msg = f"{name!r} must be true or false; got {word[:80]!r}"
        raise bad_request(msg)
    return word.lower() == "true"


def _number(
    words: Mapping[str, str], name: str, least: int, most: int, default: int | None
) -> int | None:
    word = words.get(name)
    if word is None:
        return default
    if not (word.isascii() and word.isdigit() and len(word) < 20 and least <= int(word) <= most):
        msg = f"{name!r} must be a whole number from {least:,} to {most:,}; got {word[:80]!r}"
        raise bad_request(msg)
    return int(word)


def _time(words: Mapping[str, str], name: str) -> int | None:
    """Return milliseconds since 1970: so they are given, or as a date and time with its zone."""
    word = words.get(name)
    if word is None:
        return None
    if word.isascii() and word.isdigit() and len(word) < 20 and int(word) <= END_OF_TIME:
        return int(word)
    try:
        moment = datetime.fromisoformat(word)
        if moment.tzinfo is not None:
            since = moment.astimezone(UTC) - datetime(1970, 1, 1, tzinfo=UTC)
            milliseconds = round(since.total_seconds() * 1000)
            if milliseconds >= 0:
                return milliseconds
    except (ValueError, OverflowError):
        pass
    msg = (
        f"{name!r} must be milliseconds since 1970 or a time with its zone, as "
        f"2026-01-31T12:00:00Z (a '+' is written %2B); got {word[:80]!r}"
    )
    raise bad_request(msg)
