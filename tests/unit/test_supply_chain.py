"""The lock file as a bill of materials, licences and advisories."""

from __future__ import annotations

from email.message import Message
from pathlib import Path
from typing import Any, cast

import pytest

from scripts import supply_chain
from scripts.supply_chain import Package, audit, is_acceptable, licence_of, main, read_lock

LOCK = f"""\
# made by a tool
Py_Arrow[all]==26.0.1 ; python_version > '3' \\
    --hash=sha256:{"a" * 64} \\
    --hash=sha256:{"b" * 64}
    # via penstock
msgspec==0.22.0 \\
    --hash=sha256:{"c" * 64}
"""


def test_a_lock_file_is_read_with_its_hashes() -> None:
    assert read_lock(LOCK) == [
        Package("py-arrow", "26.0.1", ("a" * 64, "b" * 64)),
        Package("msgspec", "0.22.0", ("c" * 64,)),
    ]


@pytest.mark.parametrize(
    ("headers", "licence"),
    [
        ([("License-Expression", "MIT OR Apache-2.0")], "MIT OR Apache-2.0"),
        ([("Classifier", "License :: OSI Approved :: Apache Software License")], "Apache-2.0"),
        ([("License", "BSD 3-Clause\nCopyright")], "BSD-3-Clause"),
        ([("License", "UNKNOWN")], None),
        ([], None),
    ],
)
def test_a_licence_is_found_where_packages_say_it(
    headers: list[tuple[str, str]], licence: str | None
) -> None:
    said = Message()
    for name, value in headers:
        said[name] = value
    assert licence_of(cast("Any", said)) == licence


def test_copyleft_is_for_tools_only() -> None:
    assert is_acceptable("LGPL-3.0-only", runtime=False)
    assert not is_acceptable("LGPL-3.0-only", runtime=True)
    assert is_acceptable("GPL OR MIT", runtime=True)
    assert not is_acceptable("GPL AND MIT", runtime=True)


def test_the_bill_of_materials_has_every_package_of_the_lock(tmp_path: Path) -> None:
    lock = tmp_path / "some.lock"
    lock.write_text(LOCK)
    outputs = [tmp_path / name / "sbom.json" for name in ("first", "second")]
    for output in outputs:
        assert main(["sbom", str(lock), str(output)]) == 0
    text = outputs[0].read_text()
    assert text == outputs[1].read_text()
    assert '"purl": "pkg:pypi/msgspec@0.22.0"' in text
    assert "c" * 64 in text


@pytest.mark.parametrize(
    ("answers", "code"),
    [
        ({"i/msgspec/0.22.0/json": []}, 0),
        ({"i/msgspec/json": []}, 0),
        ({"i/msgspec/0.22.0/json": [{"id": "PYSEC-1", "fixed_in": ["0.23"]}]}, 1),
        ({"i/msgspec/0.22.0/json": [{"id": "PYSEC-1", "withdrawn": "2026-01-01"}]}, 0),
        ({}, 3),
    ],
)
def test_an_audit_tells_what_it_found_and_what_it_could_not_ask(
    answers: dict[str, Any], code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read(address: str) -> dict[str, Any] | None:
        found = answers.get(address)
        return None if found is None else {"info": {"version": "0.22.0"}, "vulnerabilities": found}

    monkeypatch.setattr(supply_chain, "_read", read)
    assert audit([Package("msgspec", "0.22.0")], "i") == code
    # The newest version is another one: what is known of it says nothing of ours.
    if code == 0 and "i/msgspec/json" in answers:
        assert audit([Package("msgspec", "0.21.0")], "i") == 3
