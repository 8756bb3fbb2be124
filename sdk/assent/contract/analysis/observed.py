"""Which calls policies that observe would have warned about, asked about or blocked, and why.

1. A decision is listed where enforcing what observed then would have been stricter than what was decided, in the order
   allow, warn, require_approval, block.
2. A policy counts in it where the policy alone is stricter than what was decided. What a webhook alone answered is not
   kept, so it counts as what enforcing all would have given.
3. The reason is the one that enforcing would have given. It is said again from the decision's record and the policy as
   it was then; that of a webhook is None.
4. Standing grants and triage are left out: what one lets through would be asked by this count.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from assent.contract.control.guard import Decision, Source
from assent.contract.endpoint import Endpoint
from assent.contract.problems import Code
from assent.contract.record import Cursor, Id, Limit, Moment, Offset, Query, Record, ShortText
from assent.contract.roles import READING
from assent.contract.window import WindowText

OBSERVED_WINDOW = "7d"
"""Where nothing of the time is asked for."""
MOST_OBSERVING, MOST_TOOLS = 200, 20
"""So many policies and tools are counted one by one."""
NOT_KEPT = "what it said is not kept"
"""In the place of a reason that nothing tells any more."""


class ObservedDecisionsQuery(Query, frozen=True, kw_only=True):
    """`window` counts back from now by when it happened, 7d without it; `since` and `until`, both inside, stand in
    place of a window and may be given alone. `policy_id` leaves the list, and its `total` and `tools`, to what this
    policy alone would have made stricter; the other numbers stay those of all."""

    window: WindowText = OBSERVED_WINDOW
    since: Moment | None = None
    until: Moment | None = None
    policy_id: Id | None = None
    agent_id: ShortText | None = None
    session_id: ShortText | None = None
    source: Source | None = None
    limit: Limit = 50
    offset: Offset = 0
    cursor: Cursor | None = None


class ObservedReason(Record, frozen=True, kw_only=True):
    """What one policy that observed would have given, and why. `name` is what it was called then. `would_decide` is
    None of a webhook, whose answer is not kept, and `reason` where nothing tells it any more."""

    policy_id: str
    name: str
    would_decide: Decision | None
    reason: str | None


class ObservedDecision(Record, frozen=True, kw_only=True):
    """`would_decide` is what enforcing would have given instead of `decision`. `policies` are those that are stricter
    than what was decided, in guard's order. `action_id` is the action that came of it, None where none did."""

    decision_id: str
    action_id: str | None
    agent_id: str | None
    session_id: str | None
    action_type: str
    tool: str
    declared_goal: str | None
    decision: Decision
    would_decide: Decision
    policies: list[ObservedReason]
    risk_score: float
    source: Source
    occurred_at: datetime
    created_at: datetime


class ObservingPolicy(Record, frozen=True, kw_only=True):
    """How many decisions of the window this policy alone would have warned about, asked about and blocked.
    `observes_since` is since when it only observes; None where it does not now."""

    policy_id: str
    name: str
    observes_since: datetime | None
    warned: int
    asked: int
    blocked: int


class ObservedTool(Record, frozen=True, kw_only=True):
    """How many decisions of the list were about calls of a tool: `metadata.tool`, `tool` or `tool_name` of the request,
    else its action type."""

    name: str
    n: int


class ObservedDecisions(Record, frozen=True, kw_only=True):
    """Of `n` decisions from `since` to `until`, `simulated` and `imported` of which never waited for an answer, as many
    would have been `warned`, `asked` and `blocked` with everything enforced that observed then, instead of something
    milder. `policies` are those that observe now, and those that would have changed something, the most first;
    `not_shown` of them are left out. `total` counts all rows of the list, `tools` those of its most frequent
    tools; `next_cursor` is None at the end."""

    since: datetime
    until: datetime
    n: int
    simulated: int
    imported: int
    warned: int
    asked: int
    blocked: int
    policies: list[ObservingPolicy]
    not_shown: int
    tools: list[ObservedTool]
    decisions: list[ObservedDecision]
    total: int
    limit: int
    offset: int
    next_cursor: str | None


def observed_in_words(found: ObservedDecisions, amount: Callable[[int], str] = "{:,}".format) -> str:
    """`14 of 2,310 decisions would have been asked about and 1 blocked, with the policies that observe enforced.`"""
    if not found.n:
        return "Guard decided nothing in this time."
    counts = ((found.asked, "asked about"), (found.blocked, "blocked"), (found.warned, "warned of"))
    (n, what), *more = [each for each in counts if each[0]] or [(0, "other ones")]
    decisions = "decision" if found.n == 1 else "decisions"
    said = [f"{amount(n)} of {amount(found.n)} {decisions} would have been {what}"]
    said += [f"{amount(n)} {what}" for n, what in more]
    listed = " and ".join([", ".join(said[:-1]), said[-1]]) if more else said[0]
    return f"{listed}, with the policies that observe enforced."


GET_OBSERVED_DECISIONS = Endpoint(
    operation="get_observed_decisions",
    method="GET",
    path="/api/policies/observed",
    summary="Which calls policies that observe would have asked about or blocked, and why, newest first.",
    roles=READING,
    query=ObservedDecisionsQuery,
    response=ObservedDecisions,
    problems=(Code.POLICY_NOT_FOUND, Code.PROJECTION_BEHIND),
)
