"""Reads of stores: from the words of a request to rows in JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import dropwhile, takewhile
from typing import Any, Literal, TypeAlias, TypeVar
from urllib.parse import urlencode

from penstock._clock import monotonic
from penstock._engine.http.json_values import jsonable, key_of, key_reader, prefix_of
from penstock._engine.http.key_reads import runs_no_user_code
from penstock._engine.http.parameters import StoreParameters, only, store_parameters, words_of
from penstock._engine.http.replies import (
    Reply,
    bad_request,
    json_reply,
    no_such_key,
    not_found,
    not_ready,
)
from penstock._engine.http.scans import KeyCursor, PagedScans, Scan, is_kept, page_of
from penstock._engine.http.served import QueriedStores, Source
from penstock._engine.queries.asking import ReadOptions
from penstock._engine.queries.catalogue import StoreEntry
from penstock._engine.queries.merging import PlacedRow
from penstock._engine.queries.questions import Part, Read, Row
from penstock._engine.runtime.stores.row_forms import form_of
from penstock._engine.state.header_codec import end_of_headers, headers_of
from penstock.errors import QueryError, StoreNotReadyError
from penstock.windows import END_OF_TIME

T = TypeVar("T")
Kind: TypeAlias = Literal["key_value", "window", "session", "versioned"]

_KINDS: dict[str, Kind] = {
    "key_value": "key_value",
    "timestamped_key_value": "key_value",
    "timestamped_key_value_with_headers": "key_value",
    "window": "window",
    "timestamped_window": "window",
    "timestamped_window_with_headers": "window",
    "session": "session",
    "session_with_headers": "session",
    "versioned_key_value": "versioned",
}
_ROWS_AT_ONCE_MAX = 1000
_SECONDS = 10.0
# For how long the rows of a page are asked for, beyond the question that is under way: as many
# requests as there are threads hold up all others meanwhile.
_PAGE_SECONDS = 2.0
_SOURCES_MAX = 64
# Of the 16 kB that path and header of a request may have, for a cursor and the words that are sent
# with it again.
_WORDS_BYTES_MAX = 8 << 10

# What needs more than one question, or a worker other than that of the task.
_WAITS = {"stale_ok", "cursor"}
_ALWAYS = {"limit", "uncommitted", "stale_ok", "partition", "cursor"}
_OF_KEY: dict[Kind, set[str]] = {
    "key_value": set(),
    "window": {"time_from", "time_to", "reverse"},
    "session": {"time_from", "time_to", "reverse"},
    "versioned": {"time_from", "time_to", "reverse", "as_of"},
}
_OF_RANGE: dict[Kind, set[str]] = {
    "key_value": {"from", "to", "prefix", "reverse"},
    "window": {"from", "to", "time_from", "time_to", "reverse"},
    "session": {"from", "to", "time_from", "time_to", "reverse"},
    "versioned": set(),
}


def kind_of(entry: StoreEntry) -> Kind | None:
    """Return how a store is read; None if it belongs to an operator."""
    return _KINDS.get(entry.plan.builder.kind)


def parameters_of_key(kind: Kind) -> list[str]:
    """Return the parameters of a read by key."""
    return sorted(_OF_KEY[kind] | _ALWAYS)


def parameters_of_range(kind: Kind) -> list[str]:
    """Return the parameters of a range."""
    return sorted(_OF_RANGE[kind] | _ALWAYS)


def describe_store(name: str, entry: StoreEntry) -> dict[str, Any]:
    """Return what is known of a store without reading it."""
    return {
        "name": name,
        "kind": kind_of(entry) or "internal",
        "global": entry.is_global,
        "partitions": 1 if entry.is_global else len(entry.tasks),
        "queryable": kind_of(entry) is not None,
    }


class KeysOfStore:
    """Reads of single keys of a key-value store."""

    def __init__(
        self, name: str, source: Source, stores: Callable[[], Mapping[str, StoreEntry]]
    ) -> None:
        self._name, self.source, self._stores = name, source, stores
        self.seconds = _SECONDS
        self._key_of = key_reader(source.codec, source.codec.key_serde)

    @property
    def is_current(self) -> bool:
        """Whether the application still has this store: a plan may change."""
        return self._stores().get(self._name) is self.source.store

    def raw_key(self, text: str) -> bytes:
        """Return the bytes of the key that a text names.

        Raises:
            Refusal: the store has no such keys.
        """
        return self._key_of(text)[1]

    def reply(self, text: str, part: Part) -> Reply:
        """Return the response to a good answer.

        Raises:
            Refusal: there is no such key.
        """
        return _row_reply(self.source, "key_value", text, part.rows)


class StoreReads:
    """Answers reads of the stores of an application."""

    def __init__(
        self, application: QueriedStores, words_bytes_max: int | None = _WORDS_BYTES_MAX
    ) -> None:
        """`words_bytes_max`: how long the words of a request may be; None: as long as they are."""
        self._application, self._words_bytes_max = application, words_bytes_max
        self._open: PagedScans[Scan] = PagedScans()
        self._long_keys: PagedScans[KeyCursor] = PagedScans()
        self._keys: dict[tuple[str, str], KeysOfStore] = {}

    def drop_old(self) -> None:
        """Forget scans whose next page was not asked for in time; called now and then."""
        self._open.drop_old()
        self._long_keys.drop_old()

    def keys_of(self, name: str, query: str) -> KeysOfStore | None:
        """Return what reads single keys of a store without a thread, None if a thread must: `reply`
        can then, and refuses what is wrong. Most requests say the same as the one before, but for
        the key.

        Raises:
            Refusal: a word is wrong.
        """
        entry = self._application.stores().get(name)
        known = self._keys.get((name, query))
        if known is not None and known.source.store is entry:
            return known
        words = words_of(query)
        if entry is None or kind_of(entry) != "key_value" or words.keys() & _WAITS:
            return None
        only(words, *parameters_of_key("key_value"))
        source, _ = self._source(name, store_parameters(words), _SECONDS)
        codec = source.codec
        if not (runs_no_user_code(codec.key_serde) and runs_no_user_code(codec.value_serde)):
            return None
        if len(self._keys) >= _SOURCES_MAX:  # strangers choose the words
            self._keys.clear()
        keys = self._keys[name, query] = KeysOfStore(name, source, self._application.stores)
        return keys

    def reply(self, path: list[str], words: Mapping[str, str], until: float | None = None) -> Reply:
        """Answer a request: the parts of its path behind `/stores`, and the words of its query.

        Raises:
            Refusal: there is no such path, store or key, or a word is wrong.
        """
        stores = self._application.stores()
        if not path:
            only(words)
            shown = [describe_store(name, entry) for name, entry in sorted(stores.items())]
            return json_reply({"stores": shown})
        if len(path) > 2 or path[-1] == "":
            msg = (
                "a store is at /stores/NAME, a key at /stores/NAME/KEY; a slash in a key is "
                "written %2F, an empty key %22%22"
            )
            raise not_found(msg)
        entry = stores.get(path[0])
        kind = None if entry is None else kind_of(entry)
        known = parameters_of_range if len(path) == 1 else parameters_of_key
        if kind is not None:
            only(words, *known(kind))
        if len(path) == 1:
            return self.range(path[0], store_parameters(words))
        seconds = _SECONDS if until is None else max(0.0, until - monotonic())
        return self.by_key(path[0], path[1], store_parameters(words), seconds)

    def by_key(
        self, name: str, text: str, asked: StoreParameters, seconds: float = _SECONDS
    ) -> Reply:
        """Return what a store has for a key."""
        source, kind = self._source(name, asked, seconds)
        key = key_of(text, source.codec, source.codec.key_serde)
        read = _read_of_key(kind, asked)
        with_pages = read.kind in {"windows", "sessions", "versions"}
        if not with_pages:
            found = _answered(lambda: source.of_key(key, read))
            return _row_reply(source, kind, text, found, asked.as_of)
        scan = self._scan((name, text, asked), source, lambda: source.scan_of_key(key, read))
        return self._page((name, text, asked), kind, scan)

    def range(self, name: str, asked: StoreParameters) -> Reply:
        """Return the rows of a range of keys."""
        source, kind = self._source(name, asked, _SECONDS)
        if kind == "versioned":
            msg = f"store {name!r} is versioned: it is read by key, /stores/{name}/KEY"
            raise bad_request(msg)
        if kind == "key_value":
            return self._key_values(source, asked)
        read = _read_of_range(source, kind, asked)
        scan = self._scan((name, "", asked), source, lambda: source.one_by_one(read))
        return self._page((name, "", asked), kind, scan)

    def _source(self, name: str, asked: StoreParameters, seconds: float) -> tuple[Source, Kind]:
        stores = self._application.stores()
        entry = stores.get(name)
        if entry is None:
            known = ", ".join(map(repr, sorted(stores))) or "none"
            msg = f"the application has no store {name[:80]!r}; its stores: {known}"
            raise not_found(msg)
        kind = kind_of(entry)
        if kind is None:
            msg = f"store {name!r} belongs to an operator and cannot be queried"
            raise bad_request(msg)
        shown = asked.uncommitted
        if shown is None:
            shown = not self._application.exactly_once
        # One more says whether another page follows. That goes on behind a key, of which each
        # partition may have a row.
        needed = asked.limit + (1 if asked.cursor is None else 2)
        rows_max = min(needed, _ROWS_AT_ONCE_MAX)
        options = ReadOptions(shown, asked.stale_ok, seconds, rows_max)
        return _answered(lambda: self._application.source(name, options, asked.partition)), kind

    def _key_values(self, source: Source, asked: StoreParameters) -> Reply:
        after = self._last_row(source.store.name, asked)
        placed = _answered(lambda: _key_value_rows(source, asked, after))
        places: list[int] = []
        # These rows have a place to end the page only when its time is over.
        page = _answered(lambda: page_of(_noting(places, placed), asked.limit, 0.0))
        cursor = None
        if page.rest is not None and page.rows:
            last = places[len(page.rows) - 1], page.rows[-1][0]
            cursor = self._key_cursor(KeyCursor(source.store.name, *last), asked)
        return _page_reply((source, "key_value"), page.rows, cursor)

    def _last_row(self, name: str, asked: StoreParameters) -> KeyCursor | None:
        """Return the last row of the page before; None if there was none.

        Raises:
            Refusal: the cursor is of another scan, or is kept no more.
        """
        if asked.cursor is None:
            return None
        if is_kept(asked.cursor):
            return self._long_keys.take(_named((name, "", asked)), asked.cursor)
        return KeyCursor.of(asked.cursor, name)

    def _key_cursor(self, last: KeyCursor, asked: StoreParameters) -> str:
        """Return the cursor behind a row: the row itself, unless the next request would be too
        large with it.
        """
        text = str(last)
        if self._words_bytes_max is None:
            return text
        words = {"from": asked.key_from, "to": asked.key_to, "prefix": asked.prefix}
        said = {name: word for name, word in words.items() if word is not None}
        if len(urlencode({**said, "cursor": text})) <= self._words_bytes_max:
            return text
        return self._long_keys.keep(_named((last.store, "", asked)), last)

    def _scan(
        self,
        named: tuple[str, str, StoreParameters],
        source: Source,
        begin: Callable[[], Iterator[Row | None]],
    ) -> Scan:
        """Begin a scan, or go on with the one that a cursor names."""
        cursor = named[2].cursor
        if cursor is not None:
            return self._open.take(_named(named), cursor)
        return Scan(source, _answered(begin))

    def _page(self, named: tuple[str, str, StoreParameters], kind: Kind, scan: Scan) -> Reply:
        until = monotonic() + _PAGE_SECONDS
        page = _answered(lambda: page_of(scan.rows, named[2].limit, until))
        cursor = None
        if page.rest is not None:
            cursor = self._open.keep(_named(named), Scan(scan.source, page.rest))
        return _page_reply((scan.source, kind), page.rows, cursor)


def _answered(ask: Callable[[], T]) -> T:
    """Ask the workers; their refusals become the server's."""
    try:
        return ask()
    except StoreNotReadyError as error:
        raise not_ready(str(error)) from error
    except QueryError as error:
        raise bad_request(str(error)) from error


