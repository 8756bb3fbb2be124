"""Open loops and signals."""

from __future__ import annotations

from tests.stories.ask import Ask, Asking
from tests.stories.tenant import Tenant


def _register(owner: Tenant) -> Ask:
    return Ask("/api/actions/loops", _loop(owner.create()))


def _registered(owner: Tenant) -> str:
    return str(owner.call("POST", "/api/actions/loops", _loop(owner.create()))["loop_id"])


def _resolve(owner: Tenant) -> Ask:
    return Ask(f"/api/actions/loops/{_registered(owner)}", {"status": "cancelled"})


def _loop(action_id: str) -> dict[str, str]:
    return {"action_id": action_id, "loop_type": "question", "description": "which account?"}


ASKS: dict[str, Asking] = {
    "register_open_loop": Asking("ao m", _register),
    "resolve_open_loop": Asking("ao m", _resolve),
    "get_open_loop": Asking("aoum", lambda owner: Ask(f"/api/actions/loops/{_registered(owner)}")),
    "get_open_loops": Asking("aoum", lambda _: Ask("/api/actions/loops")),
    "get_signals": Asking("aoum", lambda _: Ask("/api/actions/signals")),
}
