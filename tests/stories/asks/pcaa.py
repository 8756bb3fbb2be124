"""PCAA of one action is for everybody who may see the action; gaps are for everybody, of what they may see."""

from __future__ import annotations

from tests.stories.ask import Ask, Asking

ASKS: dict[str, Asking] = {
    "get_pcaa_gaps": Asking("aoum", lambda owner: Ask("/api/pcaa/gaps?window=7d")),
    "get_pcaa_action": Asking("aoum", lambda owner: Ask(f"/api/pcaa/actions/{owner.create()}")),
}
