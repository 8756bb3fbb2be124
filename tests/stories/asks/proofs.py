"""Proofs of actions are for everybody who may see the action; the log's tree is for those who read everything."""

from __future__ import annotations

from tests.stories.ask import Ask, Asking
from tests.stories.tenant import Tenant


def _of_action(path: str) -> Asking:
    return Asking("aoum", lambda owner: Ask(f"{path}?action_id={owner.create()}"))


def _verify(owner: Tenant) -> Ask:
    return Ask("/api/governance/proof/verify", {"action_id": owner.create()})


ASKS: dict[str, Asking] = {
    "get_governance_proof": _of_action("/api/governance/proof"),
    "export_proof": _of_action("/api/governance/proof/export"),
    "verify_governance_proof": Asking("aoum", _verify),
    "get_log_head": Asking(" oum", lambda _: Ask("/api/log/head")),
    "get_inclusion_proof": Asking(" oum", lambda _: Ask("/api/log/inclusion?n=0")),
    "get_consistency_proof": Asking(" oum", lambda _: Ask("/api/log/consistency?from=1")),
}
