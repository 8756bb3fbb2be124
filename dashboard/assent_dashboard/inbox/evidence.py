"""What stands behind a request, for the one that the cursor is on: what the agent wants, its exact arguments and how
they differ from the nearest call that was approved, what its risk is made of, which policies stopped it, and how such
requests ended, up to now. Plain words: what a stranger wrote is clean, and the page shows it as text.

A decision and its context never change, so they are kept, for the last `KEPT` actions that were looked at. How others
ended may: it is asked for anew at every look.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from threading import Lock
from time import monotonic
from typing import Any, NamedTuple, TypedDict, TypeVar

import msgspec
from msgspec import UnsetType

from assent import Action, ActionStatus, Approval, ApprovalState, Client, GuardResult, Source, Verification
from assent.arguments import SHOWN_ELSEWHERE, arguments_of, reach_of
from assent.contract.control.actions import standing
from assent.contract.control.flows import FlowTrace
from assent.contract.control.inbox import ActionApproval
from assent.contract.control.injection import SCAN_POLICY
from assent.contract.evidence.traces import ActionTrace
from assent.contract.names import marked_value
from assent.contract.visible import paragraphs, visible, visible_text
from assent.deciding import decided_by, portions, unseen
from assent.errors import NotFound
from assent.nearest import DECIDED, Difference, Nearest, candidates_of, conditions_words, nearest_of
from assent.origins import origins
from assent.proof.replay import HALT_POLICY
from assent_analytics.rates import wilson
from assent_dashboard.inbox.rows import NO_GOAL, Ending, Item, Row, ending_of, milliseconds, row_of
from assent_dashboard.inbox.talk import Talk
from assent_dashboard.views import answers, words
from assent_dashboard.views.address import LONGEST_NAME

LONGEST_REASON = 160
BUILT_IN = {HALT_POLICY: "The kill switch", SCAN_POLICY: "The scan for prompt injections"}
"""What matches like a policy and is none that anybody wrote."""
GUARD_SAID = {
    "allow": "guard allowed it",
    "warn": "guard warned",
    "require_approval": "guard asked for approval",
    "block": "guard blocked it",
}


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """Another action of the same agent and type. `mark` is how it ended, as the page marks it."""

    id: str
    at: int
    mark: str
    verdict: str
    reason: str | None
    outcome: str | None
    simulated: bool


class NearestCall(msgspec.Struct, frozen=True, kw_only=True):
    """`assent.nearest.Nearest` for the page: `at` is when it was asked for, `by` who approved it, with the
    conditions; each change is a name, what it was and what it is now."""

    id: str
    at: int
    by: str | None
    changes: list[Difference]
    more: int
    same: int
    arguments: int
    among: int


class Origin(msgspec.Struct, frozen=True, kw_only=True):
    """Where one value came from: the argument, the value as the request has it, and whether a text has it, or
    nothing."""

    argument: str
    text: str | None
    doubtful: bool
    sentence: str


class Detail(msgspec.Struct, frozen=True, kw_only=True):
    """`standing` is how the request ended, None while it waits. Pairs are a label and a value. `findings` is the
    decision whose prompt injections the page on injections shows. `origins` and `session` tell what a
    flow policy saw, `reach` how far it goes in the session to allow a request that waits, and `flow_session` is the
    session that the page on sessions shows."""

    row: Row
    standing: Ending | None
    origins: list[Origin]
    session: list[str]
    reach: str
    flow_session: str | None
    said: list[tuple[str, str]]
    arguments: Arguments
    whole: str | None
    parts: list[tuple[str, str]]
    notes: list[str]
    policies: list[tuple[str, str | None]]
    warnings: list[str]
    version: str | None
    findings: str | None
    nearest: NearestCall | None
    record: list[str]
    title: str
    earlier: list[Line]
    talk: Talk


def detail(item: Item, found: Background, policies: Mapping[str, str], talk: Talk) -> Detail:
    """`policies` are the names of policies by their ids."""
    action, approval, decision = item.action, item.approval, found.decision
    waits = approval.state is ApprovalState.AWAITING
    title, earlier = _earlier(found.before, action)
    return Detail(
        row=row_of(item),
        standing=None if waits else ending_of(action.action_id, approval),
        **came_from(found, waits=waits),
        flow_session=_flow_session(action, found),
        said=facts(action),
        arguments=arguments(action, found.context),
        whole=whole(found.context) if found.context else None,
        parts=[] if decision is None else [(f"+{round(part.points, 1):g}", part.meaning) for part in parts(decision)],
        notes=["What it is made of was erased."] if decision is None else notes(decision),
        policies=[(each, policies.get(each)) for each in approval.matched_policies],
        warnings=[] if decision is None else [words.clean(warning) for warning in decision.warnings],
        version=None if decision is None else _version(decision),
        findings=decision.decision_id if decision is not None and SCAN_POLICY in decision.matched_policies else None,
        nearest=None if found.nearest is None else nearest_call(found.nearest),
        record=[] if found.before is None else record(found.before.decided),
        title=title,
        earlier=earlier,
        talk=talk,
    )


class CameFrom(TypedDict):
    origins: list[Origin]
    session: list[str]
    reach: str


def came_from(found: Background, *, waits: bool) -> CameFrom:
    """What a flow policy saw; nothing where none looked at the request."""
    if found.flow is None:
        return CameFrom(origins=[], session=[], reach="")
    told = origins(found.flow, found.context)
    more = [f"{words.several(told.more, 'more value')} looked at."] if told.more else []
    return CameFrom(
        origins=[
            Origin(
                argument=visible(each.argument),
                text=None if each.text is None else visible(each.text),
                doubtful=each.doubtful,
                sentence=words.clean(each.sentence),
            )
            for each in told.values
        ],
        session=[words.clean(each) for each in (*more, *told.session)],
        reach=told.reach if waits else "",
    )


def _flow_session(action: Action, found: Background) -> str | None:
    """Where a flow policy looked at the request, its session, if its name fits into an address."""
    session_id = action.session_id
    fits = session_id is not None and len(session_id) <= LONGEST_NAME
    return session_id if found.flow is not None and fits else None


def _version(decision: GuardResult) -> str:
    version = f"Policies at version {decision.policy_version}."
    if decision.would_decide is not None and decision.would_decide is not decision.decision:
        would = str(decision.would_decide).replace("_", " ")
        version += f" With every observed policy enforced it would have been: {would}."
    return version


def _earlier(before: Before | None, action: Action) -> tuple[str, list[Line]]:
    kind = words.clean(action.action_type)
    if before is None:
        return "The request names no agent, so nothing can be said of what it did before.", []
    if not before.times:
        return f"This agent has never done {kind} before.", []
    title = "Every other time" if len(before.times) < LAST else f"The last {words.several(len(before.times), 'time')}"
    return f"{title} this agent asked for {kind}", [_line(each) for each in before.times]


def _line(earlier: Earlier) -> Line:
    action = earlier.action
    approval = None if earlier.approved is None else earlier.approved.approval
    reason = None if approval is None else words.shorten(visible(approval.reasoning), LONGEST_REASON)
    return Line(
        id=action.action_id,
        at=milliseconds(action.timestamp_start),
        mark=str(action.decision if approval is None else approval.state),
        verdict=verdict(earlier),
        reason=reason or None,
        outcome=outcome(earlier),
        simulated=action.source is Source.SIMULATED,
    )


def verdict(earlier: Earlier) -> str:
    """Who decided what: a person where one was asked, else guard."""
    if earlier.approved is not None:
        return how_it_ended(earlier.approved.approval)
    return GUARD_SAID[str(earlier.action.decision)]


_DID = {ApprovalState.APPROVED: "allowed"}


def how_it_ended(approval: Approval) -> str:
    """`denied by ana after 12 s`, `expired after 24 h`, `allowed by a standing grant of ana`."""
    by = f" by {words.clean(decided_by(approval))}" if approval.decided_by else ""
    said = f"{_DID.get(approval.state, str(approval.state))}{by}"
    if approval.decided_at is None or approval.grant_id is not None:
        return said
    return f"{said} after {words.span((approval.decided_at - approval.requested_at).total_seconds())}"


def outcome(earlier: Earlier) -> str | None:
    """What became of it, with why it failed. None where the verdict says it: denied, expired, withdrawn."""
    action = earlier.action
    if earlier.approved is not None and standing(action) == earlier.approved.approval.state:
        return None
    said = standing(action).replace("_", " ")
    known = earlier.approved.approval.reasoning if earlier.approved is not None else None
    if action.error_message and action.error_message != known:
        said += f" ({words.shorten(visible(action.error_message), LONGEST_REASON)})"
    return said


# How such requests ended, up to now: of the newest ones that this agent asked for of this type, how many people
# allowed, and how many of all that were allowed failed. Rates have their Wilson interval. What a standing grant allowed
# is counted by itself: nobody looked at it.


def record(decided: Iterable[ActionApproval]) -> list[str]:
    """Sentences; none where nothing was decided yet."""
    known = list(decided)
    decided = [each for each in known if each.approval.state in (ApprovalState.APPROVED, ApprovalState.DENIED)]
    by_people = [each for each in decided if each.approval.grant_id is None]
    by_grants = [each for each in decided if each.approval.grant_id is not None]
    allowed = [each for each in decided if each.approval.state is ApprovalState.APPROVED]
    ended = [each for each in allowed if each.action.status in (ActionStatus.COMPLETED, ActionStatus.FAILED)]
    failed = sum(each.action.status is ActionStatus.FAILED for each in ended)
    said: list[str] = []
    if by_people:
        said.append(f"Allowed {_rate(len(allowed) - len(by_grants), len(by_people))} that people decided.")
    if by_grants:
        said.append(_by_grants(by_grants, more=bool(by_people)))
    if ended:
        said.append(f"Failed {_rate(failed, len(ended))} that were allowed and have ended.")
    unanswered = {
        state: sum(each.approval.state is state for each in known)
        for state in (ApprovalState.EXPIRED, ApprovalState.WITHDRAWN)
    }
    if any(unanswered.values()):
        said.append("; ".join(f"{count} {state}" for state, count in unanswered.items() if count).capitalize() + ".")
    return said


def _by_grants(known: Sequence[ActionApproval], *, more: bool) -> str:
    """`2 more by a standing grant of Night shift.`"""
    givers = sorted({words.clean(each.approval.decided_by) for each in known if each.approval.decided_by})
    grants = len({each.approval.grant_id for each in known})
    of = f" of {', '.join(givers)}" if givers else ""
    count = f"{len(known)} more" if more else f"{len(known)} allowed"
    return f"{count} by {'a standing grant' if grants == 1 else f'{grants} standing grants'}{of}."


def _rate(count: int, n: int) -> str:
    low, high = wilson(count, n)
    return f"{count} of {n} ({100 * low:.0f} to {100 * high:.0f} % at 95 % confidence)"


def nearest_call(nearest: Nearest) -> NearestCall:
    """For the page."""
    item = nearest.item
    by = words.clean(decided_by(item.approval))
    return NearestCall(
        id=item.action.action_id,
        at=milliseconds(item.approval.requested_at),
        by=f"{by}{conditions_words(item.approval)}" if by else None,
        changes=nearest.changes,
        more=nearest.more,
        same=nearest.same,
        arguments=nearest.arguments,
        among=nearest.among,
    )


# What is asked for: guard's decision with what its risk is made of, the context that guard looked at, and how the same
# agent fared with the same type before.


KEPT, NAMES_SECONDS = 256, 60.0
LAST = 5
"""So many earlier ones are shown."""

T = TypeVar("T")


@dataclass(frozen=True)
class Earlier:
    """Another action of the same agent and type that does not wait; `approved` is None where guard decided by
    itself."""

    action: Action
    approved: ActionApproval | None


@dataclass(frozen=True)
class Before:
    """Those beside a request, newest first, `LAST` at most, the approvals among them that somebody decided or that
    ended, and those that were approved, `DECIDED` at most of each."""

    times: list[Earlier]
    decided: list[ActionApproval]
    approved: list[ActionApproval]


@dataclass(frozen=True)
class Background:
    """`decision` is None where it was erased; `before` is None where the action names no agent, and `flow` where no
    flow policy looked at it."""

    decision: GuardResult | None
    context: dict[str, Any]
    before: Before | None
    nearest: Nearest | None = None
    flow: FlowTrace | None = None


class Decided(NamedTuple):
    """What never changes of a `Background`."""

    decision: GuardResult | None
    context: dict[str, Any]
    flow: FlowTrace | None


class Backgrounds:
    """Those of one session."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._decided: OrderedDict[str, Decided] = OrderedDict()
        self._names: tuple[float, dict[str, str]] | None = None

    def of(self, client: Client, item: Item) -> Background:
        """Raises what the client raises."""
        action = item.action
        (decision, context, flow), before = answers.both(
            lambda: self._decision(client, action.action_id), lambda: earlier_of(client, action)
        )
        if before is None or not context:
            return Background(decision, context, before, flow=flow)
        approved = candidates_of(before.approved)
        contexts = answers.each(lambda other: self._decision(client, other.action.action_id).context, approved)
        nearest = nearest_of(context, zip(approved, contexts, strict=True), action.authorization_scope)
        return Background(decision, context, before, nearest, flow)

    def arguments(self, client: Client, items: Iterable[Item]) -> dict[str, Arguments]:
        """The exact arguments of each that has a trace, by its id, as `Detail` has them. Raises what the client
        raises."""

        def one(item: Item) -> Arguments | None:
            try:
                return arguments(item.action, self._decision(client, item.action.action_id).context)
            except NotFound:
                return None

        asked = list(items)
        found = zip(asked, answers.each(one, asked), strict=True)
        return {item.action.action_id: known for item, known in found if known is not None}

    def _decision(self, client: Client, action_id: str) -> Decided:
        with self._lock:
            known = self._decided.get(action_id)
            if known is not None:
                self._decided.move_to_end(action_id)
        if known is None:
            known = _decided(client.get_action_trace(action_id))
            with self._lock:
                self._decided[action_id] = known
                while len(self._decided) > KEPT:
                    self._decided.popitem(last=False)
        return known

    def policy_names(self, client: Client) -> dict[str, str]:
        """Names of the policies by their ids, asked for once a minute; those that were deleted are not among them."""
        known = self._names
        if known is None or monotonic() - known[0] > NAMES_SECONDS:
            written = {policy.policy_id: policy.name for policy in client.get_policies().policies}
            known = self._names = (monotonic(), BUILT_IN | written)
        return known[1]

    @property
    def count(self) -> int:
        """How many decisions are in memory."""
        return len(self._decided)