def _read_of_key(kind: Kind, asked: StoreParameters) -> Read:
    begin, end = asked.times
    if kind == "key_value":
        return Read("get")
    if kind == "window":
        return Read("windows", time_from=begin, time_to=end, reverse=asked.reverse)
    if kind == "session":
        return Read("sessions", time_from=begin, time_to=end, reverse=asked.reverse)
    history = asked.time_from is not None or asked.time_to is not None
    if history and asked.as_of is not None:
        msg = "'as_of' asks for one version, 'time_from' and 'time_to' for several; say one of both"
        raise bad_request(msg)
    if history:
        return Read("versions", time_from=begin, time_to=end, reverse=asked.reverse)
    if asked.as_of is not None:
        # A version of a given time is what the reverse flag of such a read means.
        return Read("version", time_to=asked.as_of, reverse=True)
    return Read("version")


def _read_of_range(source: Source, kind: Kind, asked: StoreParameters) -> Read:
    begin, end = asked.times
    bounds = _bounds(source, asked)
    named: Literal["window_range", "session_range"] = (
        "window_range" if kind == "window" else "session_range"
    )
    return Read(named, (), *bounds, begin, end, asked.reverse)


def _key_value_rows(
    source: Source, asked: StoreParameters, after: KeyCursor | None
) -> Iterator[PlacedRow]:
    first, last = _bounds(source, asked)
    prefix = None
    if asked.prefix is not None:
        if asked.reverse or first is not None or last is not None:
            msg = "'prefix' goes without 'from', 'to' and 'reverse'"
            raise bad_request(msg)
        first = prefix = prefix_of(asked.prefix, source.codec.key_serde)
    if after is not None:
        first, last = (first, after.key) if asked.reverse else (after.key, last)
    # The next page goes on behind a key: scans of the workers would be left open for a minute.
    read = Read("range", (), first, last, reverse=asked.reverse, anew=True)
    rows = source.placed_by_key(read)
    if after is not None:
        rows = dropwhile(lambda one: not after.is_before(one), rows)
    if prefix is not None:
        rows = takewhile(lambda one: one[1][0].startswith(prefix), rows)
    return rows


