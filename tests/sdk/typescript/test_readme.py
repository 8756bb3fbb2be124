"""The package's README does what it shows: its blocks are one program."""

from __future__ import annotations

from pathlib import Path

from tests import node
from tests.docs.blocks import blocks
from tests.live import start_service
from tests.tiers import deep

pytestmark = deep("packs and installs the Node client")


def test_its_blocks_run(folder: Path, tmp_path: Path) -> None:
    found = [block.code for block in blocks((node.PACKAGE / "README.md").read_text(encoding="utf-8"))]
    assert len(found) == 2
    (folder / "readme.mjs").write_text("\n".join(found), encoding="utf-8")
    with start_service(tmp_path / "home") as service:
        where = {"ASSENT_BASE_URL": service.base_url, "ASSENT_API_KEY": service.admin_key}
        assert node.run(["node", "readme.mjs"], folder, **where) == "12 pods healthy\noutcome\n"
