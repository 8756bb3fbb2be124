"""Each page of docs/how-to does what it shows, typed block by block against a service of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import node
from tests.docs.page import blocks, follow
from tests.live import ROOT
from tests.tiers import deep

PAGES = sorted((ROOT / "docs" / "how-to").glob("*.md"))
QUICK = frozenset({"write-a-policy"})
NODE = "use-it-from-node"
WHY = "a service for each of thirty pages; one of them and the first tutorial are typed in the quick tier"


@pytest.mark.parametrize(
    "page", [pytest.param(page, id=page.stem, marks=deep(WHY, quick=page.stem in QUICK)) for page in PAGES]
)
def test_the_page_does_what_it_shows(page: Path, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    if page.stem == NODE:
        (tmp_path / "node_modules").symlink_to(node.installed(tmp_path_factory) / "node_modules")
    there = [block for block in blocks(page) if block.language != "service" and block.not_run is None]
    assert follow(page, tmp_path) == len(there)
