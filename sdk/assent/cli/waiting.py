"""What waits for an operator: reading it, and listing and following it in a pipe."""

from __future__ import annotations

import queue
from collections.abc import Iterator
from dataclasses import dataclass
from threading import Thread
from typing import TYPE_CHECKING

from assent.cli.connection import make_client
from assent.cli.session import Session
from assent.cli.text import clean, moment, tab_separated
from assent.cli.vigil import keep_vigil, say_back
from assent.contract.actions import Action
from assent.contract.approvals import Approval

if TYPE_CHECKING:
    from assent import Client

PAGE = 100
ARRIVAL = "approval.requested"
RELIST = 15.0
"""Seconds after which a follower reads the list again though no event came: one may have come while it connected."""
HEADER = ("action_id", "type", "agent", "goal", "risk", "why", "requested_at", "expires_at")
ITSELF = "the agent asked for it"


@dataclass(frozen=True, kw_only=True)
class Waiting:
    """An action that waits. `approval` is None when an agent asked by itself and the service keeps no term for it."""

    action: Action
    approval: Approval | None

    @property
    def reasons(self) -> list[str]:
        """Why it was stopped, each reason harmless."""
        given = [] if self.approval is None else self.approval.reasons
        return [clean(each) for each in given if clean(each)] or [ITSELF]

    @property
    def why(self) -> str:
        return "; ".join(self.reasons)


def find_waiting(client: Client) -> list[Waiting]:
    """Everything that waits, oldest first, so that what expires soonest comes first."""
    found: dict[str, Waiting] = {}
    offset = 0
    while True:
        page = client.get_pending_approvals(limit=PAGE, offset=offset)
        for action in page.actions:
            if action.action_id in found:  # the list has moved on between two pages
                continue
            detail = client.get_action(action.action_id)
            if detail.action.status == action.status:  # else somebody has decided since the page was made
                found[action.action_id] = Waiting(action=detail.action, approval=detail.approval)
        offset += len(page.actions)
        if not page.actions or offset >= page.total:
            return sorted(found.values(), key=lambda item: item.action.created_at)


def follow(session: Session) -> None:
    """In a pipe: what waits now, then each new one as it comes, until interrupted. Goes on when the service was away,
    which is said on standard error."""
    shown: set[str] = set()
    if not session.output.json:
        print("\t".join(HEADER), flush=True)
    for _ in _occasions(session):
        for item in _found(session, first=not shown):
            if item.action.action_id in shown:
                continue
            shown.add(item.action.action_id)
            if session.output.json:
                session.output.document(entry(item))
            else:
                print(*tab_separated(HEADER, [row(item)])[1:], flush=True)


def entry(item: Waiting) -> dict[str, object]:
    """One that waits, as JSON output has it."""
    return {"action": item.action, "approval": item.approval}


def row(item: Waiting) -> tuple[object, ...]:
    """The same as columns, for a pipe; the goal is whole."""
    action, approval = item.action, item.approval
    asked, expires = (None, None) if approval is None else (approval.requested_at, approval.expires_at)
    return (
        action.action_id,
        action.action_type,
        action.agent_id,
        action.declared_goal,
        f"{action.risk_score:g}",
        item.why,
        moment(asked or action.created_at),
        moment(expires),
    )


def _found(session: Session, *, first: bool) -> list[Waiting]:
    """What waits; nothing while the service is away, but for the very first time."""
    from assent.errors import ConnectionFailed, ServerError, Unavailable

    try:
        return find_waiting(session.client)
    except (ConnectionFailed, ServerError, Unavailable):
        if first:
            raise
        return []


def _occasions(session: Session) -> Iterator[None]:
    """Whenever the list is worth reading: now, when something arrives, when the service is back, and from time to
    time."""
    from assent.errors import AssentError

    heard: queue.SimpleQueue[AssentError | None] = queue.SimpleQueue()

    def returned() -> None:
        say_back()
        heard.put(None)

    def listen() -> None:
        vigil = keep_vigil(session.connection, back=returned)
        try:
            with make_client(session.connection, sleep=vigil.pause) as client:
                for _ in client.events(types=[ARRIVAL]):
                    heard.put(None)
        except AssentError as error:
            heard.put(error)

    yield
    Thread(target=listen, daemon=True, name="arrivals").start()
    while True:
        try:
            error = heard.get(timeout=RELIST)
        except queue.Empty:
            error = None
        if error is not None:
            raise error
        yield
