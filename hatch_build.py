"""Compiles the module `_fast` from all C sources, where there is a C compiler; nothing needs it.

PENSTOCK_NO_C=1 makes a pure wheel, PENSTOCK_REQUIRE_C=1 fails where the module cannot be compiled.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import sysconfig
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

MODULE = Path("src", "penstock", "_engine", "fast", "_fast")
SOURCES = tuple(
    MODULE.with_name(name)
    for name in (
        "bulk.c",
        "columns.c",
        "entries.c",
        "fields.c",
        "flush.c",
        "lost_floats.c",
        "module.c",
        "murmur2.c",
        "murmur3.c",
        "partition_run.c",
        "recent_rows.c",
        "record_columns.c",
        "row_sender.c",
        "sink.c",
        "sizes.c",
    )
)


class CompileInC(BuildHookInterface[Any]):
    """Called by hatchling before it makes a wheel, editable ones included."""

    PLUGIN_NAME = "custom"

    def initialize(self, _version: str, build_data: dict[str, Any]) -> None:
        if os.environ.get("PENSTOCK_NO_C") == "1":
            return
        sources = (Path(self.root, source) for source in SOURCES)
        library = compile_module(Path(self.root, MODULE), sources)
        if library is None:
            if os.environ.get("PENSTOCK_REQUIRE_C") == "1":
                msg = "the parts in C cannot be compiled, and PENSTOCK_REQUIRE_C=1 asks for them"
                raise RuntimeError(msg)
            self.app.display_warning("penstock goes without its parts in C: it is slower")
            return
        build_data["pure_python"] = False
        build_data["infer_tag"] = True
        build_data["artifacts"].append(f"/{library.relative_to(self.root).as_posix()}")


def compile_module(module: Path, sources: Iterable[Path], *flags: str) -> Path | None:
    """Compile an extension module; return the path of its library, None if that cannot be done.

    `module` is the path of the library without its suffix, `flags` are more flags of the compiler.
    """
    library = module.with_name(module.name + sysconfig.get_config_var("EXT_SUFFIX"))
    compiler = shlex.split(sysconfig.get_config_var("CC") or "cc")
    # Only what Python and librdkafka look up by name is visible outside the library. The asserts of
    # Python's headers are for `make sanitize`.
    flags = (
        "-std=c11",
        "-D_GNU_SOURCE",
        "-O2",
        "-fPIC",
        "-shared",
        "-fvisibility=hidden",
        "-DNDEBUG",
        *flags,
    )
    undefined = ["-undefined", "dynamic_lookup"] if sys.platform == "darwin" else []
    headers = f"-I{sysconfig.get_paths()['include']}"
    made = library.with_suffix(".new")
    command = [*compiler, *flags, headers, *undefined, *map(str, sources), "-o", str(made)]
    try:
        subprocess.run(command, check=True)
    except (OSError, subprocess.CalledProcessError):
        library.unlink(missing_ok=True)
        return None
    # A running program goes on with the library that it has.
    made.replace(library)
    return library
