"""The documentation builds as a site without a warning, every page is in its navigation, and it asks no other host."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
from pathlib import Path

import pytest

from tests.docs.site import DOCS, build, entries, navigation, pages
from tests.tiers import deep

BUILDER = importlib.util.find_spec("zensical") is not None
if os.environ.get("ASSENT_REQUIRE_DOCS") and not BUILDER:
    raise RuntimeError("ASSENT_REQUIRE_DOCS is set, and zensical is not installed")
needs_builder = pytest.mark.skipif(not BUILDER, reason="the dependency group docs is not installed: zensical")

LOADS = re.compile(
    r"""<(?:script|img|iframe|source|video|audio|embed)\b[^>]*?\bsrc\s*=\s*["']?(?P<tag>[^"'\s>]+)"""
    r"""|<link\b[^>]*?\bhref\s*=\s*["']?(?P<link>[^"'\s>]+)"""
    r"""|(?:url\(|@import\s+(?:url\()?)["']?(?P<style>[^"')\s;]+)"""
)
"""What a browser loads by itself when it shows a page: not the links that a reader may follow."""
FETCHES = re.compile(r"""\bclass=["']?[^"'>]*\b(?:mermaid|glightbox|pyodide)\b""")
"""Elements for which the theme's script would load more, from another host."""
MADE_BY = "https://zensical.org/"
"""The one address of another host that a page has: a link of the theme's foot, to who made it."""


def foreign(text: str) -> set[str]:
    """What a page or a style sheet loads from somewhere else."""
    found = {loaded for match in LOADS.finditer(text) for loaded in match.groups() if loaded}
    return {each for each in found if re.match(r"(?!data:)(?:[a-z][a-z0-9+.-]*:|//)", each)}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    into = tmp_path_factory.mktemp("documentation") / "site"
    run = build(into)
    assert run.returncode == 0, run.stdout + run.stderr
    return into


def test_every_page_has_one_place_in_the_navigation() -> None:
    assert sorted(pages(navigation())) == sorted(file.relative_to(DOCS).as_posix() for file in DOCS.rglob("*.md"))


def test_a_page_is_listed_in_the_folder_where_it_stands() -> None:
    for index in DOCS.glob("*/index.md"):
        assert [entry for entry in entries(index) if entry.page.parent != index.parent] == []


@deep("builds the site")
@needs_builder
def test_the_site_has_every_page(site: Path) -> None:
    wanted = {file.relative_to(DOCS).with_suffix(".html").as_posix() for file in DOCS.rglob("*.md")}
    assert wanted <= {file.relative_to(site).as_posix() for file in site.rglob("*.html")}


@deep("builds the site")
@needs_builder
def test_the_site_loads_nothing_from_another_host(site: Path) -> None:
    loaded = {
        f"{file.relative_to(site)}: {each}"
        for kind in ("html", "css")
        for file in site.rglob(f"*.{kind}")
        for each in foreign(file.read_text(encoding="utf-8"))
    }
    assert loaded == set()
    fetching = [str(file.relative_to(site)) for file in site.rglob("*.html") if FETCHES.search(file.read_text("utf-8"))]
    assert fetching == []


@deep("builds the site")
@needs_builder
def test_a_page_names_no_host_but_the_builders(site: Path) -> None:
    linked = {
        address
        for file in site.rglob("*.html")
        for address in re.findall(r"""(?:href|src)=["']?(https?://[^"'\s>]+)""", file.read_text(encoding="utf-8"))
        if not re.match(r"https?://(127\.0\.0\.1|localhost|[\w.-]+\.invalid)\b", address)
    }
    assert linked <= {MADE_BY}


@deep("builds the site")
@needs_builder
@pytest.mark.parametrize("wrong", ["[a page](missing.md)", "[a place](index.md#nowhere)"])
def test_a_warning_ends_the_build(tmp_path: Path, wrong: str) -> None:
    docs = tmp_path / "docs"
    shutil.copytree(DOCS, docs)
    with (docs / "measurements.md").open("a", encoding="utf-8") as page:
        page.write(f"\n{wrong}\n")
    run = build(tmp_path / "site", docs)
    assert run.returncode != 0
    assert "measurements.md" in run.stdout + run.stderr
    assert not (tmp_path / "site").exists()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('<script src="https://cdn.invalid/x.js">', {"https://cdn.invalid/x.js"}),
        ("<link rel=stylesheet href=//fonts.invalid/css>", {"//fonts.invalid/css"}),
        ("@import url('https://fonts.invalid/f.css');", {"https://fonts.invalid/f.css"}),
        ('<a href="https://example.invalid">', set()),
        ('<img src="pictures/x.png"><link href="../x.css">', set()),
        ("a{background:url(data:image/svg+xml;base64,AA)}", set()),
    ],
)
def test_what_is_loaded_is_told_from_what_is_linked(text: str, found: set[str]) -> None:
    assert foreign(text) == found
