"""The buffer of suppress, against a model, and its changelog, byte by byte."""

from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st

from penstock._engine.state.suppression_buffer import (
    Held,
    Origin,
    SuppressionBuffer,
    decode_held,
    encode_held,
)
from penstock.record import HeaderPairs

KEYS = [b"a", b"b", b"ab", b"\x00", b"\xff\x80", b"longer key"]
VALUES = st.one_of(st.none(), st.binary(max_size=4))
HEADERS: st.SearchStrategy[HeaderPairs] = st.lists(
    st.tuples(st.text("hé", max_size=2), VALUES), max_size=2
).map(tuple)
ORIGINS: st.SearchStrategy[Origin] = st.builds(
    lambda timestamp, headers, topic, offset: (
        timestamp,
        headers,
        topic,
        0,
        (offset, timestamp, b"raw key", b"raw value", headers),
    ),
    st.integers(0, 20),
    HEADERS,
    st.sampled_from(["in", "a-topic"]),
    st.integers(0, 9),
)
PUTS = st.tuples(st.just("put"), st.sampled_from(KEYS), st.integers(0, 9), VALUES, VALUES, ORIGINS)
STEPS = st.lists(st.one_of(PUTS, st.just(("pop_first",)), st.just(("flush",))), max_size=40)

Row = tuple[int, bytes | None, bytes | None, bytes | None, Origin]
"""(time, prior, old, new, record)"""


@dataclass
class Model:
    """What the buffer means: rows sorted by time and key, a changelog as a plain dict."""

    rows: dict[bytes, Row] = field(default_factory=dict)
    dirty: set[bytes] = field(default_factory=set)
    logged: dict[bytes, Row] = field(default_factory=dict)

    def put(
        self, key: bytes, time: int, new: bytes | None, old: bytes | None, record: Origin
    ) -> None:
        known = self.rows.get(key)
        place, prior = (time, old) if known is None else known[:2]
        self.rows[key] = (place, prior, old, new, record)
        self.dirty.add(key)

    def first(self) -> tuple[int, bytes] | None:
        return min(((row[0], key) for key, row in self.rows.items()), default=None)

    def pop_first(self) -> None:
        first = self.first()
        if first is not None:
            del self.rows[first[1]]
            self.dirty.add(first[1])

    def flush(self) -> None:
        for key in self.dirty:
            if key in self.rows:
                # As in Java, who restores a row again keeps the place that it had before, even if
                # it was let go and held back anew between two flushes.
                place = self.logged.get(key, self.rows[key])[0]
                self.logged[key] = (place, *self.rows[key][1:])
            else:
                self.logged.pop(key, None)
        self.dirty.clear()

    def size_bytes(self) -> int:
        return sum(self._size(key, row) for key, row in self.rows.items())

    @staticmethod
    def _size(key: bytes, row: Row) -> int:
        _, prior, old, new, (_, headers, topic, _, _) = row
        values = [prior, None if old == prior else old, new]
        context = 8 + 8 + len(topic or "") + 4 + sum(len(k) + len(v or b"") for k, v in headers)
        return 8 + len(key) + sum(len(value or b"") for value in values) + context


def held_of(row: Row) -> tuple[object, ...]:
    """Return what of a row a changelog keeps: all but the raw bytes."""
    time, prior, old, new, (timestamp, headers, topic, partition, raw) = row
    return time, prior, old, new, timestamp, headers, topic, partition, raw[0]


def shown(held: Held) -> tuple[object, ...]:
    return (*held[:8], held.raw[0])


