"""Builds what is released: the source archive, a wheel with the parts in C for this platform, and
a pure wheel for all others.

Usage: wheels.py FOLDER. Both wheels are made from the source archive, unpacked: what is missing
there is missing in them. No network is needed: hatchling of this environment builds.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


class BuildError(Exception):
    """Why something cannot be built."""


def main(arguments: Sequence[str]) -> int:
    """Build everything; return 0 if all of it is there."""
    try:
        for made in build(Path(arguments[0])):
            print(f"{made} ({made.stat().st_size:,} bytes)")
    except BuildError as error:
        print(f"penstock: {error}", file=sys.stderr)
        return 1
    return 0


def build(folder: Path, root: Path = ROOT) -> tuple[Path, Path, Path]:
    """Return the source archive, the wheel with the parts in C, and the pure wheel."""
    folder = folder.absolute()
    archive = _built(root, folder, "sdist", {})
    with tempfile.TemporaryDirectory(prefix="penstock-wheels-") as unpacked:
        with tarfile.open(archive) as packed:
            packed.extractall(unpacked, filter="data")
        (source,) = Path(unpacked).iterdir()
        with_c = _built(source, folder, "wheel", {"PENSTOCK_REQUIRE_C": "1"})
        pure = _built(source, folder, "wheel", {"PENSTOCK_NO_C": "1"})
    return archive, with_c, pure


def _built(source: Path, folder: Path, target: str, switches: dict[str, str]) -> Path:
    others = {"PENSTOCK_NO_C", "PENSTOCK_REQUIRE_C"}
    environment = {key: value for key, value in os.environ.items() if key not in others}
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(folder)],
        cwd=source,
        env=environment | switches,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        msg = f"the {target} cannot be built:\n{done.stdout}{done.stderr}"
        raise BuildError(msg)
    return Path((done.stdout + done.stderr).strip().splitlines()[-1])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
