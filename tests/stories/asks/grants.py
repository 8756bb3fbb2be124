"""Who may approve in advance: whoever may decide. Auditors look."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from tests.stories.ask import Ask, Asking
from tests.stories.tenant import Tenant

PATH = "/api/grants"
PATTERN: dict[str, Any] = {"agent_ids": ["somebody"], "action_type": "nothing-else-does-this", "max_risk": 40}


def body() -> dict[str, Any]:
    end = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    return {**PATTERN, "max_uses": 1, "expires_at": end, "reason": "tested"}


def grant(owner: Tenant) -> str:
    return str(owner.call("POST", PATH, body())["grant"]["grant_id"])


ASKS = {
    "create_grant": Asking(" o m", lambda _: Ask(PATH, body())),
    "list_grants": Asking(" oum", lambda _: Ask(PATH)),
    "get_grant": Asking(" oum", lambda owner: Ask(f"{PATH}/{grant(owner)}")),
    "revoke_grant": Asking(" o m", lambda owner: Ask(f"{PATH}/{grant(owner)}/revoke", {})),
    "draft_grant": Asking(" oum", lambda owner: Ask(f"/api/actions/{owner.create()}/grant")),
    "preview_grant": Asking(" oum", lambda _: Ask(f"{PATH}/preview", PATTERN)),
    "suggest_grants": Asking(" oum", lambda _: Ask(f"{PATH}/suggestions")),
}