def earlier_of(client: Client, action: Action) -> Before | None:
    """The last five other actions of the same agent and type that do not wait, newest first, whether they were asked
    for before it or after. Whatever of them was decided by a person is among the last such approvals, since both stand
    in the order in which they were asked for."""
    agent_id = action.agent_id
    if agent_id is None:
        return None

    def actions() -> list[Action]:
        waiting = ActionStatus.PENDING_APPROVAL
        page = client.get_actions(
            agent_id=agent_id, action_type=action.action_type, exclude_status=waiting, limit=LAST + 1
        )
        return [each for each in page.actions if each.action_id != action.action_id]

    def approvals(state: ApprovalState | None = None) -> list[ActionApproval]:
        page = client.get_approvals(
            agent_id=agent_id,
            action_type=action.action_type,
            state=state,
            exclude_state=ApprovalState.AWAITING,
            limit=DECIDED + 1,
        )
        return [each for each in page.approvals if each.action.action_id != action.action_id][:DECIDED]

    found, (decided, approved) = answers.both(
        actions,
        lambda: answers.both(approvals, lambda: approvals(ApprovalState.APPROVED)),
    )
    known = {each.action.action_id: each for each in decided}
    return Before([Earlier(each, known.get(each.action_id)) for each in found[:LAST]], decided, approved)


