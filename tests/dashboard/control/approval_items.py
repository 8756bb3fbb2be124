"""Requests that wait: of a real agent, and as the service gives them, to be changed for a test."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from assent import Action, Approval, Client, GuardResult
from assent.contract.control.inbox import ActionApproval
from tests.sdk.client import samples
from tests.stories.tenant import Tenant

AT = datetime(2026, 11, 20, 14, 2, 7, tzinfo=UTC)


def pay(house: Tenant, goal: str = "Pay the supplier", **more: Any) -> str:
    """A payment that waits, by its id."""
    return house.create("pay", **{"declared_goal": goal, "agent_id": "payer", **more})


def item_of(client: Client, action_id: str) -> ActionApproval:
    found = client.get_approvals(limit=200).approvals
    return next(each for each in found if each.action.action_id == action_id)


def request(action_id: str, minutes: int = 0, digest: str | None = "sha256:aa", **more: Any) -> ActionApproval:
    """Asked `minutes` after `AT`; `more` are members of the action, those of the approval with `approval_` before."""
    at = AT + timedelta(minutes=minutes)
    action = msgspec.convert(samples.action("pending_approval"), Action)
    approval = msgspec.convert(samples.approval("awaiting"), Approval)
    on_approval = {
        name.removeprefix("approval_"): more.pop(name) for name in list(more) if name.startswith("approval_")
    }
    return ActionApproval(
        action=msgspec.structs.replace(action, action_id=action_id, created_at=at, **more),
        approval=msgspec.structs.replace(
            approval,
            action_id=action_id,
            requested_at=at,
            **{"expires_at": at + timedelta(hours=24), **on_approval},
        ),
        context_digest=digest,
    )


def decision(breakdown: dict[str, float], score: float, **more: Any) -> GuardResult:
    """Guard's decision with this breakdown."""
    known = msgspec.convert(samples.decision(), GuardResult)
    return msgspec.structs.replace(known, risk_breakdown=breakdown, risk_score=score, **more)
