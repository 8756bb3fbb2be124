"""Each tutorial can be followed from its beginning to its end, with nothing else known, and shows what it says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.page import blocks, follow
from tests.live import ROOT
from tests.tiers import deep

TUTORIALS = ROOT / "docs" / "tutorials"
FIRST = TUTORIALS / "first-governed-agent.md"


def followed_to_its_end(page: Path, folder: Path) -> bool:
    there = [block for block in blocks(page) if block.language != "service" and block.not_run is None]
    return follow(page, folder) == len(there) > 0


@deep("a service of its own and ten seconds; the README's blocks are typed in the quick tier")
def test_the_first_one_leads_to_a_governed_agent(tmp_path: Path) -> None:
    assert followed_to_its_end(FIRST, tmp_path)


@deep("a simulated workspace for each")
@pytest.mark.parametrize(
    "page", sorted(set(TUTORIALS.glob("*.md")) - {FIRST, TUTORIALS / "index.md"}), ids=lambda page: page.stem
)
def test_the_others_do_what_they_show(page: Path, tmp_path: Path) -> None:
    assert followed_to_its_end(page, tmp_path)