def _noting(places: list[int], placed: Iterator[PlacedRow]) -> Iterator[Row | None]:
    """Return rows; add the partition of each to `places`. None when the time of a page is over: it
    begins with the first row, as those of the first answers are there.
    """
    until: float | None = None
    for place, row in placed:
        if until is None:
            until = monotonic() + _PAGE_SECONDS
        elif monotonic() >= until:
            yield None
        places.append(place)
        yield row


def _bounds(source: Source, asked: StoreParameters) -> tuple[bytes | None, bytes | None]:
    first, last = _bound(source, asked.key_from), _bound(source, asked.key_to)
    if first is not None and last is not None and first > last:
        msg = (
            "'from' must not be after 'to' in the order of the bytes of keys, in which negative "
            f"numbers come after all others; got {asked.key_from!r:.80} and {asked.key_to!r:.80}; "
            "write two ranges, one without 'to' and one without 'from'"
        )
        raise bad_request(msg)
    return first, last


def _bound(source: Source, text: str | None) -> bytes | None:
    if text is None:
        return None
    return key_reader(source.codec, source.codec.key_serde)(text)[1]


def _page_reply(of: tuple[Source, Kind], rows: list[Row], cursor: str | None) -> Reply:
    source, kind = of
    shown = [_row_json(source, kind, row) for row in rows]
    name = source.store.name
    position = {topic: dict(sorted(at.items())) for topic, at in sorted(source.reached.items())}
    reply = {"store": name, "rows": shown, "cursor": cursor, "position": position}
    return json_reply({**reply, **_behind(source)})