@settings(deadline=None)
@given(STEPS)
def test_it_does_what_the_model_does(steps: list[tuple[object, ...]]) -> None:
    log: list[tuple[bytes, bytes | None, HeaderPairs]] = []
    buffer, model = SuppressionBuffer(lambda *record: log.append(record)), Model()
    for step in steps:
        if step[0] == "put":
            buffer.put(*step[1:])  # type: ignore[arg-type]
            model.put(*step[1:])  # type: ignore[arg-type]
        elif step[0] == "pop_first":
            if buffer.queue:
                buffer.pop_first()
            model.pop_first()
        else:
            buffer.flush()
            model.flush()
        assert (buffer.queue[0] if buffer.queue else None) == model.first()
        assert (len(buffer), buffer.size_bytes) == (len(model.rows), model.size_bytes())
    assert {key: shown(held) for key, held in buffer.held.items()} == {
        key: held_of(row) for key, row in model.rows.items()
    }
    restored = SuppressionBuffer(None)
    restored.restore((key, value) for key, value, _ in log)
    assert {key: shown(held) for key, held in restored.held.items()} == {
        key: held_of(row) for key, row in model.logged.items()
    }
    while restored.queue:
        first = restored.queue[0]
        assert first == min((row[0], key) for key, row in model.logged.items())
        restored.pop_first()
        del model.logged[first[1]]
    assert restored.size_bytes == 0


def held(**parts: object) -> Held:
    whole: dict[str, object] = {
        "time": 7,
        "prior": None,
        "old": None,
        "new": b"new",
        "timestamp": 5,
        "headers": (),
        "topic": "in",
        "partition": 1,
        "raw": (3, 5, b"k", b"v", ()),
        "size": 0,
    }
    return Held(**{**whole, **parts})  # type: ignore[arg-type]


def test_a_row_in_the_changelog_has_the_bytes_of_java() -> None:
    data = encode_held(held(headers=(("h", b"x"), ("n", None)), prior=b"p", old=b"old"))
    assert data == b"".join(
        (
            (5).to_bytes(8, "big"),
            (3).to_bytes(8, "big"),
            b"\x00\x00\x00\x02in",
            b"\x00\x00\x00\x01",
            b"\x00\x00\x00\x02",
            b"\x00\x00\x00\x01h\x00\x00\x00\x01x",
            b"\x00\x00\x00\x01n\xff\xff\xff\xff",
            b"\x00\x00\x00\x01p",
            b"\x00\x00\x00\x03old",
            b"\x00\x00\x00\x03new",
            (7).to_bytes(8, "big"),
        )
    )


def test_an_old_value_like_the_prior_one_is_written_once() -> None:
    data = encode_held(held(prior=b"same", old=b"same"))
    assert b"\x00\x00\x00\x04same\xff\xff\xff\xfe\x00\x00\x00\x03new" in data
    assert decode_held(data)[1] == (b"same", b"same", b"new")


def test_a_record_of_no_topic_comes_back_so() -> None:
    _, _, record = decode_held(encode_held(held(topic=None, partition=-1, raw=None)))
    assert record == (5, (), None, -1, (-1, 5, None, None, ()))


def test_an_update_while_restoring_keeps_the_place_in_the_queue() -> None:
    buffer = SuppressionBuffer(None)
    buffer.restore([(b"k", encode_held(held(time=9))), (b"k", encode_held(held(time=4)))])
    assert buffer.queue == [(9, b"k")]


def test_a_buffer_without_a_changelog_writes_nothing() -> None:
    buffer = SuppressionBuffer(None)
    buffer.put(b"k", 1, b"v", None, (1, (), "in", 0, (0, 1, None, None, ())))
    buffer.flush()
    assert len(buffer) == 1


def test_few_changes_are_written_in_the_order_of_a_hash_set_of_java() -> None:
    logged: list[bytes] = []
    buffer = SuppressionBuffer(lambda key, value, headers: logged.append(key))
    for key in (b"v2", b"x", b"\xc3\xa9", b"b"):
        buffer.put(key, 1, b"v", None, (1, (), "in", 0, (0, 1, None, None, ())))
    buffer.flush()
    # 31 * h + byte from 1, bytes signed, spread over sixteen buckets.
    assert logged == [b"b", b"x", b"\xc3\xa9", b"v2"]


def test_a_cleared_buffer_holds_nothing() -> None:
    buffer = SuppressionBuffer(None)
    buffer.put(b"k", 1, b"v", None, (1, (), "in", 0, (0, 1, None, None, ())))
    buffer.clear()
    assert (buffer.queue, len(buffer), buffer.size_bytes) == ([], 0, 0)
