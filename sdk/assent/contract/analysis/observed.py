"""Which decisions policies that observe would have made stricter, and why.

1. A decision is listed where enforcing what observed then would have been stricter than what was decided, in the order
   allow, warn, require_approval, block.
2. A policy counts in it where the policy alone is stricter than what was decided. What a webhook alone answered is not
   kept, so it counts as what enforcing all would have given.
3. The reason is the one that enforcing would have given. It is said again from the decision's record and the policy as
   it was then; that of a webhook is None.
4. Standing grants and triage are left out: what one lets through would be asked by this count.
5. The counts of a policy are of the decisions since it observes by the rules that it has now: since its kind, its rules
   and its agents are what they are, and it is on and observes. A new name changes nothing of it. What it would have
   made stricter before, by the rules that it had then, is `earlier`.
6. A flow policy that observes leaves sessions alone that were told nothing. Once it is enforced it decides about calls
   of them that write, send or destroy: `untold` are those calls, `untold_writes` as many as it would at least make
   stricter.
7. Where no flow policy is enforced, those that observe read calls by the packs of all of them. `read_with` are the
   others whose pack says something of tools; enforced, a policy reads calls by its own pack, and may ask about others.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TypeAlias

from assent.contract.conditions import in_words
from assent.contract.control.guard import Decision, Source
from assent.contract.control.shared_tools import listed
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
LET_THROUGH = (
    "Left out are standing grants and triage: they may let some of these through, but nothing that a flow policy asks "
    "about."
)


class ObservedDecisionsQuery(Query, frozen=True, kw_only=True):
    """`window` counts back from now by when it happened, 7d without it; `since` and `until`, both inside, stand in
    place of a window and may be given alone. `policy_id` leaves the list, and its `total`, `sessions` and `tools`, to
    what this policy alone would have made stricter, and has it stand first among `policies`; the other numbers stay
    those of all."""

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
    None of a webhook, whose answer is not kept, and `reason` where nothing tells it any more. `condition` says that the
    reason is a condition, as it is written. `earlier` says that it observes by these rules no more."""

    policy_id: str
    name: str
    would_decide: Decision | None
    reason: str | None
    condition: bool
    earlier: bool


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
    """What one policy alone would have changed. `observes_since` is since when it observes by its present rules, None
    where it does not now; `observed` is whether it ever did. Of the `n` decisions of the window since then it would
    have `warned`, `asked` and `blocked` so many, and made `earlier` ones stricter before, by the rules of then.
    `would_decide` is what it gives now where it matches, None of a webhook.

    Of a flow policy, `untold` counts the live calls since then, of its agents, in sessions that were told nothing,
    which it leaves alone while it observes; a call without a session is one of them. `untold_writes` are those that
    write, send or destroy by the names of their tools and that were decided milder: enforced, it makes at least them
    stricter. It is None for a rule of the house (`when`), which looks at more than that. `untold_unknown` were not
    looked at, as there are too many different ones. `read_with` names the flow policies by whose packs its calls are
    read, too, only while it observes."""

    policy_id: str
    name: str
    observes_since: datetime | None
    observed: bool
    would_decide: Decision | None
    n: int
    warned: int
    asked: int
    blocked: int
    earlier: int
    untold: int
    untold_writes: int | None
    untold_unknown: int
    read_with: list[str]

    @property
    def stricter(self) -> int:
        """Decisions that it would have made stricter by the rules that it has now."""
        return self.warned + self.asked + self.blocked


class ObservedTool(Record, frozen=True, kw_only=True):
    """How many decisions of the list were about calls of a tool: `metadata.tool`, `tool` or `tool_name` of the request,
    else its action type."""

    name: str
    n: int


class ObservedDecisions(Record, frozen=True, kw_only=True):
    """Of `n` decisions from `since` to `until`, `simulated` and `imported` of which never waited for an answer, as many
    would have been `warned`, `asked` and `blocked` with everything enforced that observed then, instead of something
    milder; standing grants and triage may let some of these through. `policies` are those that observe now, and those
    that would have changed something, the most first; `not_shown` of them are left out. `total` counts all rows of the
    list, `sessions` the different sessions that they are of, `tools` those of its most frequent tools; `next_cursor` is
    None at the end."""

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
    sessions: int
    limit: int
    offset: int
    next_cursor: str | None


