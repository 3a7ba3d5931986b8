"""A wrong program and what it is told.

A program is wrong in the line marked `# wrong`: a TopologyError ends with that line of its file.
Where a message names an earlier line too, as `{first}`, that one is marked `# first`; another error
that names the wrong line says where, as `{wrong}`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import pytest

from penstock import TopologyError

Program: TypeAlias = Callable[[], object]


@dataclass(frozen=True)
class Wrong:
    """A wrong program, the exception it gets and its text."""

    program: Program
    kind: type[Exception]
    message: str

    def check(self) -> None:
        """Run the program; it must be refused so and not otherwise."""
        with pytest.raises(Exception) as caught:  # noqa: PT011 - the kind is compared below
            self.program()
        assert (self.kind, self.expected()) == (type(caught.value), str(caught.value))

    def expected(self) -> str:
        text = self.message.replace("{first}", self._place("# first"))
        text = text.replace("{wrong}", self._place("# wrong"))
        return f"{text} (at {self._place('# wrong')})" if self.kind is TopologyError else text

    def _place(self, mark: str) -> str:
        lines, start = inspect.getsourcelines(self.program)
        numbers = [start + i for i, line in enumerate(lines) if line.rstrip().endswith(mark)]
        assert len(numbers) <= 1, f"{self.program.__name__} has several lines marked {mark}"
        return f"{inspect.getsourcefile(self.program)}:{numbers[0]}" if numbers else "nowhere"


class WrongPrograms(list[Wrong]):
    """The wrong programs of a file; `refused` notes one."""

    def refused(
        self, message: str, kind: type[Exception] = TopologyError
    ) -> Callable[[Program], Program]:
        """Note a program that must be refused with this text."""

        def register(program: Program) -> Program:
            self.append(Wrong(program, kind, message))
            return program

        return register
