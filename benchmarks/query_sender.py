"""Asks for keys over HTTP at a steady rate, in a process of its own: `python -m
benchmarks.query_sender URL TOKEN STORE KEYS RATE`; without arguments a server that answers each
request with the same bytes, to see what the asker itself takes.

Each line it reads is a number of seconds to ask for; it answers with a line of JSON: how many
milliseconds each question took, counted from the moment at which it was due, so that falling behind
is not forgiven, how many questions had no answer, and the processor seconds of this process.
"""

from __future__ import annotations

import json
import selectors
import socket
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from random import Random
from urllib.parse import urlsplit

_CONNECTIONS = 64
"""Enough for the rate, though each question takes a tenth of a second."""


def main(url: str, token: str, store: str, keys: int, rate: float) -> None:
    """Ask until the input ends."""
    connections = [KeyConnection(url, token, store) for _ in range(_CONNECTIONS)]
    chance = Random(1)

    def next_key() -> str:
        return f"u{chance.randrange(keys)}"

    for line in sys.stdin:
        used = time.process_time()
        taken, failed = over_connections(connections, next_key, rate, float(line))
        print(json.dumps([taken, failed, time.process_time() - used]), flush=True)


class KeyConnection:
    """Asks one server for keys of a store, one after the other, with as little processor time as
    can be: the asker runs beside what is measured.
    """

    def __init__(self, url: str, token: str, store: str) -> None:
        place = urlsplit(url)
        self._place = (place.hostname or "", place.port or 80)
        self._before = f"GET /stores/{store}/".encode()
        self._after = (
            f" HTTP/1.1\r\nHost: {place.netloc}\r\nAuthorization: Bearer {token}\r\n\r\n"
        ).encode()
        self._received = self._request = b""
        self.due = 0.0
        """When the question in hand was due."""
        self.socket = socket.create_connection(self._place, 30)

    def ask(self, key: str, due: float) -> None:
        """Send a question."""
        self.due, self._received = due, b""
        self._request = self._before + key.encode() + self._after
        with suppress(OSError):  # `receive` raises it, too
            self.socket.sendall(self._request)

    def reopen(self) -> None:
        """Connect again, and send the question in hand again: servers close idle connections."""
        self.socket.close()
        self.socket = socket.create_connection(self._place, 30)
        if self._request:
            self._received = b""
            self.socket.sendall(self._request)

    def receive(self) -> bool | None:
        """Return whether there is an answer (a key may have no value yet); None if it is not
        complete.

        Raises:
            OSError: the server has closed the connection.
        """
        received = self.socket.recv(1 << 16)
        if not received:
            raise ConnectionResetError
        self._received += received
        if not self._received.endswith(b"}\n"):
            return None
        self._request = b""
        return self._received[9:12] in {b"200", b"404"}


def over_connections(
    connections: Iterable[KeyConnection],
    next_key: Callable[[], str],
    rate: float,
    seconds: float,
) -> tuple[list[float], int]:
    """Ask at a rate over several connections, on one thread; return how many milliseconds each
    question took from the moment at which it was due, and how many had no answer.
    """
    idle = deque(connections)
    taken: list[float] = []
    begin, wanted, asked, failed = time.monotonic(), int(rate * seconds), 0, 0
    with selectors.DefaultSelector() as selector:
        for one in idle:
            selector.register(one.socket, selectors.EVENT_READ, one)
        while len(taken) + failed < wanted:
            while asked < wanted and idle and (due := begin + asked / rate) <= time.monotonic():
                idle.popleft().ask(next_key(), due)
                asked += 1
            waits = asked < wanted and idle
            left = begin + asked / rate - time.monotonic() if waits else None
            for ready, _ in selector.select(left if left is None else max(0.0, left)):
                one = ready.data
                try:
                    answered = one.receive()
                except OSError:
                    selector.unregister(one.socket)
                    one.reopen()
                    selector.register(one.socket, selectors.EVENT_READ, one)
                    continue
                if answered is None:
                    continue
                idle.append(one)
                if answered:
                    taken.append((time.monotonic() - one.due) * 1000)
                else:
                    failed += 1
    return taken, failed


def serve() -> None:
    """Answer every request at once; print the address first."""
    listener = socket.create_server(("127.0.0.1", 0))
    print(f"http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=_answer, args=(connection,), daemon=True).start()


def _answer(connection: socket.socket) -> None:
    data = b""
    while received := connection.recv(1 << 16):
        data += received
        while b"\r\n\r\n" in data:
            data = data.partition(b"\r\n\r\n")[2]
            connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\n{}\n")


def steadily(
    askers: Sequence[Callable[[str], bool]],
    next_key: Callable[[], str],
    rate: float,
    seconds: float,
) -> tuple[list[float], int]:
    """Ask at a rate with several askers at once; return how many milliseconds each question took
    from the moment at which it was due, and how many had no answer.
    """
    taken: list[float] = []
    failed: list[str] = []
    begin = time.monotonic()

    def run(first: int, ask: Callable[[str], bool]) -> None:
        for number in range(first, int(rate * seconds), len(askers)):
            due = begin + number / rate
            time.sleep(max(0.0, due - time.monotonic()))
            key = next_key()
            if ask(key):
                taken.append((time.monotonic() - due) * 1000)
            else:
                failed.append(key)

    threads = [threading.Thread(target=run, args=(first, ask)) for first, ask in enumerate(askers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return taken, len(failed)


if __name__ == "__main__" and len(sys.argv) == 1:
    serve()
elif __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), float(sys.argv[5]))
