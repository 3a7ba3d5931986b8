"""The order of a commit, read from the code that does it, and a log with its markers."""

from __future__ import annotations

import ast
from pathlib import Path

from scripts.pictures.canvas import (
    GREY,
    INK,
    PALE_GREY,
    PALE_RED,
    PALE_TEAL,
    RED,
    TEAL,
    Canvas,
)

_KAFKA = Path(__file__).parents[2] / "src" / "penstock" / "_engine" / "kafka"

_BEFORE_ALL = (
    "1  records are processed; outputs are sent into the open transaction, changes of stores wait"
)
_STEPS = {
    "before-send": "2  caches are flushed: the last results and changes",
    "before-offsets": "3  these and the changelog records are sent into the transaction",
    "before-commit": "4  the consumed offsets join the transaction",
    "after-commit": "5  Kafka commits the transaction: outputs, changelogs and offsets at once",
    "after-apply": "6  the stores take over the changes that waited",
}
"""What has been done when a point is reached at which the tests kill the worker."""

LOG = ("record", "record", "record", "marker", "record", "marker")
"""What is in a partition after a transaction of three records and one of a single record."""


def crash_points() -> list[str]:
    """Return the points of an exactly-once commit at which a worker can be killed, in order."""
    commit = _method(_KAFKA / "worker" / "worker.py", "Worker", "commit")
    inner = _points(_method(_KAFKA / "worker" / "transactions.py", "ExactlyOnce", "commit"))
    found: list[str] = []
    for node in _calls(commit):
        if (
            isinstance(node.func, ast.Attribute)
            and ast.unparse(node.func) == "self._committer.commit"
        ):
            found += inner
        elif (name := _point(node)) is not None:
            found.append(name)
    return found


def commit_picture() -> str:
    """Draw the steps of a commit, and what becomes of a worker that dies between two of them."""
    points = crash_points()
    canvas = Canvas(720, 90 + 58 * len(points), "the order of a commit")
    canvas.text(30, 28, "One commit under exactly-once", size=15)
    canvas.rect(30, 42, 660, 28, fill=PALE_GREY, line=GREY)
    canvas.text(42, 61, _BEFORE_ALL)
    committed = False
    for number, point in enumerate(points):
        top = 42 + 58 * (number + 1)
        is_commit = point == "after-commit"
        fill, line = (PALE_TEAL, TEAL) if is_commit else (PALE_GREY, GREY)
        canvas.line((60, top - 30), (60, top), INK)
        canvas.rect(30, top, 660, 28, fill=fill, line=line)
        canvas.text(42, top + 19, _STEPS[point])
        killed = _killed(committed=committed)
        canvas.rect(78, top - 26, 612, 22, fill="#fff8e1" if committed else PALE_RED)
        canvas.text(88, top - 10, f"killed here: {killed}", size=12)
        committed = committed or is_commit
    return canvas.svg()


def log_picture() -> str:
    """Draw a partition that transactions were written to, with its end and where a reader is."""
    canvas = Canvas(720, 200, "a partition with the markers of transactions")
    canvas.text(30, 28, "A partition after two transactions", size=15)
    width = 100
    for offset, kind in enumerate(LOG):
        left = 40 + offset * width
        is_marker = kind == "marker"
        canvas.rect(left, 60, width - 8, 46, fill=PALE_GREY if is_marker else PALE_TEAL, line=GREY)
        canvas.text(left + 46, 88, "commit" if is_marker else "record", anchor="middle")
        canvas.text(left + 46, 54, f"offset {offset}", anchor="middle", size=12)
    last = max(offset for offset, kind in enumerate(LOG) if kind == "record")
    for offset, said, top, colour in (
        (last + 1, f"a reader that has read everything has committed {last + 1}", 140, TEAL),
        (
            len(LOG),
            f"the end of the partition is {len(LOG)}: the lag is {len(LOG) - last - 1}",
            172,
            RED,
        ),
    ):
        x = 36 + offset * width
        canvas.line((x, 62), (x, top - 4), colour)
        canvas.text(x - 6, top, said, anchor="end", colour=colour)
    return canvas.svg()


def _killed(*, committed: bool) -> str:
    if committed:
        return "the changelog brings the stores forward; no record is processed again"
    return "the transaction is aborted, what waited is forgotten, the records are read again"


def _method(file: Path, owner: str, name: str) -> ast.FunctionDef:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ClassDef) and node.name == owner:
            for inner in node.body:
                if isinstance(inner, ast.FunctionDef) and inner.name == name:
                    return inner
    msg = f"{file.name} has no {owner}.{name} any more: draw the picture anew"
    raise LookupError(msg)


def _calls(function: ast.FunctionDef) -> list[ast.Call]:
    """Return the calls of a function in the order in which they are written."""
    calls = [node for node in ast.walk(function) if isinstance(node, ast.Call)]
    return sorted(calls, key=lambda call: (call.lineno, call.col_offset))


def _points(function: ast.FunctionDef) -> list[str]:
    return [name for call in _calls(function) if (name := _point(call)) is not None]


def _point(call: ast.Call) -> str | None:
    if isinstance(call.func, ast.Name) and call.func.id == "crash_point":
        (argument,) = call.args
        return str(ast.literal_eval(argument))
    return None
