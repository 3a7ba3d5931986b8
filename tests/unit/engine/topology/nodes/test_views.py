"""Ways to the rows of a table: which stores they read, and whether they know the past."""

from __future__ import annotations

from penstock._engine.topology.nodes.views import (
    FilteredRows,
    JoinedRows,
    MappedRows,
    StoredRows,
    SuppressedRows,
    TransformedRows,
    View,
)

NOW, PAST = StoredRows("now"), StoredRows("past", with_versions=True)


def through_views(view: View) -> View:
    return TransformedRows(MappedRows(FilteredRows(view, bool, True), str, False), object)


def test_a_view_reads_the_stores_of_the_table_it_shows() -> None:
    assert through_views(NOW).stores() == ("now",)


def test_a_view_knows_the_past_if_the_table_it_shows_does() -> None:
    assert [through_views(view).is_versioned for view in (NOW, PAST)] == [False, True]


def test_a_join_reads_the_stores_of_both_tables_once_and_knows_no_past() -> None:
    joined = JoinedRows(
        through_views(PAST), JoinedRows(NOW, PAST, max, False, False), max, True, True
    )
    assert joined.stores() == ("past", "now")
    assert not joined.is_versioned


def test_what_is_held_back_is_looked_for_in_the_buffer_first() -> None:
    assert SuppressedRows("held", PAST).stores() == ("held", "past")
    assert not SuppressedRows("held", PAST).is_versioned
