"""A show on a bounded input: it ends by itself, and every result must be the right one."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import redirect_stderr
from dataclasses import dataclass
from io import StringIO
from itertools import chain
from typing import Any

from examples.stage.live import now_ms, settings_of
from examples.stage.show import Message, Show, Stored
from examples.stage.topics import Writer, read_all
from penstock import KafkaStreams, StreamsConfig
from penstock.broker import make_missing_topics

_ENDS_BEFORE_MS = 2 * 3_600_000
"""How long ago the last event is: a broker refuses what is of the future."""
_SHOWN = 5


@dataclass(frozen=True)
class Outcome:
    """What came of it."""

    records_in: int
    records_out: int
    checked: Mapping[str, int]
    """How many results of each kind there must be."""
    differences: list[str]
    seconds: float

    @property
    def right(self) -> bool:
        return not self.differences


def check(
    show: Show, bootstrap_servers: str, state_dir: str, count: int, *, spark: Any = None
) -> Outcome:
    """Write the first `count` numbers of a show, process them, compare the results."""
    began = time.monotonic()
    settings = {**settings_of(show), **show.settings_when_checked}
    places = {"bootstrap.servers": bootstrap_servers, "state.dir": state_dir}
    config = StreamsConfig({**settings, **places})
    show.prepare(config)
    topology = show.topology()
    make_missing_topics(topology, config)
    writer = Writer(bootstrap_servers)
    begin = now_ms() - count * show.step_ms - _ENDS_BEFORE_MS
    writer.write(script(show, begin, count))
    writer.flush()
    # What workers complain of, such as records that cannot be read, is no news here.
    with show.beside(config), redirect_stderr(StringIO()):
        KafkaStreams(topology, config, spark=spark).run(available_now=True, quiet=True)
    inputs = read_all(bootstrap_servers, show.inputs)
    outputs = read_all(bootstrap_servers, show.outputs)
    return compare(show, inputs, outputs, time.monotonic() - began)


def script(show: Show, begin: int, count: int) -> Iterator[Message]:
    """Give all that a show says in its first `count` numbers."""
    played = (show.messages(number, begin + number * show.step_ms) for number in range(count))
    end = begin + count * show.step_ms
    return chain(show.first(begin), chain.from_iterable(played), show.last(end))


def compare(
    show: Show, inputs: Iterable[Stored], outputs: Iterable[Stored], seconds: float = 0.0
) -> Outcome:
    """Compare what came out with what should have."""
    inputs, outputs = list(inputs), list(outputs)
    expected, actual = show.expected(inputs), show.actual(outputs)
    checked = {name: _size(part) for name, part in expected.items()}
    differences = list(_differences(expected, actual))
    return Outcome(len(inputs), len(outputs), checked, differences, seconds)


def _differences(expected: Mapping[str, object], actual: Mapping[str, object]) -> Iterator[str]:
    for name in sorted(expected.keys() | actual.keys()):
        right, answer = expected.get(name), actual.get(name)
        if right == answer:
            continue
        if not (isinstance(right, Mapping) and isinstance(answer, Mapping)):
            yield f"{name}: {answer!r} should be {right!r}"
            continue
        wrong = [key for key in right.keys() | answer.keys() if right.get(key) != answer.get(key)]
        yield f"{name}: {len(wrong)} of {len(right)} are wrong"
        for key in sorted(wrong, key=str)[:_SHOWN]:
            yield f"  {key}: {answer.get(key)!r} should be {right.get(key)!r}"


def _size(part: object) -> int:
    return len(part) if isinstance(part, Mapping) else 1
