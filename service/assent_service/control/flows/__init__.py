"""Flows: what sessions were told, for flow policies. Their rules are there at once; what keeps and serves sessions
comes when somebody first asks for it (as in `control.guard`)."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from assent.flows import Pack

if TYPE_CHECKING:
    from assent_service.control.flows.flows import FILE, Actions, Flows, RehearsedSession
    from assent_service.control.flows.state import FLOW_SESSIONS, FLOW_TOLD
    from assent_service.control.injection import Screen
    from assent_service.core.foundation import Foundation
    from assent_service.store.tables import Table

    TABLES: tuple[Table, ...]

__all__ = ["FILE", "FLOW_SESSIONS", "FLOW_TOLD", "TABLES", "Flows", "RehearsedSession", "open_flows", "serve_flows"]

_HOMES = {
    "FILE": "flows",
    "FLOW_SESSIONS": "state",
    "FLOW_TOLD": "state",
    "Flows": "flows",
    "RehearsedSession": "flows",
}
LOST = (
    "without it nothing that a session was told can be compared. Restore it from a backup; if there is none, remove "
    "it: another one is made, and guard asks in the sessions that there were."
)

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name == "TABLES":
            state = import_module(f"{__name__}.state")
            return state.FLOW_SESSIONS, state.FLOW_TOLD
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def open_flows(on: Foundation, pack_of: Callable[[str], Pack], screen: Screen) -> Flows:
    """`pack_of(org)` is what an organization's flow policies say of its tools, `screen` finds orders in texts."""
    from assent_service.control.flows.flows import FILE, Flows
    from assent_service.core.master_key import MasterKey

    master = MasterKey(on.home / FILE, lost=LOST, wallet_key=on.settings.wallet_key, purpose="assent flows 1")
    flows = Flows(on.ledger, on.clock, on.locks, master, pack_of, screen, on.memory)
    on.bring(memory=flows.state)
    return flows


def serve_flows(on: Foundation, flows: Flows, actions: Actions) -> None:
    """Serves what `open_flows` opened for guard, on which actions stand in turn."""
    from assent_service.control.flows.flows import routes

    flows.actions = actions
    on.bring(routes=routes(flows))
