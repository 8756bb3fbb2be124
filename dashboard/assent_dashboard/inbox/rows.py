"""A waiting request as a row of the inbox, in plain words, and which requests are alike. Pure.

Two requests are alike when an operator who has understood one has understood the other:

- the same agent, by id and by name, and both signed alike;
- the same context, by the digest that the service made of all that guard looked at: action type, declared goal,
  systems touched, parameters (or their digest), metadata, externality, whether it can be undone, the agent's own risk,
  and every further member that was sent. A request whose context was erased is alike to none;
- the same reasons for stopping it, from the same policies, word for word;
- the same words of the agent that guard does not look at: reasoning, scope of authorization, trigger, input;
- the same runtime, and both live or both simulated.

Times, sessions, parents and the service's risk may differ: the risk of the second of two alike requests knows of the
first one.

What a stranger wrote is one line without characters that steer (`words.clean`, or `visible`, in which each blank is
seen, too); the page shows it as text and nothing else.
"""

from __future__ import annotations

from collections.abc import Hashable
from datetime import datetime
from hashlib import sha256

import msgspec

from assent import Action, Approval, Source
from assent.contract.conditions import in_words
from assent.contract.control.inbox import ActionApproval
from assent.contract.names import quoted_name
from assent.contract.visible import visible
from assent.deciding import asked_by, decided_by, names_of
from assent_dashboard.views import words

Item = ActionApproval
"""A request: an action and its approval."""

NO_GOAL, NOBODY = "No goal was given", "An agent without a name"
LONGEST_GOAL, LONGEST_WHY = 320, 400
"""Characters in a row; what stands behind the request has them all."""


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """Times are milliseconds since 1970, risks have one decimal at most. `agent` is name and id, which `names`
    has apart, as the list shows them. `alike` is the same for requests that are alike, None for one that is alike to
    none."""

    id: str
    goal: str
    agent: str
    names: list[str]
    agent_id: str | None
    type: str
    systems: list[str]
    sentence: str
    why: list[str]
    risk: float
    own_risk: float | None
    reversible: bool
    simulated: bool
    asked: int
    expires: int
    alike: str | None


def row_of(item: Item) -> Row:
    action, approval = item.action, item.approval
    return Row(
        id=action.action_id,
        goal=words.shorten(visible(action.declared_goal) or NO_GOAL, LONGEST_GOAL),
        agent=asked_by(action) or NOBODY,
        names=_names(action),
        agent_id=action.agent_id,
        type=action.action_type,
        systems=[quoted_name(each) for each in action.systems_touched],
        sentence=sentence(action),
        why=[words.shorten(visible(each), LONGEST_WHY) for each in stopped(approval)],
        risk=round(action.risk_score, 1),
        own_risk=None if action.agent_risk_score is None else round(action.agent_risk_score, 1),
        reversible=action.reversible,
        simulated=action.source is Source.SIMULATED,
        asked=milliseconds(approval.requested_at),
        expires=milliseconds(approval.expires_at),
        alike=None if item.context_digest is None else sha256(repr(likeness(item)).encode()).hexdigest(),
    )


def _names(action: Action) -> list[str]:
    """In a list there is room for little: an id that its name spells is left out, `refund-desk` of `Refund desk`."""
    names = names_of(action) or [NOBODY]
    spelled = (action.agent_name or "").lower().replace(" ", "-")
    return names[:1] if spelled.isascii() and spelled == action.agent_id else names


def sentence(action: Action) -> str:
    """`payer wants to run pay, which touches bank.`"""
    systems = ", ".join(map(quoted_name, action.systems_touched))
    touches = f", which touches {systems}." if systems else "; it names no system that it touches."
    return f"{asked_by(action) or NOBODY} wants to run {quoted_name(action.action_type)}{touches}"


def stopped(approval: Approval) -> list[str]:
    """Why the action waits, a line for each reason."""
    return [in_words(reason) for reason in approval.reasons] or ["the agent itself asked for a person's decision"]


def milliseconds(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)


def likeness(item: Item) -> Hashable:
    """Equal for requests that are alike; the module says what that means."""
    action, approval = item.action, item.approval
    if item.context_digest is None:
        return action.action_id
    return (
        item.context_digest,
        action.agent_id,
        action.agent_name,
        action.verification,
        tuple(approval.reasons),
        tuple(approval.matched_policies),
        action.reasoning,
        action.authorization_scope,
        action.trigger,
        action.input_summary,
        action.runtime,
        action.source,
    )


class Ending(msgspec.Struct, frozen=True, kw_only=True):
    """That a request waits no longer: how, by whom, when, and with which words. `state` is None where nobody knows.
    `key` is the decision of this session that came of it or came too late, `own` whether it counts."""

    id: str
    state: str | None
    by: str | None = None
    at: int | None = None
    reason: str | None = None
    own: bool = False
    key: str | None = None


def ending_of(action_id: str, approval: Approval | None, *, own: bool = False, key: str | None = None) -> Ending:
    """An overdue approval counts as expired before it is recorded as such."""
    if approval is None:
        return Ending(id=action_id, state=None, own=own, key=key)
    state = str(approval.state)
    at = approval.decided_at
    return Ending(
        id=action_id,
        state="expired" if state == "awaiting" else state,
        by=words.clean(decided_by(approval)) or None,
        at=None if at is None else milliseconds(at),
        reason=words.shorten(visible(approval.reasoning), LONGEST_WHY) or None,
        own=own,
        key=key,
    )
