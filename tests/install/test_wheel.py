"""What is released: complete, and at work in an environment outside the repository.

Here the packages that Penstock needs are those of this environment, found through a path file; the
wheel is installed as pip does it. `make wheel-check` downloads them into an empty environment.
"""

from __future__ import annotations

import re
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import venv
import warnings
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest
from pyspark.sql.pandas.utils import require_minimum_pandas_version

from penstock.testing.broker import LocalBroker
from scripts import wheel_check, wheels
from tests.unit.test_hatch_build import _compiler

__all__ = ["_compiler"]

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PATIENCE_SECONDS = 300


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Path]:
    try:
        return wheels.build(tmp_path_factory.mktemp("dist"))
    except wheels.BuildError as error:
        if "PENSTOCK_REQUIRE_C=1 asks for them" not in str(error):
            raise
        pytest.skip("there is no C compiler, or Python came without its headers")


def tracked() -> set[str]:
    done = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        pytest.skip("this is not a checkout of the repository")
    return {name for name in done.stdout.splitlines() if (ROOT / name).exists()}


def test_the_source_archive_has_all_that_is_in_the_repository(
    built: tuple[Path, Path, Path],
) -> None:
    with tarfile.open(built[0]) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert tracked() - names == set()
    assert [name for name in names if name.endswith((".so", ".pyc"))] == []


def test_the_wheels_have_the_same_files_but_for_the_parts_in_c(
    built: tuple[Path, Path, Path],
) -> None:
    with_c, pure = (_names_in(wheel) for wheel in built[1:])
    assert built[2].name.endswith("-py3-none-any.whl")
    assert "none-any" not in built[1].name
    (library,) = with_c - pure
    assert library.startswith("penstock/_engine/fast/_fast.")
    assert pure - with_c == set()
    assert {
        "penstock/py.typed",
        "penstock/_engine/spark/log4j2-quiet.properties",
        "penstock/cli/init/templates/count/app.py.in",
    } <= pure
    assert not [name for name in pure if name.endswith((".c", ".h", ".so"))]
    sources = {path.relative_to(ROOT / "src").as_posix() for path in (ROOT / "src").rglob("*.py")}
    assert sources - pure == set()


def _names_in(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as content:
        return {name for name in content.namelist() if ".dist-info/" not in name}


def test_an_installed_wheel_counts_words(
    built: tuple[Path, Path, Path], tmp_path: Path, kafka_broker: LocalBroker
) -> None:
    """The doctor, a new project, its test, and its program on Spark."""
    folder = tmp_path / "venv"
    venv.create(folder)
    (site,) = folder.glob("lib/python*/site-packages")
    # A path in such a file does not bring the path files in it: the link to the sources stays out.
    (site / "packages.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    python = str(folder / "bin" / "python")
    install = ["--no-deps", "--no-index", "--no-compile", "--quiet", "--disable-pip-version-check"]
    pip = [sys.executable, "-m", "pip", "--python", python, "install", *install]
    subprocess.run([*pip, str(built[1])], cwd=tmp_path, check=True, timeout=PATIENCE_SECONDS)
    check = [python, str(ROOT / "scripts" / "installed.py"), "--with-c", "--quick-doctor"]
    cluster = ["--bootstrap-servers", kafka_broker.bootstrap_servers, "--name", "wheel-words"]
    done = subprocess.run(
        [*check, *cluster],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("all of it works\n")
    assert str(folder) in done.stdout
    assert "all\t2\n" in done.stdout


def test_the_check_fails_where_penstock_is_the_repository_s_own(tmp_path: Path) -> None:
    check = [sys.executable, str(ROOT / "scripts" / "installed.py"), "--short"]
    done = subprocess.run(
        check, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False
    )
    assert done.returncode == 1
    assert f"which is not in {sys.prefix}" in done.stderr


def test_the_page_and_the_changelog_name_the_version_of_today() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    page = (ROOT / "docs" / "installation.md").read_text(encoding="utf-8")
    assert set(re.findall(r"penstock-(\d+\.\d+\.\d+)[-.]", page)) == {project["version"]}
    extras = set(project["optional-dependencies"])
    rows = re.findall(r"^\| (`[\w`, -]+`) \|", page.partition("## Extras")[2], re.M)
    assert {name for row in rows for name in re.findall(r"`([\w-]+)`", row)} == extras
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (.+)$", changes, re.M)[0].startswith(("Unreleased", project["version"]))


def test_the_extra_pandas_has_none_of_which_pyspark_warns(monkeypatch: pytest.MonkeyPatch) -> None:
    """It installs pandas below 3; when PySpark no longer warns, the bound has no reason."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["optional-dependencies"]["pandas"] == ["pandas>=2.2,<3"]
    for version, is_warned_of in (("2.3.3", False), ("3.0.0", True)):
        fake = SimpleNamespace(__version__=version)
        monkeypatch.setitem(sys.modules, "pandas", fake)
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            require_minimum_pandas_version()
        assert bool(said) is is_warned_of


def test_pins_are_those_of_the_lock_file() -> None:
    pins = wheel_check.pins_of(wheel_check.LOCK.read_text(encoding="utf-8")).splitlines()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pinned = {pin.partition("==")[0] for pin in pins}
    needed = {requirement.partition(">=")[0] for requirement in project["dependencies"]}
    assert needed <= pinned
    assert [pin for pin in pins if "--hash" in pin or "\\" in pin] == []
