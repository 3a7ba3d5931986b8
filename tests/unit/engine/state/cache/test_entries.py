"""The entries of a record cache, in Python and in C: the same results."""

from __future__ import annotations

import gc
import sys
import weakref
from collections.abc import Callable
from typing import Any, TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock._engine.fast.choice import compiled
from penstock._engine.runtime.position import Position
from penstock._engine.state.cache import entries
from penstock._engine.state.cache.entries import PlainBudget, PlainEntries

FORMS = [(PlainBudget, PlainEntries)]
if compiled is not None:
    FORMS.append((entries.CacheBudget, entries.Entries))
Form: TypeAlias = tuple[Any, Any]

LARGE = 10_000_000


class Holder:
    """Entries, and a record of what they asked for; below them is a row for "below"."""

    def __init__(
        self,
        form: Form,
        limit_bytes: int = LARGE,
        *,
        keeps_bytes: bool = True,
        key_bytes: int = 0,
    ) -> None:
        self.events: list[Any] = []
        self.position = Position(keeps_bytes=keeps_bytes)
        make_budget, make_entries = form
        self.budget = make_budget(limit_bytes)
        self.entries = make_entries(
            self.budget, self.position, self.miss, self.note_new, self.give_way, key_bytes
        )
        self.look = self.entries.decoding(list)

    def miss(self, key: bytes) -> bytes | None:
        self.events.append(("missed", key))
        if key != b"below":
            return None
        self.entries.keep(key, b"row")
        return b"row"

    def note_new(self, key: bytes) -> None:
        self.events.append(("new", key))

    def give_way(self) -> None:
        while self.budget.used_bytes > self.budget.limit_bytes and len(self.entries):
            before = self.entries.used_bytes
            self.events.append(("gone", self.entries.pop_oldest()))
            self.budget.used_bytes += self.entries.used_bytes - before

    def do(self, verb: str, key: bytes, value: bytes | None, record: Any, headers: Any) -> None:
        self.position.topic, self.position.partition, self.position.raw = record
        self.events.append(
            {
                "write": lambda: self.entries.write(key, value, len(self.events), headers),
                "get": lambda: self.entries.get(key),
                "peek": lambda: self.entries.peek(key),
                "look": lambda: self.look(key),
                "use": lambda: self.entries.used([key] if key in self.entries else []),
                "drop": lambda: self.entries.drop_deleted(key),
                "take": self.entries.take_changes,
                "clear": self.entries.clear,
            }[verb]()
        )
        self.events.append(
            (self.entries.in_order_of_use(), self.entries.used_bytes, self.budget.used_bytes)
        )


VERBS = st.sampled_from(
    ["write"] * 6 + ["get", "peek", "look", "look", "use", "drop", "drop", "take", "clear"]
)
KEYS = st.sampled_from([b"a", b"bb", b"ccc", b"below"])
VALUES = st.none() | st.binary(max_size=4)
IN_HAND = st.sampled_from([("topic", 1, (7, 5, b"k", b"v", ())), (None, -1, None)])
HEADERS = st.sampled_from([(), (("name", b"value"), ("none", None))])


@pytest.mark.skipif(compiled is None, reason="nothing is compiled")
@given(
    st.lists(st.tuples(VERBS, KEYS, VALUES, IN_HAND, HEADERS), max_size=30),
    st.sampled_from([60, 120, 200, LARGE]),
    st.booleans(),
    st.sampled_from([0, 1]),
)
def test_both_forms_hold_the_same(
    steps: list[tuple[Any, ...]], limit_bytes: int, keeps_bytes: bool, key_bytes: int
) -> None:
    plain, in_c = (
        Holder(form, limit_bytes, keeps_bytes=keeps_bytes, key_bytes=key_bytes) for form in FORMS
    )
    for step in steps:
        plain.do(*step)
        in_c.do(*step)
        assert in_c.events == plain.events


