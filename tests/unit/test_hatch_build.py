"""The parts in C are compiled where they can be; where they cannot, the rest is installed."""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from hatch_build import MODULE, SOURCES, compile_module

ROOT = Path(__file__).parent.parent.parent
SUFFIX = sysconfig.get_config_var("EXT_SUFFIX")

NOTHING = r"""
#ifndef NDEBUG
#error "the asserts of Python's headers are for make sanitize"
#endif
#include <Python.h>
extern struct PyModuleDef definition;
PyMODINIT_FUNC PyInit_nothing(void) { return PyModule_Create(&definition); }
"""
DEFINITION = r"""
#include <Python.h>
struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "nothing", NULL, -1};
"""


@pytest.fixture
def _compiler() -> None:
    headers = Path(sysconfig.get_paths()["include"], "Python.h")
    if shutil.which("cc") is None or not headers.exists():
        pytest.skip("there is no C compiler, or Python came without its headers")


def sources_of_nothing(folder: Path) -> list[Path]:
    (folder / "nothing.c").write_text(NOTHING)
    (folder / "definition.c").write_text(DEFINITION)
    return [folder / "nothing.c", folder / "definition.c"]


@pytest.mark.usefixtures("_compiler")
def test_what_is_compiled_can_be_imported(tmp_path: Path) -> None:
    library = compile_module(tmp_path / "nothing", sources_of_nothing(tmp_path))
    assert library == tmp_path / f"nothing{SUFFIX}"
    subprocess.run([sys.executable, "-c", "import nothing"], cwd=tmp_path, check=True)
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_file()) == sorted(
        ("definition.c", "nothing.c", f"nothing{SUFFIX}")
    )


@pytest.mark.parametrize("compiler", ["no-such-compiler", "false"])
def test_without_a_compiler_there_is_nothing_not_even_what_was_there(
    tmp_path: Path, compiler: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources, old = sources_of_nothing(tmp_path), tmp_path / f"nothing{SUFFIX}"
    old.touch()
    named = {"CC": compiler, "EXT_SUFFIX": SUFFIX}
    monkeypatch.setattr(sysconfig, "get_config_var", named.get)
    assert compile_module(tmp_path / "nothing", sources) is None
    assert not old.exists()


@pytest.mark.slow
@pytest.mark.usefixtures("_compiler")
def test_the_compiler_has_no_warning(tmp_path: Path) -> None:
    sources = (ROOT / source for source in SOURCES)
    assert compile_module(tmp_path / MODULE.name, sources, "-Wall", "-Wextra", "-Werror")


@pytest.mark.slow
@pytest.mark.usefixtures("_compiler")
def test_a_wheel_has_the_library_and_not_its_sources(tmp_path: Path) -> None:
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tmp_path / name)
    headers = [path.relative_to(ROOT) for path in ROOT.glob("src/**/*.h")]
    for source in (*SOURCES, *headers):
        (tmp_path / source).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / source, tmp_path / source)
    (tmp_path / "src" / "penstock" / "__init__.py").touch()
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel"],
        cwd=tmp_path,
        check=True,
        capture_output=True,
    )
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    assert "none-any" not in wheel.name
    with zipfile.ZipFile(wheel) as content:
        names = content.namelist()
    library = MODULE.with_name(MODULE.name + SUFFIX).relative_to("src")
    assert library.as_posix() in names
    assert not [name for name in names if name.endswith((".c", ".h"))]


def test_all_sources_are_known() -> None:
    assert sorted(SOURCES) == sorted(path.relative_to(ROOT) for path in ROOT.glob("src/**/*.c"))
