"""PCAA of one action is for everybody who may see the action."""

from __future__ import annotations

from tests.stories.ask import Ask, Asking

ASKS: dict[str, Asking] = {
    "get_pcaa_action": Asking("aoum", lambda owner: Ask(f"/api/pcaa/actions/{owner.create()}")),
}
