"""What the project is made of: `make audit`, `make licences`, `make sbom`.

Usage: supply_chain.py audit|licences|sbom LOCK [OUTPUT]. Packages and hashes are those of the lock
file, licences those of the installed packages. Advisories come from the package index that pip is
set to ask, in the words of its JSON answers. Exit codes: 0 nothing found, 1 something found, 3 the
advisory data cannot be had for some packages.
"""

from __future__ import annotations

import json
import re
import sys
import urllib.error
import urllib.request
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

FOUND, UNREACHABLE = 1, 3
PROJECT = "penstock"
_SECONDS = 20.0

_PACKAGE = re.compile(r"^(?P<name>[A-Za-z0-9._-]+)(?:\[[^]]*\])?==(?P<version>[^\s;\\]+)")
_HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")

_LICENCES = {
    "Apache": "Apache-2.0",
    "BSD": "BSD-3-Clause",
    "MIT": "MIT",
    "Mozilla": "MPL-2.0",
    "MPL": "MPL-2.0",
    "PSF": "PSF-2.0",
    "Python Software Foundation": "PSF-2.0",
    "ISC": "ISC",
    "LGPL": "LGPL-3.0-only",
    "GPL": "GPL",
}
"""How packages call a licence, and its SPDX name; the first that fits counts."""
_FREE = frozenset(
    {"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "MIT", "PSF-2.0", "ISC", "0BSD", "MPL-2.0"}
)
_TOOLS_ONLY = frozenset({"LGPL-3.0-only"})
"""Fine for what is installed beside the project, such as an optional driver."""


@dataclass(frozen=True, slots=True)
class Package:
    """A line of the lock file."""

    name: str
    version: str
    hashes: tuple[str, ...] = ()

    @property
    def purl(self) -> str:
        return f"pkg:pypi/{self.name}@{self.version}"


def read_lock(text: str) -> list[Package]:
    """Return the packages of a lock file, with their hashes."""
    packages: list[Package] = []
    for line in text.splitlines():
        if match := _PACKAGE.match(line):
            packages.append(Package(normal(match["name"]), match["version"]))
        if found := _HASH.findall(line):
            last = packages.pop()
            packages.append(Package(last.name, last.version, (*last.hashes, *found)))
    return packages


def normal(name: str) -> str:
    """Return a package's name as indexes write it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def licence_of(said: Any) -> str | None:
    """Return the SPDX expression of a package's licence, None if it does not say one."""
    if expression := said.get("License-Expression"):
        return str(expression)
    classifiers = [one for one in said.get_all("Classifier") or [] if one.startswith("License")]
    for text in (*classifiers, str(said.get("License") or "").split("\n")[0]):
        for word, spdx in _LICENCES.items():
            if word in text:
                return spdx
    return None


def is_acceptable(expression: str, *, runtime: bool) -> bool:
    """Return whether one of the alternatives of an expression may be used."""
    allowed = _FREE if runtime else _FREE | _TOOLS_ONLY
    return any(
        all(part.strip(" ()") in allowed for part in choice.split(" AND "))
        for choice in expression.split(" OR ")
    )


def runtime_names(project: str = PROJECT) -> set[str]:
    """Return what a user gets with the project: its requirements and theirs, without extras."""
    names: set[str] = set()
    waiting = [project]
    while waiting:
        try:
            requirements = metadata.requires(waiting.pop()) or []
        except metadata.PackageNotFoundError:
            continue  # for another platform
        for requirement in requirements:
            name = normal(re.split(r"[\s;<>=!~\[(]", requirement, maxsplit=1)[0])
            if "extra ==" not in requirement and name not in names:
                names.add(name)
                waiting.append(name)
    return names


def licences(packages: Iterable[Package]) -> int:
    """Print the licence of every package; return 1 if one is unknown or not acceptable."""
    runtime, faults = runtime_names(), 0
    for package in packages:
        try:
            licence = licence_of(metadata.metadata(package.name))
        except metadata.PackageNotFoundError:
            print(f"{package.name:28} {package.version:14} not installed on this platform")
            continue
        of_users = package.name in runtime
        fine = licence is not None and is_acceptable(licence, runtime=of_users)
        faults += not fine
        where = "runtime" if of_users else "tools"
        verdict = "" if fine else "  <- unknown" if licence is None else "  <- not acceptable"
        print(f"{package.name:28} {package.version:14} {where:8} {licence or '?'}{verdict}")
    return FOUND if faults else 0


def sbom(packages: Iterable[Package]) -> dict[str, Any]:
    """Return the bill of materials as CycloneDX 1.6; the same lock file gives the same document."""
    runtime = runtime_names()
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "library",
                "bom-ref": PROJECT,
                "name": PROJECT,
                "version": metadata.version(PROJECT),
                "licenses": [{"expression": "Apache-2.0"}],
            }
        },
        "components": [_component(package, package.name in runtime) for package in packages],
    }


