"""Flows: what sessions were told, for flow policies."""

from __future__ import annotations

from collections.abc import Callable

from assent.flows import Pack
from assent_service.control.flows.flows import FILE, Actions, Flows, routes
from assent_service.control.flows.rows import FLOW_SESSIONS, FLOW_TOLD
from assent_service.control.injection import Screen
from assent_service.core.foundation import Foundation
from assent_service.core.master_key import MasterKey

__all__ = ["FLOW_SESSIONS", "FLOW_TOLD", "TABLES", "Flows", "open_flows", "serve_flows"]

TABLES = (FLOW_SESSIONS, FLOW_TOLD)
LOST = (
    "without it nothing that a session was told can be compared. Restore it from a backup; if there is none, remove "
    "it: another one is made, and guard asks in the sessions that there were."
)


def open_flows(on: Foundation, pack_of: Callable[[str], Pack], screen: Screen) -> Flows:
    """`pack_of(org)` is what an organization's flow policies say of its tools, `screen` finds orders in texts."""
    master = MasterKey(on.home / FILE, lost=LOST, wallet_key=on.settings.wallet_key, purpose="assent flows 1")
    flows = Flows(on.ledger, on.clock, on.locks, master, pack_of, screen, on.memory)
    on.bring(memory=flows.state)
    return flows


def serve_flows(on: Foundation, flows: Flows, actions: Actions) -> None:
    """Serves what `open_flows` opened for guard, on which actions stand in turn."""
    flows.actions = actions
    on.bring(routes=routes(flows))
