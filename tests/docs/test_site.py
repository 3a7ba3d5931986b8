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


def build(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Build as `make docs` does. Not quietly: mkdocs overlooks warnings that it does not show."""
    return subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder), *options],
        cwd=ROOT,
        # Otherwise the theme advertises its successor.
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site."""
    folder = tmp_path_factory.mktemp("site")
    done = build(folder)
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    return folder


@pytest.mark.parametrize("link", ["nowhere.md", "index.md#nothing", "#nothing", "/absolute.md"])
def test_a_link_that_leads_nowhere_fails_the_build(link: str, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text(f"# Home\n\nSee [there]({link}).\n")
    config = tmp_path / "mkdocs.yml"
    config.write_text(
        f"INHERIT: {ROOT / 'mkdocs.yml'}\ndocs_dir: docs\nhooks: []\nextra_css: []\n"
        "nav:\n  - Home: index.md\n"
    )
    done = build(tmp_path / "site", "--config-file", str(config))
    assert done.returncode == 1, done.stderr
    assert "WARNING" in done.stderr
    assert link in done.stderr


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
