"""Sessions that were told something, in memory: the service's own rules and digests, without its tables and its key."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from assent.contract.control.actions import Action
from assent.contract.control.flows import FlowSession, RemoveFlowLabels, TellFlow
from assent.flows import Digester, Pack
from assent_service.base.clock import Clock
from assent_service.control.flows import telling
from assent_service.control.flows.rows import digested, flow_id_of, key_check
from assent_service.control.flows.telling import KnownSession, Place
from assent_service.control.guard import SessionAsked, SessionView
from assent_service.core.principal import Principal

KEY = b"the digests of assent.testing"
"""A real service has a key for each organization; nothing here is a secret."""
CHECK = key_check(KEY)


class Sessions:
    """The sessions of one organization. `find` gives an action or raises `action_not_found`, `orders` says whether the
    scan finds some in what a source said."""

    def __init__(
        self,
        org_id: str,
        clock: Clock,
        find: Callable[[str], Action],
        orders: Callable[[str, list[tuple[str, object]]], bool],
    ) -> None:
        self._org_id, self._clock, self._find, self._orders = org_id, clock, find, orders
        self._known: dict[str, KnownSession] = {}
        """By flow; what was told is in the outermost one."""

    def seen(self, asked: SessionAsked) -> SessionView:
        """What guard looks at."""
        own_id, own = self._of(asked.session_id)
        around = self._of(asked.parent_session_id)[1]
        root = self._known.get(telling.asked_in(own_id, own, around))
        hidden = telling.not_seen(asked, own, None if root is None else root.head)
        if root is None or hidden is not None:
            return SessionView(None, hidden=hidden or ())
        return SessionView(root.session, KEY, history=root.history)

    def tell(self, by: Principal, said: TellFlow, pack: Pack) -> FlowSession:
        """The outermost session afterwards. Raises as `Flows.tell` of the service does."""
        agent_id = by.speaks_for(said.agent_id)
        telling.check_said(said, pack)
        if said.action_id is not None:
            telling.check_action(said, self._find(said.action_id))
        told = digested(said, pack, KEY)
        orders = self._orders(*telling.scanned(said, pack))
        own_id, own = self._of(said.session_id)
        parent_id, parent = self._of(said.parent_session_id)
        root_id = telling.told_in(said, own_id, own, parent_id or None, parent)
        root = self._known.get(root_id, KnownSession())
        telling.check_joins(by, said, agent_id, own, root.head)
        place = Place(root_id, root, own)
        made = telling.telling(by, said, agent_id, pack, told, orders, CHECK, place, self._clock())
        for head in made.opened:
            self._known[head.flow_id] = root if head.flow_id == root_id else KnownSession(head)
        root.tell(made.row)
        root.head = made.after
        return made.after

    def remove_labels(self, by: Principal, flow_id: str, said: RemoveFlowLabels) -> FlowSession:
        """The outermost session afterwards. Raises as `Flows.remove_labels` of the service does."""
        telling.check_reason(said)
        own = self._known.get(flow_id, KnownSession()).head
        root = self._known.get(flow_id if own is None else own.root_id, KnownSession())
        after, row = telling.relieving(by, flow_id, said, own, root, CHECK, self._clock())
        if row is not None:
            root.tell(row)
            root.head = after
        return after

    def approve(self, session_id: str | None, action_type: str, context: Mapping[str, Any], pack: Pack) -> None:
        """An operator has approved this request: its values are trusted in its session from now on."""
        _, own = self._of(session_id)
        trusted = telling.approved(action_type, context, Digester(KEY), pack)
        if own is not None and trusted is not None:
            self._known[own.root_id].session.fold(trusted)

    def list(self) -> list[FlowSession]:
        """Newest first."""
        heads = [known.head for known in self._known.values() if known.head is not None]
        return sorted(heads, key=lambda head: (head.created_at, head.flow_id), reverse=True)

    def _of(self, session_id: str | None) -> tuple[str, FlowSession | None]:
        """The flow of a session, empty for none, and its row."""
        if session_id is None:
            return "", None
        flow_id = flow_id_of(self._org_id, session_id)
        return flow_id, self._known.get(flow_id, KnownSession()).head
