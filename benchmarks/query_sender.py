"""Asks for keys over HTTP at a steady rate, in a process of its own: `python -m
benchmarks.query_sender URL TOKEN STORE KEYS RATE`; without arguments a server that answers each
request with the same bytes, to see what the asker itself takes.

Each line it reads is a number of seconds to ask for; it answers with a line of JSON: how many
milliseconds each question took, counted from the moment at which it was due, so that falling behind
is not forgiven, how many questions had no answer, and the processor seconds of this process.
"""

from __future__ import annotations

import json
import socket
import sys
import threading
import time
from collections.abc import Callable, Sequence
from random import Random
from urllib.parse import urlsplit

_CONNECTIONS = 8


def main(url: str, token: str, store: str, keys: int, rate: float) -> None:
    """Ask until the input ends."""
    askers = [KeyConnection(url, token, store).ask for _ in range(_CONNECTIONS)]
    chance = Random(1)

    def next_key() -> str:
        return f"u{chance.randrange(keys)}"

    for line in sys.stdin:
        used = time.process_time()
        taken, failed = steadily(askers, next_key, rate, float(line))
        print(json.dumps([taken, failed, time.process_time() - used]), flush=True)


class KeyConnection:
    """Asks one server for keys of a store, with as little processor time as can be: the asker runs
    beside what is measured.
    """

    def __init__(self, url: str, token: str, store: str) -> None:
        place = urlsplit(url)
        self._place = (place.hostname or "", place.port or 80)
        self._before = f"GET /stores/{store}/".encode()
        self._after = (
            f" HTTP/1.1\r\nHost: {place.netloc}\r\nAuthorization: Bearer {token}\r\n\r\n"
        ).encode()
        self._connection = socket.create_connection(self._place, 30)

    def ask(self, key: str) -> bool:
        """Ask for a key, which may have no value yet; return whether there was an answer."""
        try:
            return self._get(key)
        except OSError:  # the server closes connections that are idle
            self._connection.close()
            self._connection = socket.create_connection(self._place, 30)
            return self._get(key)

    def _get(self, key: str) -> bool:
        self._connection.sendall(self._before + key.encode() + self._after)
        data = b""
        while not data.endswith(b"}\n"):
            received = self._connection.recv(1 << 16)
            if not received:
                raise ConnectionResetError
            data += received
        return data[9:12] in {b"200", b"404"}


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
