"""Checks the interpreter of Spark's Python workers, `PYSPARK_PYTHON`, before a job needs it.

Spark runs it in the driver too: a data source is planned there. An archive that executors unpack is
therefore needed beside the driver as well.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from penstock.errors import ConfigError

_LOOK = """
import importlib.util, sys
print("%d.%d" % sys.version_info[:2], importlib.util.find_spec("penstock") is not None)
"""
_SECONDS = 60.0


def check_interpreter(named: str, paths: Sequence[str] = ()) -> None:
    """Refuse an interpreter that does not run here, has no Penstock, or is of another version.

    `paths` are where Spark's workers look for modules first.

    Raises:
        ConfigError: it says what to do.
    """
    found = shutil.which(named)
    if found is None:
        raise ConfigError(_missing(named))
    if Path(found).absolute().parent == Path(sys.executable).absolute().parent:
        return
    look = [*paths, *filter(None, [os.environ.get("PYTHONPATH")])]
    try:
        done = subprocess.run(
            [found, "-c", _LOOK],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(look)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError) as error:
        said = str(getattr(error, "stderr", None) or error).strip().splitlines()[-1:]
        msg = f"'PYSPARK_PYTHON' is {_named(named)}, which does not run here: {''.join(said)}"
        raise ConfigError(msg) from error
    _check_answer(named, *done.stdout.split())


def _missing(named: str) -> str:
    where = f"in {Path.cwd()}" if os.sep in named else "on the PATH"
    advice = f"set it to an interpreter of all machines, or to {sys.executable}"
    if not os.path.isabs(named) and os.sep in named:
        folder = Path(named).parts[0]
        advice = (
            "Spark runs it in the driver, too: unpack the archive here as executors do ("
            f"mkdir -p {folder} && tar -xzf ARCHIVE -C {folder}), or submit with "
            "--deploy-mode cluster where the master takes it"
        )
    return f"'PYSPARK_PYTHON' is {_named(named)}, which is not there {where}; {advice}"


def _named(named: str) -> str:
    is_set = "PYSPARK_PYTHON" in os.environ
    return repr(named) if is_set else f"not set, so Spark's workers run {named!r}"


def _check_answer(named: str, version: str, has_penstock: str) -> None:
    own = f"{sys.version_info.major}.{sys.version_info.minor}"
    if version != own:
        msg = (
            f"'PYSPARK_PYTHON' is {_named(named)}, Python {version}, and the driver is Python "
            f"{own}; both must be of one version: set PYSPARK_PYTHON={sys.executable} before the "
            "session is made, or 'PYSPARK_DRIVER_PYTHON'"
        )
        raise ConfigError(msg)
    if has_penstock != "True":
        msg = (
            f"'PYSPARK_PYTHON' is {_named(named)}, which has no package 'penstock'; set "
            f"PYSPARK_PYTHON={sys.executable} before the session is made, or to the interpreter of "
            "an environment of 'penstock pack'"
        )
        raise ConfigError(msg)
