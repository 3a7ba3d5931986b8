"""A real PostgreSQL for tests, where one is installed: a cluster of its own, on a socket only."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


def binaries() -> Path | None:
    """Return the folder of PostgreSQL's programs, None if it is not installed."""
    found = shutil.which("pg_ctl")
    if found and shutil.which("initdb"):
        return Path(found).parent
    kept = sorted(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"))
    return kept[-1].parent if kept else None


@contextmanager
def running() -> Iterator[str]:
    """Yield the address of a server that ends with the block.

    PostgreSQL refuses to run as root: then the user that its package brings runs it.
    """
    programs = binaries()
    assert programs
    folder = Path(tempfile.mkdtemp(prefix="penstock-postgresql-"))
    who: dict[str, Any] = {"cwd": folder}
    if os.getuid() == 0:
        account = pwd.getpwnam("postgres")
        os.chown(folder, account.pw_uid, account.pw_gid)
        who |= {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}

    def run(program: str, *arguments: str) -> None:
        # Not captured: the server would keep the pipe.
        with (folder / f"{program}.log").open("w") as log:
            command = [str(programs / program), "-D", str(folder / "data"), *arguments]
            subprocess.run(command, check=True, stdout=log, stderr=log, **who)

    try:
        run("initdb", "--auth=trust", "--username=postgres", "--no-sync")
        socket = f"-k {folder} -c listen_addresses='' -c fsync=off"
        run("pg_ctl", "-w", "-l", str(folder / "server.log"), "-o", socket, "start")
        try:
            yield f"postgresql:///postgres?host={folder}&user=postgres"
        finally:
            run("pg_ctl", "-w", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
