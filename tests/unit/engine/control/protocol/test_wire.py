"""Frames that are changed, repeated, moved or sent back do not open; no sockets needed."""

from __future__ import annotations

import subprocess
import sys

import pytest

from penstock._engine.control.protocol import wire
from penstock._engine.control.protocol.messages import Instruction, Report, WorkerFailure
from penstock._engine.control.protocol.wire import Message, MessageTooLong, Seals, WireError
from penstock._engine.metrics.restore_events import RestoreEvent

KEY, WORKER, DRIVER = b"k" * 32, b"w" * 32, b"d" * 32


def pair(key: bytes = KEY) -> tuple[Seals, Seals]:
    """Return both ends of a connection whose proofs are exchanged."""
    worker, driver = Seals("worker", KEY, WORKER, DRIVER), Seals("driver", key, WORKER, DRIVER)
    opened(driver, worker.seal(wire.PROOF))
    opened(worker, driver.seal(wire.PROOF))
    return worker, driver


def opened(seals: Seals, frame: bytes) -> bytes:
    header, rest = frame[: wire.HEADER_BYTES], frame[wire.HEADER_BYTES :]
    length = wire.body_length(header)
    return seals.open(header, rest[:length], rest[length:])


def test_frames_open_in_their_order_in_both_directions() -> None:
    worker, driver = pair()
    assert [opened(driver, worker.seal(body)) for body in (b"1", b"", b"3")] == [b"1", b"", b"3"]
    assert opened(worker, driver.seal(b"back")) == b"back"


def test_a_wrong_key_is_noticed_at_the_first_frame() -> None:
    stranger = Seals("worker", b"guess" * 8, WORKER, DRIVER)
    driver = Seals("driver", KEY, WORKER, DRIVER)
    with pytest.raises(WireError, match="does not know the key"):
        opened(driver, stranger.seal(wire.PROOF))


def test_a_replayed_frame_does_not_open() -> None:
    worker, driver = pair()
    frame = worker.seal(b"once")
    assert opened(driver, frame) == b"once"
    with pytest.raises(WireError, match="frame 2 is not the one"):
        opened(driver, frame)


def test_frames_in_another_order_do_not_open() -> None:
    worker, driver = pair()
    worker.seal(b"first")
    with pytest.raises(WireError, match="frame 1 is not the one"):
        opened(driver, worker.seal(b"second"))


def test_a_frame_that_is_sent_back_does_not_open() -> None:
    worker, _ = pair()
    with pytest.raises(WireError):
        opened(worker, worker.seal(b"mine"))


def test_a_frame_of_another_connection_does_not_open() -> None:
    worker, _ = pair()
    other = Seals("driver", KEY, WORKER, b"e" * 32)
    frames = [Seals("worker", KEY, WORKER, DRIVER).seal(wire.PROOF), worker.seal(b"x")]
    for frame in frames:
        with pytest.raises(WireError):
            opened(other, frame)


@pytest.mark.parametrize("place", range(wire.HEADER_BYTES, wire.HEADER_BYTES + 5 + wire.MAC_BYTES))
def test_a_frame_with_one_changed_bit_does_not_open(place: int) -> None:
    worker, driver = pair()
    frame = bytearray(worker.seal(b"hello"))
    frame[place] ^= 1
    with pytest.raises(WireError):
        opened(driver, bytes(frame))


def test_a_shortened_body_does_not_open() -> None:
    worker, driver = pair()
    frame = worker.seal(b"hello")
    shorter = b"\x00\x00\x00\x04" + frame[4:8] + frame[9:]
    with pytest.raises(WireError):
        opened(driver, shorter)


def test_lengths_are_bounded() -> None:
    with pytest.raises(WireError, match="announces 4,294,967,295 bytes"):
        wire.body_length(b"\xff\xff\xff\xff")
    worker, _ = pair()
    with pytest.raises(MessageTooLong, match="at most 16,777,216 bytes; got 16,777,217"):
        worker.seal(bytes(wire.BODY_BYTES_MAX + 1))
    assert worker.seal(b"")[: wire.HEADER_BYTES] == bytes(4)


@pytest.mark.parametrize("text", [b"", b"GET / HTTP/1.1\r\n", bytes(wire.GREETING_BYTES)])
def test_other_protocols_are_no_greeting(text: bytes) -> None:
    with pytest.raises(WireError, match="does not speak"):
        wire.nonce_of(text)
    assert wire.nonce_of(wire.greeting(WORKER)) == WORKER


def test_every_part_of_a_report_arrives() -> None:
    failure = WorkerFailure("ValueError", "no", "trace", "mine", {"task_id": "0_1", "offset": 7})
    report = Report(
        "a",
        "running",
        tasks={"0_0": "running"},
        counters={"0_0": {"process-total": 2**40}},
        lag=None,
        printed=(("stdout", "täglich"), ("stderr", "")),
        restore_events=(RestoreEvent("batch", "counts", "log", 1, offset=9, count=6),),
        slot=(3, 1),
        failure=failure,
        broker_away_seconds=1.5,
        pid=12,
    )
    assert wire.decode(wire.encode(report), Report) == report
    instruction = Instruction(standbys=("0_1",), hold=True)
    assert wire.decode(wire.encode(instruction), Instruction) == instruction
    message = Message("ask", 1, "report", wire.encode(report))
    assert wire.decode(wire.encode(message), Message) == message


def test_text_that_is_not_unicode_is_escaped() -> None:
    report = Report("a", "running", printed=(("stdout", "caf\udce9 ok"),))
    (line,) = wire.decode(wire.encode(report), Report).printed
    assert line == ("stdout", r"caf\udce9 ok")


@pytest.mark.parametrize(
    "data", [b"", b"\xc1", b"\xc0", b"\xff" * 99, wire.encode({"member_id": 1}), b"\x91" * 5000]
)
def test_data_of_another_type_is_refused(data: bytes) -> None:
    with pytest.raises(WireError, match="sent no Report"):
        wire.decode(data, Report)


RACE = """
import sys, threading
sys.setswitchinterval(1e-6)
from penstock._engine.control.protocol import wire
from penstock._engine.control.protocol.messages import Report

data = wire.encode(Report("a", "running"))
barrier = threading.Barrier(32)

def read():
    barrier.wait()
    wire.decode(data, Report)

threads = [threading.Thread(target=read) for _ in range(32)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""


def test_the_first_reports_of_many_workers_at_one_moment_are_read() -> None:
    """In a process of its own: it crashed, in three runs of eight, when each thread had msgspec
    examine the type by itself.
    """
    assert subprocess.run([sys.executable, "-c", RACE], check=False).returncode == 0
