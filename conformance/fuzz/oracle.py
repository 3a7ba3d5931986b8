"""Java as a server of descriptions: one process answers thousands of them."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import IO, cast

from conformance import java
from conformance.fuzz.description import Description
from conformance.harness import Observation

_SOURCES = Path(java.__file__).parent / "oracle"

# How many descriptions Java has at hand: it must not wait for us, nor we for room in the pipe.
_AHEAD = 4


class Oracle:
    """Runs descriptions with the real Kafka Streams."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            java.command(_SOURCES, "FuzzRunner"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
        self._in = cast(IO[str], self._process.stdin)
        self._out = cast(IO[str], self._process.stdout)

    def observe(self, description: Description) -> Observation:
        """Give what Java makes of one description."""
        self._send(description)
        return self._receive()

    def observe_all(self, descriptions: Iterable[Description]) -> Iterator[Observation]:
        """Give what Java makes of each; it works on the next ones meanwhile."""
        waiting = 0
        for description in descriptions:
            self._send(description)
            waiting += 1
            if waiting > _AHEAD:
                yield self._receive()
                waiting -= 1
        for _ in range(waiting):
            yield self._receive()

    def _send(self, description: Description) -> None:
        self._in.write(description.to_json() + "\n")
        self._in.flush()

    def _receive(self) -> Observation:
        line = self._out.readline()
        if not line:
            message = f"Java ended with code {self._process.wait()}; what it said is above"
            raise java.OracleError(message)
        seen = json.loads(line)
        return Observation(lines=seen["lines"], topology=seen["topology"])

    def __enter__(self) -> Oracle:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._in.close()
        self._process.wait(timeout=30)
        self._out.close()