def _component(package: Package, runtime: bool) -> dict[str, Any]:
    component: dict[str, Any] = {
        "type": "library",
        "bom-ref": package.purl,
        "name": package.name,
        "version": package.version,
        "purl": package.purl,
        "scope": "required" if runtime else "excluded",
        # One for each file that may be installed: platforms have their own.
        "properties": [{"name": "penstock:sha256", "value": one} for one in package.hashes],
    }
    try:
        licence = licence_of(metadata.metadata(package.name))
    except metadata.PackageNotFoundError:
        licence = None
    if licence is not None:
        component["licenses"] = [{"expression": licence}]
    return component


def audit(packages: Sequence[Package], index: str) -> int:
    """Print the known vulnerabilities; return 1 if there are some, 3 if that cannot be told."""
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda package: advisories(package, index), packages))
    unknown = [each.name for each, found in zip(packages, answers, strict=True) if found is None]
    faults = 0
    for package, found in zip(packages, answers, strict=True):
        for one in found or ():
            faults += 1
            fixed = ", ".join(one.get("fixed_in") or ()) or "no version yet"
            print(f"{package.name} {package.version}: {one.get('id')}, fixed in {fixed}")
    print(
        f"{len(packages) - len(unknown)} of {len(packages)} packages audited, {faults} advisories"
    )
    if unknown:
        print(f"advisory data not reachable for {', '.join(unknown)}")
    return FOUND if faults else UNREACHABLE if unknown else 0


def advisories(package: Package, index: str) -> list[dict[str, Any]] | None:
    """Return the advisories of a version, None if the index does not tell."""
    for path in (f"{package.name}/{package.version}", package.name):
        document = _read(f"{index}/{path}/json")
        # The answer for a name is about its newest version.
        if document and document.get("info", {}).get("version") == package.version:
            found = document.get("vulnerabilities")
            return None if found is None else [one for one in found if not one.get("withdrawn")]
    return None


def _read(address: str) -> dict[str, Any] | None:
    try:
        with urllib.request.urlopen(address, timeout=_SECONDS) as answer:
            document: dict[str, Any] = json.load(answer)
    except (OSError, ValueError, urllib.error.URLError):
        return None
    return document


def index_of_pip() -> str:
    """Return where pip's index answers in JSON: beside its simple pages."""
    from pip._internal.configuration import Configuration  # noqa: PLC0415
    from pip._internal.models.index import PyPI  # noqa: PLC0415

    settings = Configuration(isolated=False)
    settings.load()
    set_by_user: Iterator[Any] = (
        value for key, value in settings.items() if key.endswith(".index-url")
    )
    simple = str(next(set_by_user, PyPI.simple_url)).rstrip("/")
    return f"{simple.removesuffix('/simple')}/pypi"


def main(arguments: Sequence[str]) -> int:
    """Do what the first argument says, with the lock file of the second."""
    packages = read_lock(Path(arguments[1]).read_text(encoding="utf-8"))
    if arguments[0] == "audit":
        return audit(packages, index_of_pip())
    if arguments[0] == "licences":
        return licences(packages)
    output = Path(arguments[2])
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(json.dumps(sbom(packages), indent=2) + "\n", encoding="utf-8")
    print(f"{len(packages)} packages in {output}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
