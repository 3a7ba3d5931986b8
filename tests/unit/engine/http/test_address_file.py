"""The file that says where an application serves."""

from __future__ import annotations

import json
import os
from pathlib import Path

from penstock._engine.http.address_file import (
    ServedAt,
    read_addresses,
    remove_address,
    write_address,
)

HERE = ServedAt("http://127.0.0.1:1", "secret")


def test_it_is_its_owners_alone_and_goes_with_its_process(tmp_path: Path) -> None:
    path = write_address(tmp_path / "state" / "app", HERE)
    assert path.stat().st_mode & 0o777 == 0o600
    (found,) = read_addresses(tmp_path / "state" / "app")
    assert (found.url, found.token, found.process) == (HERE.url, "secret", os.getpid())
    assert "secret" not in repr(found)
    remove_address(path)
    assert read_addresses(tmp_path / "state" / "app") == []
    assert not path.parent.exists()


def test_what_lies_there_already_is_not_followed(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("mine")
    folder = tmp_path / "http"
    folder.mkdir()
    (folder / f"{os.getpid()}.json").symlink_to(elsewhere)
    write_address(tmp_path, HERE)
    assert elsewhere.read_text() == "mine"


def test_files_of_dead_processes_and_broken_ones_are_passed_by(tmp_path: Path) -> None:
    path = write_address(tmp_path, HERE)
    gone = os.fork()
    if gone == 0:
        os._exit(0)
    os.waitpid(gone, 0)
    document = {**json.loads(path.read_text()), "process": gone}
    (path.parent / "dead.json").write_text(json.dumps(document))
    (path.parent / "broken.json").write_text("{")
    (path.parent / "other.json").write_text('{"a": 1}')
    document = json.loads(path.read_text())
    damaged: tuple[dict[str, object], ...] = (
        {"url": 5},
        {"process": 10**30},
        {"process": 10**12},
        {"process": 0},
        {"process": "1"},
        {"token": 5},
        {"token": "two words"},
        {"certificate": [1]},
    )
    for number, wrong in enumerate(damaged):
        (path.parent / f"damaged{number}.json").write_text(json.dumps({**document, **wrong}))
    assert [found.process for found in read_addresses(tmp_path)] == [os.getpid()]


def test_a_new_process_removes_the_files_of_dead_ones_of_its_machine(tmp_path: Path) -> None:
    path = write_address(tmp_path, HERE)
    document = json.loads(path.read_text())
    gone = os.fork()
    if gone == 0:
        os._exit(0)
    os.waitpid(gone, 0)
    kept: dict[str, dict[str, object]] = {
        "alive": {"process": os.getppid()},
        "elsewhere": {"process": gone, "machine": "another machine"},
        "earlier": {"process": gone, "machine": None},
    }
    written: dict[str, dict[str, object]] = {**kept, "dead": {"process": gone}}
    for name, other in written.items():
        (path.parent / f"{name}.json").write_text(json.dumps({**document, **other}))
    (path.parent / "damaged.json").write_text("{")
    assert write_address(tmp_path, HERE) == path
    assert {file.stem for file in path.parent.iterdir()} == {path.stem, "damaged", *kept}
