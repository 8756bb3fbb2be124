"""What operators tell each other about requests, what they put off for themselves, and who takes care of which. No
agent has a part in it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from tests.stories.ask import Ask, Asking
from tests.stories.tenant import Tenant


def _waiting(owner: Tenant) -> str:
    return owner.create("review_me", status="pending_approval")


def _snooze(owner: Tenant) -> Ask:
    until = (datetime.now(UTC) + timedelta(minutes=1)).isoformat()
    return Ask(f"/api/actions/{_waiting(owner)}/snooze", {"until": until})


ASKS: dict[str, Asking] = {
    "add_comment": Asking(" o m", lambda owner: Ask(f"/api/actions/{_waiting(owner)}/comments", {"text": "Seen."})),
    "get_comments": Asking(" oum", lambda _: Ask("/api/comments")),
    "snooze_action": Asking(" o m", _snooze),
    "get_snoozes": Asking(" oum", lambda _: Ask("/api/snoozes")),
    "assign_action": Asking(" o m", lambda owner: Ask(f"/api/actions/{_waiting(owner)}/assignment", {})),
    "get_assignments": Asking(" oum", lambda _: Ask("/api/assignments")),
    "get_escalations": Asking(" oum", lambda _: Ask("/api/escalations")),
}