def _decided(trace: ActionTrace) -> Decided:
    return Decided(
        None if isinstance(trace.decision, UnsetType) else trace.decision,
        {} if isinstance(trace.context, UnsetType) else trace.context,
        None if isinstance(trace.flow, UnsetType) else trace.flow,
    )


# What an agent says of its request, as lines: what is named by the contract, and whatever else it sent. Pure.


LONGEST = 400
_SIGNED = {
    Verification.VERIFIED: "by the agent's own key",
    Verification.UNSIGNED: "no",
    Verification.UNKNOWN_KEY: "by a key that nobody knows",
    Verification.REPLAYED: "with a signature that was used before",
    Verification.REVOKED: "by a key that was revoked",
}


def facts(action: Action) -> list[tuple[str, str]]:
    """Label and value of what the agent says beside its arguments; what is not there has no line."""
    said: list[tuple[str, str | None]] = [
        ("Reasoning", _text(action.reasoning)),
        ("Trigger", _text(action.trigger)),
        ("Allowed to", _text(action.authorization_scope)),
        ("Input", _text(action.input_summary)),
        *reach_of(action.externality, words.span),
        ("Cost", None if action.cost_estimate is None else f"{action.cost_estimate:g} US dollars, estimated"),
        ("Confidence", f"{action.confidence} of 100"),
        ("Runtime", str(action.runtime).replace("_", " ")),
        ("Session", words.clean(action.session_id) if action.session_id else None),
        ("Signed", _SIGNED.get(action.verification)),
    ]
    return [(label, value) for label, value in said if value]


