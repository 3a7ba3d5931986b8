"""The site can be built without a warning, and needs nothing from elsewhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.blocks import ROOT

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build it; links and anchors that lead nowhere are warnings, and warnings are errors."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet"]
    done = subprocess.run(
        [*command, "--site-dir", str(folder)],
        cwd=ROOT,
        # Otherwise the theme advertises its successor.
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
    return folder


def test_it_is_built_without_a_warning(site: Path) -> None:
    assert (site / "index.html").is_file()
    assert (site / "tutorial.html").is_file()


def test_nothing_is_fetched_from_elsewhere(site: Path) -> None:
    loaded = re.compile(
        r'<(script|img|iframe)[^>]+src="(https?:)?//'
        r'|<link[^>]+rel="(stylesheet|preconnect)"[^>]+href="(https?:)?//'
        r'|<link[^>]+href="(https?:)?//[^>]+rel="(stylesheet|preconnect)"'
    )
    foreign = [page.name for page in site.rglob("*.html") if loaded.search(page.read_text("utf-8"))]
    assert foreign == []


def test_files_outside_the_documentation_have_pages(site: Path) -> None:
    program = (site / "source" / "examples" / "word_count.py.html").read_text("utf-8")
    assert "flat_map_values" in program
    assert 'href="source/examples/word_count.py.html"' in (site / "applications.html").read_text(
        "utf-8"
    )


def test_the_site_s_own_lock_file_has_the_versions_of_the_project() -> None:
    def versions(name: str) -> set[str]:
        text = (ROOT / "requirements" / name).read_text("utf-8")
        return set(re.findall(r"^([a-z][\w.-]*==[^ ]+)", text, re.M))

    assert versions("docs.lock")
    assert versions("docs.lock") - versions("dev.lock") == set()
