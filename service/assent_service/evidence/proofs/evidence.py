"""Which events the proof of an action is made of, read from the log and not from the tables.

The table of events is only asked where the lines lie; each line is verified when it is read. An index that was
tampered with can therefore leave something out, but not change it; `lost` and the comparison of the rows (`agreement`)
tell what was left out.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from assent.contract.control.approvals import Approval
from assent.contract.control.grants import Grant
from assent.contract.events import EventName
from assent.proof.certificate import CERTIFIED
from assent_service.core.payload import decode
from assent_service.store.event import Event
from assent_service.store.ledger import Ledger


class _Names(msgspec.Struct, frozen=True):
    """What the creation of an action, or its erasure, says about who, by which decision and under which approval."""

    decision_id: str | None = None
    approval_id: str | None = None
    agent_id: str | None = None


class ActionEvidence(msgspec.Struct, frozen=True):
    """The events of one action in the order of the log; `certified` are those that its certificate is made of.

    `agent_id` is None once the content was erased. `erased` is the event that says so. `lost` are the subjects that the
    events name and that no event is about: the index has been tampered with."""

    org_id: str
    action_id: str
    events: list[Event]
    certified: list[Event]
    agent_id: str | None
    erased: Event | None
    lost: list[str]

    @property
    def end(self) -> int:
        """The smallest tree that holds all that is certified."""
        return self.certified[-1].n + 1


async def gather(ledger: Ledger, org_id: str, action_id: str) -> ActionEvidence | None:
    """None when nothing was recorded about such an action. Raises `projection_behind`."""
    return (await gather_all(ledger, org_id, [action_id])).get(action_id)


async def gather_all(ledger: Ledger, org_id: str, action_ids: Sequence[str]) -> dict[str, ActionEvidence]:
    """The same for many actions, by their ids: looking through the table of events takes as long for all as for one."""
    own = await ledger.events_by(org_id, action_ids, "action_id")
    if any(_is_being_erased(events) for events in own.values()):
        # Lines are blanked before the table has the erasure. It is recorded by then, so this look waits for it.
        own = await ledger.events_by(org_id, action_ids, "action_id")
    told = {action_id: _names(events) for action_id, events in own.items() if _is_about_an_action(events)}
    subjects = {
        action_id: sorted({event.subject for event in own[action_id]} | {names.decision_id or action_id})
        for action_id, names in told.items()
    }
    asked = sorted({subject for each in subjects.values() for subject in each})
    # A row may have been changed by an event that names no action, so whatever is about its subjects counts too.
    about = await ledger.events_by(org_id, asked, "subject")
    granted = {action_id: _grant_of(own[action_id]) for action_id in told}
    of_grants = await ledger.events_by(
        org_id, sorted({each for each in granted.values() if each is not None}), "subject"
    )
    found = {}
    for action_id, names in told.items():
        others = [event for subject in subjects[action_id] for event in about.get(subject, ())]
        erased, grant_id = _erasure(own[action_id]), granted[action_id]
        giving = [] if grant_id is None else _giving(of_grants.get(grant_id, ()), action_id)
        evidence = _evidence(org_id, action_id, [*own[action_id], *others], names, erased)
        if grant_id is not None:
            certified = sorted([*evidence.certified, *giving], key=lambda event: event.n)
            lost = evidence.lost if len(giving) == GIVING else [*evidence.lost, grant_id]
            evidence = msgspec.structs.replace(evidence, certified=certified, lost=lost)
        found[action_id] = evidence
    return found


GIVING = 2
"""Events of a grant that a certificate has: that it was given, and the use by the action."""


def _grant_of(own: Sequence[Event]) -> str | None:
    """The standing grant that let the action through; None where none did, or where that was erased."""
    event = next((event for event in own if event.type == EventName.APPROVAL_GRANTED and not event.erased), None)
    return None if event is None or _erasure(own) is not None else decode(event, Approval).grant_id


def _giving(of_grant: Sequence[Event], action_id: str) -> list[Event]:
    """What of a grant the certificate of an action has."""

    def belongs(event: Event) -> bool:
        if event.type == EventName.GRANT_CREATED:
            return True
        use = decode(event, Grant).last_use if event.type == EventName.GRANT_USED else None
        return use is not None and use.action_id == action_id

    return [event for event in of_grant if belongs(event)]


def _is_about_an_action(own: Sequence[Event]) -> bool:
    return any(event.type in {EventName.ACTION_CREATED, EventName.EVIDENCE_ERASED} for event in own)


def _is_being_erased(own: Sequence[Event]) -> bool:
    return any(event.erased for event in own) and _erasure(own) is None


def _names(own: Sequence[Event]) -> _Names:
    created = next((event for event in own if event.type == EventName.ACTION_CREATED and not event.erased), None)
    telling = _erasure(own) or created
    return decode(telling, _Names) if telling is not None else _Names()


def _erasure(own: Sequence[Event]) -> Event | None:
    return next((event for event in own if event.type == EventName.EVIDENCE_ERASED), None)


def _evidence(
    org_id: str, action_id: str, found: Sequence[Event], names: _Names, erased: Event | None
) -> ActionEvidence:
    events = sorted({event.n: event for event in found}.values(), key=lambda event: event.n)
    certified = [event for event in events if event.type in CERTIFIED and _belongs(event, action_id, names)]
    agent_id = names.agent_id if erased is None else None
    there = {(event.type, event.subject) for event in certified}
    named = {
        (EventName.GUARD_DECISION_CREATED,): names.decision_id,
        (EventName.APPROVAL_REQUESTED, EventName.APPROVAL_GRANTED): names.approval_id,
    }
    lost = [
        name
        for kinds, name in named.items()
        if name is not None and not any((kind.value, name) in there for kind in kinds)
    ]
    return ActionEvidence(org_id, action_id, events, certified, agent_id, erased, lost)


def _belongs(event: Event, action_id: str, names: _Names) -> bool:
    """By its own header, or as guard's decision, which names no action. Its id alone would not do: agents choose ids,
    and somebody's assumption may go by the name of somebody else's decision."""
    decides = event.type == EventName.GUARD_DECISION_CREATED and event.subject == names.decision_id
    return event.action == action_id or decides
