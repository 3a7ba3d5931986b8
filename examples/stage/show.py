"""What a show is: a program, its input, its results on the screen, and the right answer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any, ClassVar, NamedTuple

from penstock import StreamsConfig, Topology


class Message(NamedTuple):
    """A record to be written."""

    topic: str
    key: bytes | None
    value: bytes | None
    timestamp: int


class Stored(NamedTuple):
    """A record as it lies in a topic."""

    topic: str
    partition: int
    key: bytes | None
    value: bytes | None
    timestamp: int
    headers: tuple[tuple[str, bytes | None], ...] = ()


Answer = Mapping[str, object]
"""Results by name."""


class Show(ABC):
    """One performance of a program."""

    name: ClassVar[str]
    """The program's, and its application.id."""
    about: ClassVar[str]
    """What it shows, in a line."""
    inputs: ClassVar[tuple[str, ...]]
    outputs: ClassVar[tuple[str, ...]]
    rate: ClassVar[int] = 100
    """How many numbers a second are played when it is live."""
    step_ms: ClassVar[int] = 300
    """How much later the next number is, by the time of the events: a film in quick motion."""
    settings: ClassVar[Mapping[str, Any]] = {}
    """What the program is to be told besides its id and exactly-once."""
    settings_when_checked: ClassVar[Mapping[str, Any]] = {}

    def prepare(self, config: StreamsConfig) -> None:
        """Get ready, once the place of the state is known and before the program is built."""
        del config

    @abstractmethod
    def topology(self) -> Topology:
        """Build the program."""

    def first(self, at: int) -> Iterable[Message]:
        """Give what must be there before the program begins."""
        del at
        return ()

    @abstractmethod
    def messages(self, number: int, at: int) -> Iterator[Message]:
        """Give what happens at that number, which is at that time."""

    def last(self, at: int) -> Iterable[Message]:
        """Give what ends a bounded input."""
        del at
        return ()

    def beside(self, config: StreamsConfig) -> AbstractContextManager[object]:
        """Give what else must run while the program does."""
        del config
        return nullcontext()

    @abstractmethod
    def take(self, record: Stored) -> None:
        """Take a result, to be shown."""

    @abstractmethod
    def lines(self) -> list[str]:
        """Draw the results."""

    @abstractmethod
    def expected(self, inputs: Iterable[Stored]) -> Answer:
        """Work the right answer out, without the program. The records of a partition come in their
        order.
        """

    @abstractmethod
    def actual(self, outputs: Iterable[Stored]) -> Answer:
        """Give what the program answered, in the same form."""
