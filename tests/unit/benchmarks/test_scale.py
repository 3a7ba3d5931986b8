"""What `benchmarks.scale` reads from the broker's log and from /proc."""

from __future__ import annotations

import os
import socket

import pytest

from benchmarks import scale

LOG = """
[GroupCoordinator id=1] Stabilized group scale generation 1 with 57 members.
[GroupCoordinator id=1] Stabilized group scales generation 7 with 3 members.
[GroupCoordinator id=1] Preparing to rebalance group scale in state PreparingRebalance
[GroupCoordinator id=1] Stabilized group scale generation 2 with 99 members.
"""

TABLE = """  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt uid inode
   0: 0100007F:9C40 0100007F:2384 01 00000000:00000000 00:00000000 00000000  0  0 11 1 0 20 4 30
   1: 0100007F:9C41 0100007F:2384 06 00000000:00000000 00:00000000 00000000  0  0 12 1 0 20 4 30
   2: 0100007F:9C42 0100007F:2384 01 00000000:00000000 00:00000000 00000000  0  0 99 1 0 20 4 30
   3: 0100007F:9C43 0100007F:0050 01 00000000:00000000 00:00000000 00000000  0  0 13 1 0 20 4 30
"""


def test_each_generation_of_the_group_is_the_end_of_a_rebalance() -> None:
    assert scale.generations(LOG, "scale") == [57, 99]


@pytest.mark.parametrize(
    ("members", "processes", "sizes"), [(99, 5, [20, 20, 20, 20, 19]), (1, 3, [1, 0, 0])]
)
def test_members_are_shared_out_evenly(members: int, processes: int, sizes: list[int]) -> None:
    slots = scale.shares(members, processes)
    assert [len(some) for some in slots] == sizes
    assert [slot for some in slots for slot in some] == list(range(members))


def test_open_connections_of_the_process_are_counted_by_where_they_lead() -> None:
    assert scale.connections(TABLE, {11, 12, 13}, {9092: "broker"}) == {"broker": 1, "others": 1}


def test_a_connection_of_this_process_is_found() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)):
            held = scale.held_open(os.getpid(), {port: "here"})
    assert held["connections"]["here"] == 1
    assert held["threads"]["Python"] >= 1
    assert held["resident_mb"] > 1


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("rdk:main", "client, main"),
        ("rdk:broker1", "client, one per broker"),
        ("python", "Python"),
    ],
)
def test_threads_are_told_apart_by_their_names(name: str, kind: str) -> None:
    assert scale.thread_kind(name) == kind


def test_what_would_never_settle_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert scale.parse(["--members", "2", "--tasks", "1"]).members == 2
    with pytest.raises(SystemExit):
        scale.parse(["--members", "1"])
    assert "two members" in capsys.readouterr().err
