"""Decisions as words with a sign beside them, so that nothing is told by colour alone."""

from __future__ import annotations

from assent.contract.guard import Decision

_SAID = {
    Decision.ALLOW: ":green[:material/check_circle: **allow**]",
    Decision.WARN: ":orange[:material/warning: **warn**]",
    Decision.REQUIRE_APPROVAL: ":blue[:material/front_hand: **ask a person**]",
    Decision.BLOCK: ":red[:material/block: **block**]",
}
PLAIN = {
    Decision.ALLOW: "allowed",
    Decision.WARN: "warned",
    Decision.REQUIRE_APPROVAL: "asked a person",
    Decision.BLOCK: "blocked",
}


def said(decision: Decision) -> str:
    """As Markdown."""
    return _SAID[decision]
