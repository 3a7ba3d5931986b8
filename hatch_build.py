"""Compiles the parts of Penstock that are in C, where there is a C compiler; nothing needs it."""

from __future__ import annotations

import shlex
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_FAST = Path("src", "penstock", "_engine", "fast")
SOURCES = tuple(
    _FAST / name
    for name in (
        "_bulk.c",
        "_entries.c",
        "_murmur2.c",
        "_recent.c",
        "_row_sender.c",
        "_sink.c",
        "_stretch.c",
    )
)


class CompileInC(BuildHookInterface[Any]):
    """Called by hatchling before it makes a wheel, editable ones included."""

    PLUGIN_NAME = "custom"

    def initialize(self, _version: str, build_data: dict[str, Any]) -> None:
        for source in SOURCES:
            library = compile_beside(Path(self.root, source))
            if library is None:
                self.app.display_warning(f"penstock goes without {source.name}: it is slower")
                continue
            build_data["pure_python"] = False
            build_data["infer_tag"] = True
            build_data["artifacts"].append(f"/{library.relative_to(self.root).as_posix()}")


def compile_beside(source: Path) -> Path | None:
    """Compile an extension module; give where it is, None if that cannot be done here."""
    library = source.with_name(source.stem + sysconfig.get_config_var("EXT_SUFFIX"))
    compiler = shlex.split(sysconfig.get_config_var("CC") or "cc")
    undefined = ["-undefined", "dynamic_lookup"] if sys.platform == "darwin" else []
    headers = sysconfig.get_paths()["include"]
    flags = ["-std=c11", "-D_GNU_SOURCE", "-O2", "-fPIC", "-shared", f"-I{headers}", *undefined]
    made = library.with_suffix(".new")
    try:
        subprocess.run([*compiler, *flags, str(source), "-o", str(made)], check=True)
    except (OSError, subprocess.CalledProcessError):
        library.unlink(missing_ok=True)
        return None
    # A running program goes on with the library that it has.
    made.replace(library)
    return library
