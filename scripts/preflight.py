"""Checks what a machine must have before anything is set up; one sentence says what is missing.

Usage: preflight.py [python] [java] [jdk]. It must run on the very Pythons it refuses, so it keeps
to the syntax of Python 3.6 and imports nothing of the project.
"""

import importlib.util
import re
import shutil
import subprocess
import sys
from typing import List, Optional, Tuple

PYTHON_NEEDED = (3, 11)
JAVA_NEEDED = 17
JDK_INSTALL = f"on Debian and Ubuntu: apt-get install openjdk-{JAVA_NEEDED}-jdk-headless"


def python_fault(version: Tuple[int, int]) -> Optional[str]:
    """Say why this Python will not do: too old, or without venv."""
    if version < PYTHON_NEEDED:
        needed, found = (".".join(map(str, numbers)) for numbers in (PYTHON_NEEDED, version))
        return (
            f"Python {needed} or later is needed and {sys.executable} is {found}; "
            f"install a newer one, or name one you have: make PYTHON=python{needed}"
        )
    # Debian takes ensurepip out of its Python and into a package of its own.
    if importlib.util.find_spec("ensurepip") is None:
        return (
            f"{sys.executable} cannot make virtual environments; install its venv module "
            "(on Debian and Ubuntu: apt-get install python3-venv)"
        )
    return None


def java_fault() -> Optional[str]:
    """Say why Java will not do: not there, or too old."""
    java = shutil.which("java")
    if java is None:
        return (
            f"Java {JAVA_NEEDED} or later is needed and there is no 'java' on the PATH; "
            f"install a JDK ({JDK_INSTALL})"
        )
    found = java_version(java)
    if found is None:
        return f"{java} does not run; install a JDK, version {JAVA_NEEDED} or later ({JDK_INSTALL})"
    if found < JAVA_NEEDED:
        return (
            f"Java {JAVA_NEEDED} or later is needed and {java} is {found}; "
            f"install a newer JDK and put it first on the PATH ({JDK_INSTALL})"
        )
    return None


def jdk_fault() -> Optional[str]:
    """Say why Java will not do for compiling, which the oracle does with its programs."""
    fault = java_fault()
    if fault is None and shutil.which("javac") is None:
        fault = (
            "a JDK is needed and there is only a Java runtime: no 'javac' is on the PATH; "
            f"install a JDK ({JDK_INSTALL})"
        )
    return fault


def java_version(java: str) -> Optional[int]:
    """Return the major version of `java`, or None if it does not tell."""
    try:
        done = subprocess.run(
            [java, "-version"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
    except OSError:
        return None
    # It says version "17.0.15" since Java 9 and said version "1.8.0_402" before.
    match = re.search(r'version "(?:1\.)?(\d+)', done.stdout.decode("utf-8", "replace"))
    return int(match.group(1)) if match else None


def main(names: List[str]) -> int:
    """Run the checks called `names`; return 0 if the machine passes."""
    checks = {
        "python": lambda: python_fault((sys.version_info[0], sys.version_info[1])),
        "java": java_fault,
        "jdk": jdk_fault,
    }
    for name in names:
        fault = checks[name]()
        if fault is not None:
            print(f"penstock: {fault}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or ["python"]))
