"""How a random program is written: JSON that Python and Java both can run.

`{"steps": [...], "input": [...], "config": {...}}`. `input` is what `input.jsonl` of a case is, and
`config` holds Kafka's settings, handlers by the word `continue`. A step is

    {"id": "t3", "verb": "reduce", "of": "g2", "f": "append", "materialized": {"name": "sums"}}

`verb` is a verb of the DSL; `of` names the step whose result it is applied to, `with` the other
side of a join, a merge or a cogroup; sources have neither. Functions are named as in
`functions.py`: `f` is the verb's main one; `key` and `value` are the two halves of a mapper that
gives a pair; joins by another key have it from `key`, sinks with a topic for each key from
`topic_by`. Options have the names and the fields that
they have in Python; durations are milliseconds, and serdes are `string`, `long`,
`time/<size>/<serde of the key>` and `session/<serde of the key>`. What is not given is left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from conformance.harness import Line

Step = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Description:
    """A program and its input."""

    steps: list[Step]
    input: list[Line]
    config: dict[str, Any] = field(default_factory=dict)

    def to_json(self) -> str:
        """Write it on one line."""
        whole = {"steps": self.steps, "input": self.input, "config": self.config}
        return json.dumps(whole, ensure_ascii=False)

    def to_text(self) -> str:
        """Write it for a reader: a step a line, and an input a line."""
        parts = [f'"steps": [\n{_lines(self.steps)}]']
        if self.input:
            parts.append(f'"input": [\n{_lines(self.input)}]')
        parts.append(f'"config": {json.dumps(self.config)}')
        return "{" + ",\n".join(parts) + "}\n"

    @staticmethod
    def from_json(text: str) -> Description:
        """Read what `to_json` or `to_text` wrote."""
        whole = json.loads(text)
        return Description(whole["steps"], whole.get("input", []), whole.get("config", {}))


def result_ids(step: Step) -> Iterator[str]:
    """Give the names of what a step makes: one, none, or one for each branch of a split."""
    if "id" in step:
        yield step["id"]
    for branch in step.get("branches", ()):
        yield branch["id"]


def used_ids(step: Step) -> Iterator[str]:
    """Give the names of what a step is applied to."""
    for field_name in ("of", "with"):
        if field_name in step:
            yield step[field_name]


def _lines(items: list[Any]) -> str:
    return ",\n".join(f"  {json.dumps(item, ensure_ascii=False)}" for item in items) + "\n"
