"""Installs the wheels into an empty environment outside the repository, and checks them there.

Usage: wheel_check.py WHEELS, the folder that `wheels.py` has filled. Everything that Penstock needs
is downloaded, in the versions of the lock file: 600 MB. First the wheel with the parts in C is
checked in full, then the pure one in its place, without starting Java.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import venv
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCK = ROOT / "requirements" / "dev.lock"


def main(arguments: Sequence[str]) -> int:
    """Return 0 if both wheels work."""
    folder = Path(arguments[0]).absolute()
    pure = next(folder.glob("penstock-*-none-any.whl"))
    with_c = next(wheel for wheel in folder.glob("penstock-*.whl") if wheel != pure)
    with tempfile.TemporaryDirectory(prefix="penstock-empty-") as work:
        python = Path(work) / "venv" / "bin" / "python"
        venv.create(python.parent.parent, with_pip=True)
        pins = Path(work) / "pins.txt"
        pins.write_text(pins_of(LOCK.read_text(encoding="utf-8")), encoding="utf-8")
        check = [str(python), str(ROOT / "scripts" / "installed.py")]
        install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        steps = (
            [*install, "--constraint", str(pins), str(with_c), "pytest"],
            [*check, "--with-c"],
            [*install, "--no-deps", "--force-reinstall", str(pure)],
            [*check, "--pure", "--short"],
        )
        for step in steps:
            if code := subprocess.run(step, cwd=work, check=False).returncode:
                print(f"penstock: {' '.join(step)} ended with exit code {code}", file=sys.stderr)
                return 1
    return 0


def pins_of(lock: str) -> str:
    """Return the versions of a lock file as constraints: without the hashes, which pip would then
    want of the wheel in hand, too.
    """
    return "\n".join(re.findall(r"^[\w.-]+==[^\\\n]+", lock, re.M)) + "\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
