"""Ports of this machine: which are free, who has one, and whether a Kafka broker answers there.

The questions to a broker are written by hand, a dozen bytes each: asking with a client would need
the client installed, and it would log every connection that is refused while a broker
starts.
"""

from __future__ import annotations

import os
import shutil
import socket
import struct
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

HOST = "127.0.0.1"

_FIND_COORDINATOR, _METADATA = 10, 3
_LISTENING = "0A"


def free_ports(count: int) -> list[int]:
    """Choose free ports. Another program may take one before it is used."""
    with ExitStack() as open_sockets:
        chosen = [open_sockets.enter_context(socket.socket()) for _ in range(count)]
        for one in chosen:
            one.bind((HOST, 0))
        return [one.getsockname()[1] for one in chosen]


def is_free(port: int) -> bool:
    """Yes if a server could listen on `port`."""
    with socket.socket() as trial:
        # As Java does: connections that linger after their server's end do not count.
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind((HOST, port))
            trial.listen()
        except OSError:
            return False
    return True


def broker_answers(port: int) -> bool:
    """Yes if a broker on `port` is ready: it answers, and is itself among the brokers."""
    no_topics = struct.pack(">i", 0)
    reply = _ask(port, _METADATA, no_topics)
    return len(reply) >= 4 and struct.unpack_from(">i", reply)[0] > 0


def coordinators_answer(port: int) -> bool:
    """Yes if the coordinators of groups and of transactions are ready.

    A broker makes their topics when it is first asked for them.
    """
    of_groups = _coordinator_answers(port, 0)
    of_transactions = _coordinator_answers(port, 1)
    return of_groups and of_transactions


def holder(port: int) -> str | None:
    """Name the program that listens on `port`, as "java (process 4711)", or None if unknown."""
    pid = _holder_by_proc(port) if Path("/proc/net/tcp").exists() else _holder_by_lsof(port)
    return None if pid is None else f"{_program(pid)} (process {pid})"


def _coordinator_answers(port: int, kind: int) -> bool:
    key = b"penstock"
    reply = _ask(port, _FIND_COORDINATOR, struct.pack(f">h{len(key)}sb", len(key), key, kind))
    # A throttle time, then the error: none, or the coordinator is not available yet.
    return len(reply) >= 6 and struct.unpack_from(">ih", reply)[1] == 0


def _ask(port: int, question: int, body: bytes, timeout_seconds: float = 2.0) -> bytes:
    """Send a request of version 1 and return its reply, empty if there is none."""
    no_client_id = -1
    request = struct.pack(">hhih", question, 1, 0, no_client_id) + body
    try:
        with socket.create_connection((HOST, port), timeout_seconds) as connection:
            connection.sendall(struct.pack(">i", len(request)) + request)
            with connection.makefile("rb") as replies:
                size = struct.unpack(">i", replies.read(4))[0]
                return replies.read(size)[4:]
    except (OSError, struct.error):
        return b""


def _holder_by_proc(port: int) -> int | None:
    sockets = {f"socket:[{inode}]" for inode in _listening_inodes(port)}
    for process in filter(str.isdigit, os.listdir("/proc")):
        with suppress(OSError):  # it ended meanwhile, or it is another user's
            folder = f"/proc/{process}/fd"
            if any(os.readlink(f"{folder}/{fd}") in sockets for fd in os.listdir(folder)):
                return int(process)
    return None


def _listening_inodes(port: int) -> Iterator[str]:
    for table in (Path("/proc/net/tcp"), Path("/proc/net/tcp6")):
        with suppress(OSError):
            for line in table.read_text().splitlines()[1:]:
                fields = line.split()
                if fields[3] == _LISTENING and int(fields[1].rpartition(":")[2], 16) == port:
                    yield fields[9]


def _holder_by_lsof(port: int) -> int | None:
    lsof = shutil.which("lsof")
    if lsof is None:
        return None
    question = [lsof, "-nP", f"-iTCP:{port}", "-sTCP:LISTEN", "-t"]
    said = subprocess.run(question, capture_output=True, text=True, check=False).stdout.split()
    return int(said[0]) if said else None


def _program(pid: int) -> str:
    question = ["ps", "-o", "comm=", "-p", str(pid)]
    with suppress(OSError):
        said = subprocess.run(question, capture_output=True, text=True, check=False).stdout.strip()
        if said:
            return Path(said).name
    return "a program"