Amount: TypeAlias = Callable[[int], str]
_PLAIN: Amount = "{:,}".format


def observed_in_words(found: ObservedDecisions, amount: Amount = _PLAIN) -> str:
    """`14 of 2,310 decisions would have been asked about and 1 blocked, with the policies enforced as they observed
    then.`"""
    if not found.n:
        return "Guard decided nothing in this time."
    counts = ((found.asked, "asked about"), (found.blocked, "blocked"), (found.warned, "warned of"))
    (n, what), *more = [each for each in counts if each[0]] or [(0, "other ones")]
    said = [f"{amount(n)} of {_decisions(found.n, amount)} would have been {what}"]
    said += [f"{amount(n)} {what}" for n, what in more]
    counted = " and ".join([", ".join(said[:-1]), said[-1]]) if more else said[0]
    return f"{counted}, with the policies enforced as they observed then."


def policy_in_words(
    count: ObservingPolicy, since: datetime, moment: Callable[[datetime], str], amount: Amount = _PLAIN
) -> str:
    """`would have asked about 3 of 3 decisions since 29 Nov 2026, 16:29:00 UTC; 3 more by its rules of before`, behind
    a name. `since` is where the window begins."""
    if count.observes_since is None:
        now = "does not observe now" if count.observed else "never observed"
        before = f"; it would have changed {_decisions(count.earlier, amount)} by its rules of before"
        return now + (before if count.earlier else "")
    counts = (("asked about", count.asked), ("blocked", count.blocked), ("warned of", count.warned))
    did = [f"{what} {amount(n)}" for what, n in counts if n] or ["changed none"]
    of = f"{',' if len(did) > 1 else ''} of {_decisions(count.n, amount)}"
    before = f"; {amount(count.earlier)} more by its rules of before" if count.earlier else ""
    return f"would have {' and '.join(did)}{of} since {moment(max(since, count.observes_since))}{before}"


def untold_in_words(count: ObservingPolicy, amount: Amount = _PLAIN) -> str | None:
    """`Enforced, it would ask about at least 40 more of 90 calls in sessions that were told nothing.`; None where there
    are none of these."""
    if not count.untold:
        return None
    calls = f"{amount(count.untold)} {'call' if count.untold == 1 else 'calls'} in sessions that were told nothing"
    if count.untold_writes is None:
        return f"It left alone {calls}. Enforced, it looks at them, and matches where nobody can tell."
    does = _DOES.get(count.would_decide or Decision.REQUIRE_APPROVAL, "ask about")
    unknown = f" Nobody looked what {amount(count.untold_unknown)} of them are." if count.untold_unknown else ""
    if not count.untold_writes:
        return f"It left alone {calls}, none of which is known to write, send or destroy.{unknown}"
    return f"Enforced, it would {does} at least {amount(count.untold_writes)} more of {calls}.{unknown}"


def read_with_in_words(count: ObservingPolicy) -> str | None:
    """`It reads calls by what 'Ours' says of tools, too, while both observe. ...`; None where it does not."""
    if not count.read_with:
        return None
    others, are = listed([repr(each) for each in count.read_with]), "says" if len(count.read_with) == 1 else "say"
    return (
        f"It reads calls by what {others} {are} of tools, too, as long as all of them observe. Enforced, it reads them "
        "by its own pack, and may ask about others."
    )


_DOES = {Decision.WARN: "warn of", Decision.BLOCK: "block"}


def reason_in_words(said: ObservedReason) -> str:
    """What a policy would have said, for people: a condition is put into words, and nothing else is."""
    reason = said.reason or NOT_KEPT
    told = f"{said.name}: {in_words(reason) if said.condition else reason}"
    return f"{told} (by its rules of before)" if said.earlier else told


def _decisions(n: int, amount: Amount) -> str:
    return f"{amount(n)} {'decision' if n == 1 else 'decisions'}"


GET_OBSERVED_DECISIONS = Endpoint(
    operation="get_observed_decisions",
    method="GET",
    path="/api/policies/observed",
    summary="Which decisions observing policies would have made stricter, and why, newest first.",
    roles=READING,
    query=ObservedDecisionsQuery,
    response=ObservedDecisions,
    problems=(Code.POLICY_NOT_FOUND, Code.PROJECTION_BEHIND),
)