class Arguments(msgspec.Struct, frozen=True, kw_only=True):
    """What whoever allows goes by: the whole goal, and the exact arguments, name and value of those that are shown, and
    how many are not shown, or not to their end; `reach` is what the agent said of where it goes, likewise, `allowed` of
    what allows it. `alike` is the same where goal, agent, type, arguments, systems, reach, what allows it and whether
    it can be undone were sent alike and the risk is the same; where that is not known, no other request's is."""

    goal: str
    lines: list[tuple[str, str]]
    reach: list[tuple[str, str]]
    allowed: str | None
    hidden: int
    alike: str


def arguments(action: Action, context: Mapping[str, Any]) -> Arguments:
    """What this agent sent beyond the members of the contract, on top, in parameters and in metadata. `context` is what
    guard looked at."""
    own = [(name, marked_value(value)) for name, value in arguments_of(context, plain="context")]
    lines = [
        (words.shorten(name, of_name), paragraphs(words.shorten(value, of_value)))
        for (name, value), (of_name, of_value) in zip(own, portions(own), strict=False)
    ]
    hidden = unseen(own)
    if action.parameters_digest is not None and "parameters" not in context:
        lines.append(("parameters", f"kept by the agent; their digest is {action.parameters_digest}"))
    goal = visible(action.declared_goal) or NO_GOAL
    reach = reach_of(action.externality, words.span)
    allowed = _text(action.authorization_scope)
    return Arguments(goal=goal, lines=lines, reach=reach, allowed=allowed, hidden=hidden, alike=_alike(action, context))


