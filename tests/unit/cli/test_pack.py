"""A packed environment runs wherever it is unpacked."""

from __future__ import annotations

import json
import subprocess
import sys
import tarfile
from collections.abc import Sequence
from importlib.metadata import Distribution, PathDistribution
from pathlib import Path

import pytest

from penstock.cli import main, pack

FOLDER = f"lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages"


class Environment:
    """Packages in a directory, as pip installs them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.installed: list[Distribution] = []

    def install(
        self, name: str, requires: Sequence[str] = (), *, files: Sequence[str] = ()
    ) -> Path:
        """Install a package with one module and further files; return its metadata's directory."""
        info = self.folder / f"{name}-1.0.dist-info"
        info.mkdir(parents=True)
        (self.folder / f"{name}.py").write_text(f"NAME = {name!r}\n")
        needed = "".join(f"Requires-Dist: {each}\n" for each in requires)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\n{needed}")
        listed = [f"{name}.py", f"{info.name}/METADATA", "../../../bin/tool", *files]
        (info / "RECORD").write_text("".join(f"{file},,\n" for file in listed))
        self.installed.append(PathDistribution(info))
        return info


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Environment:
    made = Environment(tmp_path / "site")
    made.install(
        "penstock", ["pyspark>=4", "needed >=1; python_version > '3'", "absent; extra == 'x'"]
    )
    made.install("pyspark", ["py4j"])
    made.install("py4j")
    made.install("needed")
    made.install("other")
    monkeypatch.setattr(pack, "distributions", lambda: made.installed)
    return made


def packed(*arguments: object) -> set[str]:
    """Pack; return the modules in the archive."""
    archive = Path(str(arguments[0]))
    assert main(["pack", *map(str, arguments)]) == 0
    with tarfile.open(archive) as tar:
        return {Path(name).stem for name in tar.getnames() if name.endswith(".py")}


def test_an_unpacked_environment_imports_its_packages(
    environment: Environment, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    archive, elsewhere = tmp_path / "env.tar.gz", tmp_path / "elsewhere"
    everything = {"penstock", "pyspark", "py4j", "needed", "other"}
    assert packed(archive) == everything
    assert f"{archive}: 5 packages" in capsys.readouterr().out
    with tarfile.open(archive) as tar:
        tar.extractall(elsewhere, filter="fully_trusted")
    code = "import needed, other; print(needed.__file__, needed.NAME + other.NAME)"
    python = elsewhere / "bin" / "python"
    told = subprocess.run([python, "-I", "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.split() == [str(elsewhere / FOLDER / "needed.py"), "neededother"]
    assert sorted(path.name for path in (elsewhere / "bin").iterdir()) == ["python", "python3"]


def test_pyspark_and_what_is_not_needed_can_be_left_out(
    environment: Environment, tmp_path: Path
) -> None:
    archive = tmp_path / "env.tgz"
    assert packed(archive, "--without-pyspark") == {"penstock", "needed", "other"}
    assert packed(archive, "--only", "other") == {"penstock", "pyspark", "py4j", "needed", "other"}
    assert packed(archive, "--only", "needed", "--without-pyspark") == {"penstock", "needed"}


def test_a_link_to_sources_is_followed(environment: Environment, tmp_path: Path) -> None:
    sources = tmp_path / "src"
    (sources / "mine" / "__pycache__").mkdir(parents=True)
    (sources / "mine" / "__init__.py").write_text("")
    (sources / "mine" / "__pycache__" / "old.py").write_text("")
    info = environment.install("linked", files=["linked.pth"])
    (environment.folder / "linked.pth").write_text(f"{sources}\n")
    (info / "direct_url.json").write_text(json.dumps({"dir_info": {"editable": True}}))
    archive = tmp_path / "env.tar.gz"
    packed(archive)
    with tarfile.open(archive) as tar:
        names = tar.getnames()
    assert f"{FOLDER}/mine/__init__.py" in names
    assert not any(name.endswith((".pth", "old.py")) for name in names)

    (environment.folder / "linked.pth").write_text("import linked_finder\n")
    before = archive.read_bytes()
    assert main(["pack", str(archive)]) == 1
    assert archive.read_bytes() == before  # what failed has changed nothing


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["env.zip"], "the archive must be called .tar.gz or .tgz"),
        (["--only", "absent"], "package 'absent' is not installed"),
        (["missing/env.tar.gz"], "the archive missing/env.tar.gz cannot be written"),
    ],
)
@pytest.mark.usefixtures("environment")
def test_what_cannot_be_packed_is_refused(
    arguments: list[str],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["pack", *arguments]) == 1
    assert said in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_the_interpreter_of_the_executors_is_linked(
    environment: Environment, tmp_path: Path
) -> None:
    archive = tmp_path / "env.tar.gz"
    packed(archive, "--python", "/opt/python/bin/python3.11")
    with tarfile.open(archive) as tar:
        assert tar.getmember("bin/python").linkname == "/opt/python/bin/python3.11"
        settings = tar.extractfile("pyvenv.cfg")
        assert settings is not None
        assert b"home = /opt/python/bin\n" in settings.read()