@pytest.mark.parametrize("form", FORMS)
class TestEachForm:
    def test_changes_are_in_the_order_of_the_last_write(self, form: Form) -> None:
        held = Holder(form).entries
        for key in (b"a", b"b", b"a"):
            held.write(key, b"1", 0, ())
        assert [change[0] for change in held.take_changes()] == [b"b", b"a"]
        assert held.take_changes() == []

    def test_a_peek_is_no_use_and_a_get_is_one(self, form: Form) -> None:
        held = Holder(form).entries
        for key in (b"a", b"b", b"c"):
            held.write(key, b"1", 0, ())
        held.peek(b"a")
        held.get(b"b")
        assert held.in_order_of_use() == [b"a", b"c", b"b"]

    def test_a_look_gives_what_is_made_of_the_value_of_now_and_is_a_use(self, form: Form) -> None:
        holder = Holder(form)
        held, look = holder.entries, holder.look
        for key in (b"a", b"b"):
            held.write(key, b"1", 0, ())
        assert [look(b"a"), look(b"a")] == [[49], [49]]
        assert held.in_order_of_use() == [b"b", b"a"]
        held.write(b"a", b"2", 0, ())
        assert look(b"a") == [50]
        held.write(b"a", None, 0, ())
        assert look(b"a") is None
        assert look(b"nowhere") is None
        assert [look(b"below"), look(b"below")] == [list(b"row")] * 2
        assert [event for event in holder.events if event[0] == "missed"] == [
            ("missed", b"nowhere"),
            ("missed", b"below"),
        ]

    def test_what_is_too_large_to_be_kept_is_looked_at_all_the_same(self, form: Form) -> None:
        assert Holder(form, limit_bytes=0).look(b"below") == list(b"row")

    def test_what_cannot_be_decoded_is_told_each_time(self, form: Form) -> None:
        make_budget, make_entries = form
        held = make_entries(make_budget(LARGE), Position(), lambda _: b"x", None, lambda: None)
        look = held.decoding(int)
        held.write(b"a", b"x", 0, ())
        for key in (b"a", b"a", b"missed"):
            with pytest.raises(ValueError, match="invalid literal"):
                look(key)

    def test_a_value_that_is_written_while_it_is_decoded_is_not_taken_for_the_new_one(
        self, form: Form
    ) -> None:
        make_budget, make_entries = form
        held = make_entries(make_budget(LARGE), Position(), lambda _: None, None, lambda: None)

        def decode(value: bytes) -> bytes:
            if value == b"1":
                held.write(b"a", b"2", 0, ())
            return value

        look = held.decoding(decode)
        held.write(b"a", b"1", 0, ())
        assert [look(b"a"), look(b"a")] == [b"1", b"2"]

    def test_only_a_deletion_that_is_let_out_is_dropped(self, form: Form) -> None:
        held = Holder(form).entries
        held.write(b"a", None, 0, ())
        held.drop_deleted(b"a")
        assert b"a" in held
        held.take_changes()
        held.write(b"b", b"1", 0, ())
        held.drop_deleted(b"a")
        held.drop_deleted(b"b")
        held.drop_deleted(b"c")
        assert held.in_order_of_use() == [b"b"]

    def test_there_is_no_oldest_of_none(self, form: Form) -> None:
        with pytest.raises(KeyError):
            Holder(form).entries.pop_oldest()

    def test_what_is_not_here_cannot_be_used(self, form: Form) -> None:
        with pytest.raises(KeyError):
            Holder(form).entries.used([b"a"])

    def test_errors_come_out(self, form: Form) -> None:
        def fail(*_: Any) -> None:
            raise ZeroDivisionError

        make_budget, make_entries = form
        held = make_entries(make_budget(0), Position(), fail, None, fail)
        calls: list[Callable[[], object]] = [
            lambda: held.get(b"a"),
            lambda: held.peek(b"a"),
            lambda: held.write(b"a", b"1", 0, ()),
            lambda: held.keep(b"b", b"1"),
        ]
        for call in calls:
            with pytest.raises(ZeroDivisionError):
                call()

    def test_nothing_that_was_held_stays(self, form: Form) -> None:
        """A reference too many, and a worker would grow with each record."""
        held = Holder(form)
        key, value, headers = b"a key of its own", b"a value of its own", ((str(id(self)), b"h"),)
        raw = (7, 5, key, value, headers)
        before = [sys.getrefcount(each) for each in (key, value, headers, raw)]
        held.position.raw = raw
        for _ in range(10):
            held.entries.write(key, value, 0, headers)
            held.entries.take_changes()
            held.entries.get(key)
            held.look(key)
            held.look(b"below")
            held.entries.used([key])
            held.entries.in_order_of_use()
        held.entries.write(key, value, 0, headers)
        held.entries.pop_oldest()
        held.entries.write(key, None, 0, headers)
        held.entries.take_changes()
        held.entries.drop_deleted(key)
        held.entries.write(key, value, 0, headers)
        held.entries.clear()
        held.position.raw = None
        held.events.clear()
        assert [sys.getrefcount(each) for each in (key, value, headers, raw)] == before

    def test_a_circle_with_its_holder_is_let_go(self, form: Form) -> None:
        held = Holder(form)
        held.entries.write(b"a", b"1", 0, ())
        gone = weakref.ref(held)
        del held
        gc.collect()
        assert gone() is None


@pytest.mark.skipif(compiled is None, reason="nothing is compiled")
@pytest.mark.parametrize(
    "call",
    [
        lambda held: held.write("a", b"1", 0, ()),
        lambda held: held.write(b"a", "1", 0, ()),
        lambda held: held.write(b"a", b"1", 0, None),
        lambda held: held.write(b"a", b"1", 0, (1,)),
        lambda held: held.write(b"a", b"1", 0),
        lambda held: held.keep(b"a"),
        lambda held: held.get([]),
        lambda held: held.look([]),
        lambda held: type(held)(),
        lambda held: type(held)(1, 2, 3, 4, 5),
        lambda held: type(held)(budget=1),
    ],
    ids=range(11),
)
def test_c_refuses_what_it_cannot_hold(call: Callable[[Any], object]) -> None:
    held = Holder(FORMS[-1]).entries
    with pytest.raises(TypeError):
        call(held)
    assert len(held) == 0


@pytest.mark.skipif(compiled is None, reason="nothing is compiled")
def test_c_keeps_nothing_in_place_of_what_is_there() -> None:
    held = Holder(FORMS[-1]).entries
    held.write(b"a", b"1", 0, ())
    with pytest.raises(ValueError, match="must not be there yet"):
        held.keep(b"a", b"2")
    assert held.get(b"a") == b"1"


@pytest.mark.skipif(compiled is None, reason="nothing is compiled")
def test_c_decodes_a_value_once_and_in_one_way() -> None:
    holder = Holder(FORMS[-1])
    holder.entries.write(b"a", b"1", 0, ())
    decoded = holder.look(b"a")
    assert holder.look(b"a") is decoded
    references = sys.getrefcount(decoded)
    holder.entries.write(b"a", b"1", 0, ())
    assert sys.getrefcount(decoded) == references - 1
    assert holder.entries.decoding(list)(b"a") == decoded
    with pytest.raises(ValueError, match="decoded in one way"):
        holder.entries.decoding(bytes)
    _, make_entries = FORMS[-1]
    fresh: Any = make_entries(holder.budget, holder.position, holder.miss, None, holder.give_way)
    with pytest.raises(ValueError, match="nothing decodes"):
        fresh.look(b"a")
