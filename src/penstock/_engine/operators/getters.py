"""Lookups of rows of another table: in its store, or computed from the tables above it. Java:
KTableValueGetter.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from penstock._engine.operators.site import Site
from penstock._engine.operators.transformer import lookup_transformer
from penstock._engine.topology.nodes import views

Row: TypeAlias = tuple[Any, int]
"""(value, timestamp)."""
Get: TypeAlias = Callable[[Any], Row | None]
"""`get(key)` returns the current row, None if there is none."""
GetAsOf: TypeAlias = Callable[[Any, int], Row | None]
"""`get(key, timestamp)` returns the row of that time."""

_NO_TIME = -1


def value_getter(view: views.View, site: Site) -> Get:
    """Return the function that looks up the current rows of a view."""
    return _GETTERS[type(view)](view, site)


def versioned_getter(view: views.View, site: Site) -> GetAsOf:
    """Return the function that looks up the rows of a view as of a time; the view is versioned."""
    if isinstance(view, views.StoredRows):
        state = site.versioned(view.store)
        encode_key, get_as_of = state.encode_key, state.get_as_of
        return lambda key, as_of: get_as_of(encode_key(key), as_of)
    assert isinstance(view, (views.FilteredRows, views.MappedRows, views.TransformedRows))
    above = versioned_getter(view.of, site)
    through = _THROUGH[type(view)](view, site)
    return lambda key, as_of: through(key, above(key, as_of))


def _stored(view: views.StoredRows, site: Site) -> Get:
    if view.with_versions:
        versions = site.versioned(view.store)
        encode, get = versions.encode_key, versions.get
        return lambda key: get(encode(key))
    state = site.table(view.store)
    encode_key, read, decode = state.encode_key, state.read, state.decode_row

    def get_row(key: Any) -> Row | None:
        row = read(encode_key(key))
        if row is None:
            return None
        timestamp, value = decode(row)
        return None if value is None else (value, timestamp)

    return get_row


def _seen_through(view: Any, site: Site) -> Get:
    """Return the lookup of a view that is computed from the rows above it."""
    above = value_getter(view.of, site)
    through = _THROUGH[type(view)](view, site)
    return lambda key: through(key, above(key))


_Through: TypeAlias = Callable[[Any, Row | None], Row | None]


def _filtered(view: views.FilteredRows, site: Site) -> _Through:
    predicate, keep_when = view.predicate, view.keep_when

    def filtered(key: Any, row: Row | None) -> Row | None:
        if row is None or (not predicate(key, row[0])) is keep_when:
            return None
        return row

    return filtered


def _mapped(view: views.MappedRows, site: Site) -> _Through:
    mapper, with_key = view.mapper, view.with_key

    def mapped(key: Any, row: Row | None) -> Row | None:
        if row is None:
            return None
        value = mapper(key, row[0]) if with_key else mapper(row[0])
        return None if value is None else (value, row[1])

    return mapped


def _transformed(view: views.TransformedRows, site: Site) -> _Through:
    transform = lookup_transformer(view.supplier, site)

    def transformed(key: Any, row: Row | None) -> Row | None:
        old, timestamp = (None, _NO_TIME) if row is None else row
        value = transform(key, old, timestamp)
        return None if value is None else (value, timestamp)

    return transformed


def _joined(view: views.JoinedRows, site: Site) -> Get:
    left_of, right_of = value_getter(view.left, site), value_getter(view.right, site)
    joiner, keeps_left, keeps_right = view.joiner, view.keeps_left, view.keeps_right

    def joined(key: Any) -> Row | None:
        left = left_of(key)
        if left is None and not keeps_right:
            return None
        right = right_of(key)
        if right is None and (left is None or not keeps_left):
            return None
        left_value, left_time = (None, _NO_TIME) if left is None else left
        right_value, right_time = (None, _NO_TIME) if right is None else right
        value = joiner(left_value, right_value)
        return None if value is None else (value, max(left_time, right_time))

    return joined


def _suppressed(view: views.SuppressedRows, site: Site) -> Get:
    above, buffer = value_getter(view.of, site), site.suppression(view.store)

    def emitted(key: Any) -> Row | None:
        is_held_back, value = buffer.prior_value(key)
        if not is_held_back:
            return above(key)
        return None if value is None else (value, _NO_TIME)

    return emitted


def _in_windows(view: views.WindowRows, site: Site) -> Get:
    state = site.window(view.store)
    encode_key, get, decode = state.encode_key, state.get, state.decode_row

    def get_row(key: Any) -> Row | None:
        row = get(encode_key(key.key), key.start)
        if row is None:
            return None
        timestamp, value = decode(row)
        return None if value is None else (value, timestamp)

    return get_row


def _in_sessions(view: views.SessionRows, site: Site) -> Get:
    state = site.session(view.store)
    encode_key, get, value_of = state.encode_key, state.get, state.value_of

    def get_row(key: Any) -> Row | None:
        value = value_of(get(encode_key(key.key), key.start, key.end))
        return None if value is None else (value, key.end)

    return get_row


_THROUGH: dict[type[views.View], Callable[[Any, Site], _Through]] = {
    views.FilteredRows: _filtered,
    views.MappedRows: _mapped,
    views.TransformedRows: _transformed,
}

_GETTERS: dict[type[views.View], Callable[[Any, Site], Get]] = {
    views.StoredRows: _stored,
    views.FilteredRows: _seen_through,
    views.MappedRows: _seen_through,
    views.TransformedRows: _seen_through,
    views.JoinedRows: _joined,
    views.SuppressedRows: _suppressed,
    views.WindowRows: _in_windows,
    views.SessionRows: _in_sessions,
}
