"""The decision to commit, and what Kafka keeps beside an offset."""

from __future__ import annotations

import base64
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock._engine.runtime.commit import (
    CommitOffset,
    Notes,
    decide,
    decode_notes,
    decode_partition_time,
    encode_metadata,
    encode_partition_time,
)
from penstock._engine.runtime.input.record_queue import RecordQueue
from penstock._engine.topology.nodes.stream_nodes import SourceNode

SOURCE = SourceNode("source", ("a",), None, None, None, None, None, None)


def queue(topic: str, partition: int, offsets: list[int], partition_time: int) -> RecordQueue:
    made = RecordQueue(
        SOURCE, topic, partition, lambda raw, time: (raw[1], raw[2], raw[3]), lambda *record: None
    )
    made.add([(offset, 0, None, None, ()) for offset in offsets])
    made.partition_time = partition_time
    return made


def test_partition_time_is_java_s_bytes_in_base64() -> None:
    assert encode_partition_time(1000) == "AgAAAAAAAAPo"
    assert base64.b64decode(encode_partition_time(1000)) == b"\x02" + (1000).to_bytes(8, "big")


@given(st.integers(-1, 2**63 - 1))
def test_partition_time_comes_back(time: int) -> None:
    assert decode_partition_time(encode_partition_time(time)) == time


def test_the_first_version_and_what_stands_behind_the_time_can_be_read() -> None:
    assert decode_partition_time(base64.b64encode(struct.pack(">bq", 1, 7)).decode()) == 7
    longer = struct.pack(">bq", 2, 7) + b"processor metadata"
    assert decode_partition_time(base64.b64encode(longer).decode()) == 7


@pytest.mark.parametrize("text", ["", "not base64!", "AgAA", "CQAAAAAAAAPo"])
def test_unknown_metadata_is_an_unknown_time(text: str) -> None:
    assert decode_partition_time(text) == -1


def test_a_commit_holds_the_next_offset_and_the_time_of_each_consumed_partition() -> None:
    consumed = [queue("a", 0, [5, 6], 30), queue("b", 1, [9], -1)]
    consumed[1].advance()
    assert decide(consumed).offsets == {
        ("a", 0): CommitOffset(5, encode_partition_time(30)),
        ("b", 1): CommitOffset(10, encode_partition_time(-1)),
    }


def test_a_partition_that_was_never_read_is_left_out() -> None:
    assert decide([queue("a", 0, [], -1)]).offsets == {}


@given(st.dictionaries(st.text(), st.integers(-1, 2**63 - 1)), st.integers(-1, 2**63 - 1))
def test_notes_come_back_beside_the_time(notes: dict[str, int], time: int) -> None:
    metadata = encode_metadata(time, notes)
    assert (decode_partition_time(metadata), decode_notes(metadata)) == (time, notes)


def test_notes_are_java_s_bytes() -> None:
    """Java writes how many there are, and each as the length of a name, the name and a number."""
    data = base64.b64decode(encode_metadata(7, {"counts": 258}))
    assert data == struct.pack(">bq", 2, 7) + b"\0\0\0\1" + b"\0\0\0\6counts" + (258).to_bytes(
        8, "big"
    )


@pytest.mark.parametrize("text", ["", "not base64!", encode_partition_time(7), "AQAAAAAAAAPo"])
def test_metadata_without_notes_has_none(text: str) -> None:
    assert decode_notes(text) == {}


def test_unreadable_notes_are_none() -> None:
    broken = base64.b64encode(struct.pack(">bqi", 2, 7, 5)).decode()
    assert (decode_partition_time(broken), decode_notes(broken)) == (7, {})


def test_of_several_partitions_the_latest_note_counts() -> None:
    notes = Notes()
    notes.merge({"counts": 5, "sums": 1})
    notes.merge({"counts": 3, "sums": 2})
    assert (notes, notes.changed) == ({"counts": 5, "sums": 2}, False)
    notes["counts"] = 4
    assert (notes["counts"], notes.changed) == (4, True)
