"""A hook of the documentation site: files of the project that pages link to become pages, too.

A page is written for readers of the repository, where `../examples/word_count.py` is a file. On the
site that file is a page of its own below `source/`, with the program on it. Links that lead nowhere
are left as they are: the strict build refuses them.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parent.parent
DOCS = "docs/"
SOURCE = "source/"

_LINK = re.compile(r"(?<=\]\()(?![a-z]+:|#)(?P<target>[^)#\s]+)")
_LANGUAGES = {".py": "python", ".java": "java", ".toml": "toml", ".yml": "yaml"}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add a page for each file outside the documentation that a page leads to."""
    waiting = [f"{DOCS}{file.src_uri}" for file in files.documentation_pages()]
    seen = set(waiting)
    while waiting:
        path = waiting.pop()
        if not path.startswith(DOCS):
            files.append(_generated(path, config))
        if path.endswith(".md"):
            found = set(_linked_files((ROOT / path).read_text(encoding="utf-8"), path)) - seen
            outside = {target for target in found if not target.startswith(DOCS)}
            seen |= outside
            waiting.extend(outside)
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001
    """Rewrite links to the pages of the site."""
    here = page.file.src_uri
    path = here.removeprefix(SOURCE) if here.startswith(SOURCE) else f"{DOCS}{here}"
    if path.endswith(".py.md"):
        return markdown

    def on_site(link: re.Match[str]) -> str:
        target = _resolved(link["target"], path)
        if target is None:
            return link[0]
        return posixpath.relpath(_uri(target), posixpath.dirname(here) or ".")

    return _LINK.sub(on_site, markdown)


def _linked_files(markdown: str, path: str) -> Iterator[str]:
    for link in _LINK.finditer(markdown):
        if (target := _resolved(link["target"], path)) is not None:
            yield target


def _resolved(target: str, path: str) -> str | None:
    """Return the file of the project that a link in `path` leads to; a folder is its README."""
    found = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
    if (ROOT / found).is_dir():
        found = posixpath.join(found, "README.md")
    return found if not found.startswith("..") and (ROOT / found).is_file() else None


def _uri(path: str) -> str:
    """Return where a file of the project is on the site."""
    if path.startswith(DOCS):
        return path.removeprefix(DOCS)
    return f"{SOURCE}{path}" if path.endswith(".md") else f"{SOURCE}{path}.md"


def _generated(path: str, config: MkDocsConfig) -> File:
    text = (ROOT / path).read_text(encoding="utf-8")
    if not path.endswith(".md"):
        language = _LANGUAGES.get(Path(path).suffix, "text")
        text = f"# {path}\n\n````{language}\n{text}````\n"
    return File.generated(config, _uri(path), content=text, inclusion=InclusionLevel.NOT_IN_NAV)
