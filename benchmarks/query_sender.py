"""Asks for keys over HTTP at a steady rate, in a process of its own: `python -m
benchmarks.query_sender URL TOKEN STORE KEYS RATE`.

Each line it reads is a number of seconds to ask for; it answers with a line of JSON: how many
milliseconds each question took, counted from the moment at which it was due, so that falling behind
is not forgiven, and how many questions had no answer.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable, Sequence
from http.client import HTTPConnection, HTTPException
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
        print(json.dumps(steadily(askers, next_key, rate, float(line))), flush=True)


class KeyConnection:
    """Asks one server for keys of a store."""

    def __init__(self, url: str, token: str, store: str) -> None:
        self._place = urlsplit(url).netloc
        self._path = f"/stores/{store}/"
        self._headers = {"Authorization": f"Bearer {token}"}
        self._connection = HTTPConnection(self._place, timeout=30)

    def ask(self, key: str) -> bool:
        """Ask for a key, which may have no value yet; return whether there was an answer."""
        try:
            return self._get(key)
        except (HTTPException, OSError):  # the server closes connections that are idle
            self._connection.close()
            self._connection = HTTPConnection(self._place, timeout=30)
            return self._get(key)

    def _get(self, key: str) -> bool:
        self._connection.request("GET", self._path + key, headers=self._headers)
        answer = self._connection.getresponse()
        answer.read()
        return answer.status in {200, 404}


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


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), float(sys.argv[5]))
