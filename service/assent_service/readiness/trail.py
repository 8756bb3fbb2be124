"""What is looked up of the test's action once it was answered: its event in the log, and its row."""

from __future__ import annotations

from assent.contract.actions import Action
from assent.contract.events import EventName
from assent.proof.digest import leaf_hash
from assent_service.actions import ACTIONS
from assent_service.core.find import find_row
from assent_service.core.payload import decode
from assent_service.store.ledger import Ledger


class StepFailed(Exception):
    """A step found something else than it should; the text says what, and what to do."""


async def read_back(ledger: Ledger, action: Action) -> str:
    """The event that recorded the action, from the log itself. Raises StepFailed."""
    found = await ledger.events_of(action.org_id, action.action_id, [EventName.ACTION_CREATED.value])
    if len(found) != 1:
        raise StepFailed(
            f"The log has {len(found)} events of this creation instead of one; stop the service and run "
            "`assent rebuild`, which makes the tables anew from the log."
        )
    (event,) = found
    leaf = leaf_hash(event.header)
    if leaf != event.leaf_hash or decode(event, Action) != action:
        raise StepFailed(f"Event {event.n} in the log is not what was answered; keep the data folder as it is and ask.")
    return f"Event {event.n} was read back from the log; its leaf hash, from its header, is {leaf.hex()}."


async def read_row(ledger: Ledger, action: Action) -> str:
    """The action's row, or what became of it since: an operator may decide on it the moment that it asks. Raises
    StepFailed."""
    row = await find_row(ledger, ACTIONS, Action, action.org_id, action.action_id)
    if row is None:
        raise StepFailed("The tables do not have the action; stop the service and run `assent rebuild`.")
    if row.revision > action.revision:
        return f"The tables have it with status {row.status}, changed since it was answered."
    if row != action:
        raise StepFailed("The tables have another action than was answered; stop the service and run `assent rebuild`.")
    return f"The tables have it with status {row.status}, as it was answered."
