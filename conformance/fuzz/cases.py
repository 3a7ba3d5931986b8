"""Writes a described program as a conformance case: a difference that was found stays watched.

`python -m conformance.fuzz.cases VERB/NAME FILE "What it shows."` makes the folder; record it then.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from conformance import harness
from conformance.fuzz.description import Description

_PYTHON = '''"""{shows}"""

from pathlib import Path

from conformance.fuzz.interpret import DescribedProgram

_program = DescribedProgram.of_case(Path(__file__).parent)
topology, CONFIG = _program.topology, _program.CONFIG
'''

_JAVA = """/** What it does stands in program.json. */
public class Program extends DescribedProgram {}
"""


def write(folder: Path, description: Description, shows: str) -> None:
    """Write the files of a case but its expectations."""
    folder.mkdir(parents=True)
    (folder / "program.py").write_text(_PYTHON.format(shows=shows), encoding="utf-8")
    (folder / "Program.java").write_text(_JAVA, encoding="utf-8")
    program = Description(description.steps, [], description.config)
    (folder / "program.json").write_text(program.to_text(), encoding="utf-8")
    lines = [json.dumps(line, ensure_ascii=False) + "\n" for line in description.input]
    (folder / "input.jsonl").write_text("".join(lines), encoding="utf-8")


def main(place: str, file: str, shows: str) -> None:
    """Write the case `place`, as in `suppress/suppress_twice`, of the description in `file`."""
    verb, _, name = place.partition("/")
    if not verb or not name:
        message = f"the case must be VERB/NAME, as in suppress/suppress_twice; got {place!r}"
        raise SystemExit(message)
    description = Description.from_json(Path(file).read_text(encoding="utf-8"))
    write(harness.CASES / verb / name, description, shows)
    print(f"now record it: make conformance-record CASES={name}")


if __name__ == "__main__":
    main(*sys.argv[1:])