def _row_reply(
    source: Source, kind: Kind, text: str, rows: Sequence[Row], as_of: int | None = None
) -> Reply:
    name = source.store.name
    if not rows:
        when = "" if as_of is None else f" at the time {as_of}"
        behind = source.offsets_behind
        copy = f" in a copy that is {behind:,} offsets behind" if behind else ""
        msg = f"store {name!r} has no such key as {text[:80]!r}{when}{copy}"
        raise no_such_key(msg, _behind(source))
    shown = _row_json(source, kind, rows[0])
    return json_reply({"store": name, **shown, **_behind(source)})


def _behind(source: Source) -> dict[str, int]:
    """Return how far the copies were behind that a read with `stale_ok` has met."""
    behind = source.offsets_behind
    return {} if behind is None else {"offsets_behind": behind}


def _row_json(source: Source, kind: Kind, row: Row) -> dict[str, Any]:
    key, value, timestamp, start, end = row
    shown: dict[str, Any] = {"key": jsonable(source.codec.decode_key(key))}
    if kind in {"window", "session"}:
        if end is None and start is not None and kind == "window":
            times = source.store.plan.builder.times
            end = None if times is None else min(start + times.window_size_ms, END_OF_TIME)
        shown["window"] = {"start": start, "end": end}
    headers = None
    if form_of(source.store.plan.builder.kind).keeps_headers:
        headers, value = headers_of(value), value[end_of_headers(value) :]
    shown["value"] = jsonable(source.codec.decode_value(value))
    if headers is not None:
        shown["headers"] = [[name, jsonable(header)] for name, header in headers]
    if timestamp is not None:
        shown["timestamp"] = timestamp
    if kind == "versioned":
        shown["valid_to"] = end
    return shown


def _named(scan: tuple[str, str, StoreParameters]) -> str:
    """Return what is scanned, without the cursor."""
    name, text, asked = scan
    words = {**asdict(asked), "cursor": None}
    return repr((name, text, sorted(words.items(), key=lambda item: item[0])))
