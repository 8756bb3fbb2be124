"""Who may do what with agents, handoffs, threads and key points: whoever acts says, everybody reads."""

from __future__ import annotations

import itertools

from tests.stories.ask import Ask, Asking
from tests.stories.tenant import Tenant

THREADS = "/api/context/threads"
_numbers = itertools.count(1)


def _thread(owner: Tenant) -> str:
    return f"{THREADS}/{owner.call('POST', THREADS, {'name': f'matter {next(_numbers)}'})['thread_id']}"


def _at(path: str) -> Asking:
    return Asking("aoum", lambda _: Ask(path))


ASKS: dict[str, Asking] = {
    "heartbeat": Asking("ao m", lambda _: Ask("/api/agents/heartbeat", {"agent_id": "asked"})),
    "get_agents": _at("/api/agents"),
    "report_connections": Asking(
        "ao m", lambda _: Ask("/api/agents/connections", {"connections": [{"provider": "acme"}]})
    ),
    "get_connections": _at("/api/agents/connections"),
    "create_handoff": Asking("ao m", lambda _: Ask("/api/handoffs", {"summary": "done"})),
    "get_handoffs": _at("/api/handoffs"),
    "create_thread": Asking("ao m", lambda _: Ask(THREADS, {"name": f"matter {next(_numbers)}"})),
    "get_threads": _at(THREADS),
    "get_thread": Asking("aoum", lambda owner: Ask(_thread(owner))),
    "add_thread_entry": Asking("ao m", lambda owner: Ask(f"{_thread(owner)}/entries", {"content": "so far"})),
    "close_thread": Asking("ao m", lambda owner: Ask(_thread(owner), {"status": "closed"})),
    "capture_key_point": Asking("ao m", lambda _: Ask("/api/context/points", {"content": "remember"})),
    "get_key_points": _at("/api/context/points"),
}
