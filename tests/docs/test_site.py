"""The site can be built without a warning, and needs nothing from elsewhere."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.blocks import ROOT
from tests.docs.test_reference import on_pages

pytestmark = pytest.mark.slow

BROWSER = shutil.which("chromium") or shutil.which("google-chrome")


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


def test_every_name_of_the_reference_has_an_anchor(site: Path) -> None:
    pages = (site / "reference" / "api").glob("*.html")
    anchors = set(re.findall(r'id="([\w.]+)"', "".join(page.read_text("utf-8") for page in pages)))
    assert sorted(set(on_pages()) - anchors) == []
    assert {"penstock.KStream.map_values", "penstock.KStream.join"} <= anchors


def test_examples_are_blocks_and_not_quotations(site: Path) -> None:
    page = (site / "reference" / "api" / "streams.html").read_text("utf-8")
    assert page.count('class="language-pycon') > 20
    assert "<blockquote>" not in page


def test_the_search_index_is_a_script_too(site: Path) -> None:
    """A page that was opened from the disk may load scripts and nothing else."""
    script = (site / "search" / "search_index.js").read_text("utf-8")
    index = json.loads(script.removeprefix("var __index = "))
    found = [entry["location"] for entry in index["docs"] if "map_values" in entry["title"]]
    assert "reference/api/streams.html#penstock.KStream.map_values" in found
    # The script that stands in for a worker comes before those of the theme.
    for page in site.rglob("*.html"):
        text = page.read_text("utf-8")
        assert text.index("assets/iframe-worker.js") < text.index("javascripts/bundle."), page


@pytest.mark.skipif(not BROWSER, reason="there is no Chromium")
def test_the_search_finds_from_the_disk(site: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [
            str(BROWSER),
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            f"--user-data-dir={tmp_path}",
            "--virtual-time-budget=20000",
            "--dump-dom",
            f"{(site / 'tutorial.html').as_uri()}?q=flat_map_values",
        ],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    results = re.findall(r'<a href="([^"]+)" class="md-search-result__link"', done.stdout)
    wanted = (site / "reference" / "api" / "streams.html").as_uri()
    assert any(result.startswith(wanted) for result in results), results


def test_the_site_s_own_lock_file_has_the_versions_of_the_project() -> None:
    def versions(name: str) -> set[str]:
        text = (ROOT / "requirements" / name).read_text("utf-8")
        return set(re.findall(r"^([a-z][\w.-]*==[^ ]+)", text, re.M))

    assert versions("docs.lock")
    assert versions("docs.lock") - versions("dev.lock") == set()
