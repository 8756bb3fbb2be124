"""Who may let guard pass by itself: an admin gives a plan, whoever may decide stops it. Auditors look."""

from __future__ import annotations

from typing import Any

from tests.stories.ask import Ask, Asking

PATH = "/api/triage"
PLAN: dict[str, Any] = {"action_types": ["nothing-else-does-this"], "alpha": 0.05}

ASKS = {
    "set_triage": Asking("   m", lambda _: Ask(PATH, PLAN)),
    "get_triage": Asking(" oum", lambda _: Ask(PATH)),
    "stop_triage": Asking(" o m", lambda _: Ask(PATH)),
}