def _alike(action: Action, context: Mapping[str, Any]) -> str:
    members = {name: value for name, value in context.items() if name not in SHOWN_ELSEWHERE}
    given = [members, context.get("parameters"), context.get("metadata")] if context else action.action_id
    told = [action.declared_goal, action.agent_id, action.agent_name, action.action_type, action.parameters_digest]
    told.append(action.authorization_scope)
    reach = context.get("externality", action.externality)
    at_stake = [action.systems_touched, action.reversible, reach, round(action.risk_score, 1)]
    sent = [*told, *msgspec.to_builtins(at_stake), given]
    return sha256(json.dumps(sent, sort_keys=True).encode()).hexdigest()


def whole(context: Mapping[str, Any]) -> str:
    """Everything that guard looked at, as JSON in lines, in which everything is seen."""
    lines = msgspec.json.format(msgspec.json.encode(context), indent=2).decode().split("\n")
    return "\n".join(line[: len(line) - len(line.lstrip(" "))] + visible_text(line.lstrip(" ")) for line in lines)


def _text(text: str | None) -> str | None:
    return None if text is None else words.shorten(visible(text), LONGEST) or None


# What a risk score is made of, in words: each addition that guard recorded, and how they became the score. Pure.
#
# The additions are guard's own (`risk_breakdown`); nothing is worked out here. Where they do not add up to the score it
# is because the agent's own estimate was higher and counts instead, or because no risk exceeds 100; a sentence says so.


HIGHEST = 100
HISTORY = "history"
MEANINGS = {
    "base": "what this type of action starts with",
    "irreversible": "it cannot be undone",
    "production_system": "it touches production, a database or the like",
    "local_system": "it touches the file system or a shell",
    "destructive_goal": "its goal speaks of deleting or wiping",
    "deployment_goal": "its goal speaks of deploying or releasing",
    "secrets_goal": "its goal speaks of secrets or keys",
    "simulated": "a simulator made it up",
    "template": "your risk template rates it higher",
}


@dataclass(frozen=True)
class RiskPart:
    """An addition: its points, and in our words what it is for."""

    points: float
    meaning: str


def parts(decision: GuardResult) -> list[RiskPart]:
    """Every addition, in the order in which guard made them."""
    return [RiskPart(points, _meaning(name, decision)) for name, points in decision.risk_breakdown.items()]


def notes(decision: GuardResult) -> list[str]:
    """How the additions became the score, in sentences; none where they simply add up to it."""
    said: list[str] = []
    template, own = decision.risk_template_id, decision.agent_risk_score
    if isinstance(template, str):
        rated = (
            f" rates it {round(decision.risk_template_score, 1):g}"
            if isinstance(decision.risk_template_score, float)
            else ""
        )
        said.append(f"The risk template {words.clean(template)}, version {decision.risk_template_version},{rated}.")
    formula = sum(points for name, points in decision.risk_breakdown.items() if name != HISTORY)
    if own is not None and own > min(formula, HIGHEST):
        said.append(
            f"The agent's own estimate of {round(own, 1):g} is higher than this before history; it counts instead."
        )
    elif sum(decision.risk_breakdown.values()) > decision.risk_score:
        said.append(f"No risk is higher than {HIGHEST}.")
    return said


def _meaning(name: str, decision: GuardResult) -> str:
    if name == HISTORY:
        past = decision.predictive_risk.statistical
        if not past.total_actions:
            return "this agent has no history of this type in 30 days"
        seen = words.several(past.total_actions, "action")
        return f"of {seen} of this type in 30 days, {words.percent(100 * past.failure_rate)} failed"
    return MEANINGS.get(name) or words.clean(name.replace("_", " "))
