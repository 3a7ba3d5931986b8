"""Where records wait before they are joined: their order, their place, a restart."""

from __future__ import annotations

from typing import Any

from penstock import serdes
from penstock._engine.runtime.position import Position
from penstock._engine.state.codec import plain_codec
from penstock._engine.state.memory.key_value import MemoryStore
from penstock._engine.state.overlay import Overlay
from penstock._engine.state.views.join_buffer import JoinBuffer

TEXT = serdes.string()
CODEC = plain_codec("topic", TEXT, TEXT)
Logged = list[tuple[bytes, bytes | None, int]]


def opened(engine: MemoryStore, logged: Logged | None = None) -> tuple[JoinBuffer, Position]:
    position = Position()
    position.topic, position.partition = "in", 2
    log = None if logged is None else lambda key, value, _: logged.append((key, value, 0))
    return JoinBuffer("buffer", CODEC, Overlay(engine), log, position), position


def put(buffer: JoinBuffer, position: Position, *records: tuple[str, str, int]) -> None:
    for offset, (key, value, timestamp) in enumerate(records):
        position.raw = (offset, timestamp, None, None, ())
        buffer.put(key, value, timestamp, (("h", b"x"),))


def taken(buffer: JoinBuffer, until: int) -> list[tuple[Any, Any, int]]:
    return [(waited.key, waited.value, waited.timestamp) for waited in buffer.take(until)]


def test_records_come_by_time_then_key_then_as_they_came_and_once() -> None:
    buffer, position = opened(MemoryStore())
    put(buffer, position, ("b", "1", 5), ("a", "2", 5), ("b", "3", 5), ("c", "4", 4), ("a", "5", 9))
    assert buffer.stream_time == 9
    assert taken(buffer, 3) == []
    in_order = [("c", "4", 4), ("a", "2", 5), ("b", "1", 5), ("b", "3", 5)]
    assert taken(buffer, 5) == in_order
    assert taken(buffer, 8) == []
    put(buffer, position, ("z", "6", 7))
    assert taken(buffer, 9) == [("z", "6", 7), ("a", "5", 9)]


def test_a_record_comes_with_its_place_and_headers() -> None:
    buffer, position = opened(MemoryStore())
    put(buffer, position, ("a", "1", 5))
    [waited] = buffer.take(5)
    assert (waited.topic, waited.partition, waited.raw[0], waited.headers) == (
        "in",
        2,
        0,
        (("h", b"x"),),
    )


def test_one_that_is_not_done_with_stays() -> None:
    buffer, position = opened(MemoryStore())
    put(buffer, position, ("a", "1", 1), ("b", "2", 2))
    records: Any = buffer.take(5)
    next(records)
    next(records)
    records.close()
    assert taken(buffer, 5) == [("b", "2", 2)]


def test_after_a_restart_it_goes_on_where_it_was() -> None:
    engine = MemoryStore()
    buffer, position = opened(engine)
    put(buffer, position, ("a", "1", 5), ("b", "2", 6))
    assert taken(buffer, 5) == [("a", "1", 5)]
    buffer.commit(7)
    again, position = opened(engine)
    assert (again.stream_time, engine.changelog_offset()) == (6, 7)
    put(again, position, ("b", "3", 6))
    assert taken(again, 6) == [("b", "2", 6), ("b", "3", 6)]


def test_the_changelog_brings_it_back() -> None:
    logged: Logged = []
    buffer, position = opened(MemoryStore(), logged)
    put(buffer, position, ("a", "1", 5), ("b", "2", 9))
    taken(buffer, 5)
    engine = MemoryStore()
    fresh, _ = opened(engine)
    engine.write(fresh.restored(logged), 3)
    assert fresh.stream_time == 9
    assert taken(fresh, 9) == [("b", "2", 9)]
