"""`penstock pack`: this Python environment as an archive for the executors of a cluster.

The archive is a virtual environment that works wherever it is unpacked, as `spark-submit --archives
env.tar.gz#env` does. It has the packages and not the interpreter: that is a link to one that the
machines must have.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import re
import sys
import tarfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.metadata import Distribution, distributions
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from penstock.cli.arguments.options import add_command, names
from penstock.errors import StreamsError

if TYPE_CHECKING:
    from penstock.cli.arguments.options import Commands

_DESCRIPTION = """\
Pack the Python environment of this command for the executors of a Spark cluster, which unpack it
themselves. The archive has the packages, and a link to the interpreter: the machines need the same
version of Python, at the same path or at that of --python.
"""
_EXAMPLES = """\
  penstock pack                                      all packages, into env.tar.gz
  penstock pack --without-pyspark                    where the cluster has Spark: much smaller
  penstock pack --only penstock,pydantic             these and what they need
  penstock pack --python /usr/bin/python3.12
"""
_PYSPARK = frozenset({"pyspark", "py4j"})
# Most of it are libraries that hardly shrink: more takes three times as long for a tenth.
_COMPRESSION = 3
_MEGABYTE = 1_000_000


def register(commands: Commands) -> None:
    """Add the command to the command line."""
    parser = add_command(
        commands,
        "pack",
        "pack this environment for the executors of a cluster",
        description=_DESCRIPTION,
        examples=_EXAMPLES,
    )
    parser.add_argument(
        "archive", nargs="?", type=Path, default=Path("env.tar.gz"), help="(default: env.tar.gz)"
    )
    parser.add_argument(
        "--only", type=names, metavar="NAMES", help="only these packages, with what they need"
    )
    parser.add_argument(
        "--without-pyspark", action="store_true", help="leave out PySpark, which the cluster has"
    )
    parser.add_argument(
        "--python",
        type=Path,
        metavar="PATH",
        help="the interpreter on the executors' machines (default: that of this environment)",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Write the archive; print how it is used."""
    archive: Path = arguments.archive
    if not archive.name.endswith((".tar.gz", ".tgz")):
        msg = f"the archive must be called .tar.gz or .tgz, so that Spark unpacks it; got {archive}"
        raise StreamsError(msg)
    installed = {_key(each.name): each for each in distributions()}
    chosen = set(installed) if arguments.only is None else _closure(arguments.only, installed)
    if arguments.without_pyspark:
        chosen -= _PYSPARK
    python = (arguments.python or Path(sys._base_executable)).absolute()  # type: ignore[attr-defined]
    packages = [installed[name] for name in sorted(chosen)]
    try:
        _write(archive, packages, python)
    except OSError as error:
        msg = f"the archive {archive} cannot be written: {error}"
        raise StreamsError(msg) from error
    size = archive.stat().st_size / _MEGABYTE
    print(f"{archive}: {len(packages)} packages, {size:,.1f} MB, for {python}")
    print(f"  mkdir -p env && tar -xzf {archive} -C env")
    use = f"--archives '{archive}#env' --conf spark.pyspark.python=./env/bin/python"
    print(f"  spark-submit {use} ... app.py")
    return 0


def _closure(asked: Iterable[str], installed: Mapping[str, Distribution]) -> set[str]:
    """Return packages and those they require, as far as these are installed."""
    found: set[str] = set()
    waiting = [*map(_key, asked), "penstock"]
    if missing := sorted(set(waiting) - set(installed)):
        msg = f"package {missing[0]!r} is not installed in {sys.prefix}"
        raise StreamsError(msg)
    while waiting:
        name = waiting.pop()
        if name in found or name not in installed:
            continue
        found.add(name)
        # What only an extra needs must be asked for by its name.
        needed = (each for each in installed[name].requires or () if "extra ==" not in each)
        waiting += [_key(re.split(r"[^\w.-]", each.strip(), maxsplit=1)[0]) for each in needed]
    return found


def _key(name: str) -> str:
    """Return a package's name as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _write(archive: Path, packages: Sequence[Distribution], python: Path) -> None:
    # Another command or an executor never finds half an archive.
    part = archive.with_name(f".{archive.name}.{os.getpid()}.part")
    try:
        with tarfile.open(part, "w:gz", compresslevel=_COMPRESSION) as tar:
            _add_interpreter(tar, python)
            seen: set[str] = set()
            for package in packages:
                for path, name in _files(package):
                    if name not in seen:
                        seen.add(name)
                        tar.add(path, name, recursive=False, filter=_plain)
        part.replace(archive)
    finally:
        part.unlink(missing_ok=True)


def _add_interpreter(tar: tarfile.TarFile, python: Path) -> None:
    for name, target in (("python", str(python)), ("python3", "python")):
        link = tarfile.TarInfo(f"bin/{name}")
        link.type, link.linkname, link.mode = tarfile.SYMTYPE, target, 0o777
        tar.addfile(link)
    settings = f"home = {python.parent}\ninclude-system-site-packages = false\n".encode()
    file = tarfile.TarInfo("pyvenv.cfg")
    file.size, file.mode = len(settings), 0o644
    tar.addfile(file, io.BytesIO(settings))


def _plain(file: tarfile.TarInfo) -> tarfile.TarInfo:
    """The owner is the user who unpacks it."""
    file.uid = file.gid = 0
    file.uname = file.gname = ""
    file.mode |= 0o644
    return file


def _files(package: Distribution) -> Iterator[tuple[Path, str]]:
    """Yield the files of a package, each with its name in the archive. Scripts stay behind: they
    name the interpreter of this machine.
    """
    folder = f"lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages"
    if _is_editable(package):
        for path, name in _sources(package):
            yield path, f"{folder}/{name}"
    for file in package.files or ():
        path = Path(str(package.locate_file(file)))
        is_inside = ".." not in file.parts and not PurePosixPath(file).is_absolute()
        is_link_to_sources = _is_editable(package) and path.suffix == ".pth"
        if is_inside and not is_link_to_sources and _is_wanted(path):
            yield path, f"{folder}/{file}"


def _is_editable(package: Distribution) -> bool:
    origin = json.loads(package.read_text("direct_url.json") or "{}")
    return bool(origin.get("dir_info", {}).get("editable"))


def _sources(package: Distribution) -> Iterator[tuple[Path, str]]:
    """Yield the modules of a package that is installed as a link to its sources."""
    links = [Path(str(package.locate_file(file))) for file in package.files or ()]
    lines = [
        line
        for link in links
        if link.suffix == ".pth"
        for line in link.read_text().splitlines()
        if line and not line.startswith("#")
    ]
    folders = [Path(line) for line in lines if Path(line).is_dir()]
    if not folders:
        msg = (
            f"package {package.name!r} is installed as a link to its sources that cannot be "
            "followed; install it without --editable, then pack again"
        )
        raise StreamsError(msg)
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if _is_wanted(path):
                yield path, path.relative_to(folder).as_posix()


def _is_wanted(path: Path) -> bool:
    return path.is_file() and "__pycache__" not in path.parts
