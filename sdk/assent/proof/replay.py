"""Policy replay: the recorded context against the recorded policies must give the recorded decision. Pure.

This is a second implementation of what guard means, apart from guard's own and as simple as it can be: whoever checks a
decision has nothing but the package. It goes through the policies one by one.

1. The context must have the digest that was recorded with it, and the policies theirs.
2. The facts are the context with what the service knew better: the action's type, the agent, goal, systems and
   reversibility as they were checked, the risk score, the names of what added to it, and whether the goal is
   destructive: worked out anew where the record names the table of words that this package has (`assent.destructive`).
3. Each policy that applies to the agent and can be decided from the facts is decided anew: the types of actions that
   are blocked, need approval or are not known, risk thresholds, conditions.
4. Taken as recorded is what nobody can decide later: rate limits (they depend on what happened around it;
   `limited_by_key` names those that only the key's count reached, which their text says), webhooks (somebody outside
   answered), whether a goal is destructive by another version of that table, conditions whose patterns take RE2 where
   that is not installed, the kill switch, and the scan for prompt injections, whose rules change. The scan stands
   behind the policies (its reasons behind those of policies that block) and says at least one thing. It only ever
   raises the decision: a record that claims it still has to have everything that the policies give.
5. Names are compared by the rule that the decision names; a decision that names none compared them letter by letter.
6. A decision that was drawn (`explore_draw`) must have been one that may be: said to be reversible, not destructive, of
   a risk below the bound that it names, by policies that were all decided anew. Each policy whose share is above the
   draw takes its other effect, and how probable the decision was is worked out from the shares. The draw and the bound
   are taken as recorded.
7. A decision that triage made (`triage`) must have been one that it may make: of an action that happens now, is said to
   be reversible, is not destructive and of a risk below the threshold; by policies that were all decided anew, of which
   one asks and none always. The draw is below the audit share and it was asked, or it is not and what asked lets pass
   with a warning; how probable that was follows from the share. What had passed then was within the plan's bound. The
   draw, the share, the threshold and the counts are taken as recorded.
8. Where a flow policy applies, what it looked at is recorded (`flow`), and nowhere else: without it the decision does
   not agree, unless all that apply only observe, which leave a session alone that was told nothing. The call is read
   anew, so its tool and its values are those of the context, and each flow policy is decided anew from where each value
   came from, which is taken as recorded: it was compared with digests that nobody has the key of. So is what a formula
   remembers of the calls before. A version that reads calls otherwise takes that as recorded, too.
9. The ids of the policies that matched, in their order, the decision, `would_decide`, and every text must then be the
   recorded ones. Reasons of what blocks stand before those of what asks, each policies' first; in a decision of before
   that, they stand in the policies' order. The texts of webhooks, which come last of these, are taken as recorded; so
   are warnings behind those of the policies, which come from webhooks or from signals.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import dropwhile, pairwise
from typing import Any

import msgspec
from msgspec import UNSET, Struct

from assent.contract.control.exploration import ASKED, PASSED
from assent.contract.control.guard import Decision, Source, TriageAnswer, TriageMark
from assent.contract.control.injection import SCAN_POLICY, SCAN_SAYS
from assent.contract.control.policies import Mode
from assent.contract.control.rules import (
    AlwaysAsk,
    Effect,
    FlowRules,
    PolicyError,
    PolicyType,
    RateLimit,
    WebhookCheck,
    parse_rules,
)
from assent.contract.control.triage import AUDITED, HIGHEST_THRESHOLD, MOST_ALPHA
from assent.contract.control.triage import PASSED as TRIAGED
from assent.contract.names import RULES, canonical, comparable
from assent.contract.prepared import prepared
from assent.destructive import VERSION, destructive
from assent.proof.canonical import CanonicalError, digest
from assent.proof.deciding import (
    AppliedPolicy,
    Match,
    Recorded,
    applying_policies,
    asks_for,
    decide_policy,
    fields_of,
    match_of,
)
from assent.proof.flowing import FlowMismatch, FlowPolicyRules, check_call
from assent.proof.policies import policy_digest

HALT_POLICY = "builtin:halt"
TOLERANCE = 1e-9
OTHER = {Effect.WARN: Decision.REQUIRE_APPROVAL, Effect.REQUIRE_APPROVAL: Decision.WARN}
"""What a policy does where it explores; a block has no other effect."""
NOT_DIGESTED = frozenset({"agent_id", "occurred_at", "source", "runtime", "session_id"})
"""Members of the context that its digest leaves out: who and when stand beside it."""

_ORDER = tuple(Decision)
_WHOLE = re.compile(r"(?<=\d)\.0(?!\d)")


class Replay(Struct, frozen=True, kw_only=True):
    """Whether the decision is what the policies say. `detail` tells what was taken as recorded or, where it does not
    agree, what differs; `expected` is then what was worked out and `found` what was recorded. `undecided` are the ids
    of policies that could not be decided for want of RE2."""

    agrees: bool
    detail: str
    undecided: list[str]
    expected: str | None = None
    found: str | None = None


class _Difference(Exception):
    def __init__(self, detail: str, expected: object = None, found: object = None) -> None:
        super().__init__(detail)
        self.expected = None if expected is None else str(expected)
        self.found = None if found is None else str(found)


def replay(decision: Mapping[str, Any], policies: Sequence[Mapping[str, Any]]) -> Replay:
    """Decide anew. `decision` is the recorded payload, `policies` the snapshot that its digest names.

    Never raises for what a payload may hold: a decision that cannot be read does not agree.
    """
    undecided: list[str] = []
    try:
        taken = _replay(msgspec.convert(decision, prepared(Recorded)), policies, undecided)
    except _Difference as difference:
        return Replay(
            agrees=False,
            detail=str(difference),
            undecided=undecided,
            expected=difference.expected,
            found=difference.found,
        )
    except (CanonicalError, PolicyError, KeyError, TypeError, ValueError) as error:
        return Replay(agrees=False, detail=f"The decision or its policies cannot be read: {error!r:.300}", undecided=[])
    if undecided:
        taken.append(f"conditions that take RE2 ({', '.join(undecided)}): install google-re2 to check them")
    said = "; taken as recorded: " + "; ".join(taken) if taken else ""
    return Replay(agrees=True, detail=f"The policies decide the same again{said}.", undecided=undecided)


def _replay(said: Recorded, given: Sequence[Mapping[str, Any]], undecided: list[str]) -> list[str]:
    """What was taken as recorded. Raises _Difference."""
    found = digest({name: value for name, value in said.context.items() if name not in NOT_DIGESTED})
    _same("the context's digest", found, said.context_digest)
    if said.name_rule not in (None, *RULES):
        raise _Difference(f"names were compared by rule {said.name_rule}, which this version of assent does not know")
    _check_type(said)
    _same("the policies' digest", policy_digest([dict(policy) for policy in given]), said.policy_digest)
    if said.explore_draw is UNSET and ((said.propensity != 1 and said.triage is UNSET) or said.explored):
        raise _Difference("a decision that was not drawn has a propensity of 1", 1.0, said.propensity)
    if said.matched_policies == [HALT_POLICY]:
        return _halted(said)
    applying = applying_policies(given, said.agent_id, said.name_rule)
    other_table = _goal(said)
    flowing = _flow(said, applying, given)
    webhooks = [policy for policy in applying if isinstance(policy.rules, WebhookCheck)]
    fields = fields_of(said)
    matches: list[Match] = []
    counted: list[str] = []
    for policy in applying:
        if isinstance(policy.rules, WebhookCheck):
            continue
        verdict = decide_policy(policy.rules, said, fields)
        if verdict is None:
            (counted if isinstance(policy.rules, RateLimit) else undecided).append(policy.policy_id)
            verdict = policy.policy_id in (said.observed_policies if policy.observed else said.matched_policies)
        if verdict:
            matches.append(match_of(policy, said, fields))
    turned = _turned_by_draw(said, matches, webhooks)
    scanned = _compare(said, matches, webhooks, turned)
    taken = [f"rate limits ({', '.join(counted)})"] if counted else []
    taken += flowing
    taken += _draws(said)
    taken += [f"the scan for prompt injections ({scanned})"] if scanned is not None else []
    if other_table is not None and any(asks_for(policy, "destructive") for policy in applying):
        taken.append(f"whether the goal is destructive (by table {other_table}; this package has {VERSION})")
    return taken + ([f"webhooks ({', '.join(hook.policy_id for hook in webhooks)})"] if webhooks else [])


def _flow(said: Recorded, applying: Sequence[AppliedPolicy], given: Sequence[Mapping[str, Any]]) -> list[str]:
    """What was taken as recorded of where values came from. Raises _Difference where it is not said, or of another
    call."""
    flow, asking = said.flow, [policy for policy in applying if isinstance(policy.rules, FlowRules)]
    simulated = said.source is Source.SIMULATED and flow is not UNSET
    if not asking or not (said.source is Source.LIVE or simulated):
        _same("what flow policies looked at, where none applies", UNSET, flow)
        return []
    if flow is UNSET:
        if all(policy.observed for policy in asking):
            return []
        raise _Difference("a flow policy applies, and the decision does not say what it looked at", "flow", None)
    read = [
        (parse_rules(each["policy_type"], each["rules"]), each["mode"] == Mode.OBSERVE)
        for each in given
        if each["policy_type"] == PolicyType.FLOW
    ]
    every = [FlowPolicyRules(rules, observed) for rules, observed in read if isinstance(rules, FlowRules)]
    try:
        anew = check_call(flow, said.action_type, said.context, every)
    except FlowMismatch as mismatch:
        raise _Difference(str(mismatch), mismatch.expected, mismatch.found) from None
    call = "" if anew else f", and how the call was read (version {flow.version})"
    return [f"where its values came from, as far as the session was told{call}"]


def _draws(said: Recorded) -> list[str]:
    """What was drawn, in words."""
    if said.explore_draw is not UNSET:
        return [f"the draw ({said.explore_draw:.6f}) and the risk below which is explored ({said.explore_below:g})"]
    if said.triage is UNSET:
        return []
    mark = said.triage
    return [
        f"the draw of triage ({mark.draw:.6f}), its audit share ({mark.share:g}) and threshold ({mark.threshold:g})"
    ]


def _turned_by_draw(said: Recorded, matches: list[Match], webhooks: Sequence[AppliedPolicy]) -> list[Match]:
    """The matches that a draw decided. Raises _Difference where it may not have."""
    if said.triage is not UNSET:
        return _triaged(said, said.triage, matches, webhooks)
    return [] if said.explore_draw is UNSET else _drawn(said, said.explore_draw, matches, webhooks)


def _drawn(said: Recorded, draw: float, matches: list[Match], webhooks: Sequence[AppliedPolicy]) -> list[Match]:
    """The matches whose policy took its other effect. Raises _Difference where the decision may not have been drawn, or
    was not as probable as it says."""
    if not 0 <= draw < 1 or said.explore_below is UNSET:
        raise _Difference("a draw is from 0 to below 1, and names the bound of the risk", None, draw)
    _same("whether the action is said to be reversible", True, said.context.get("reversible"))
    _same("whether the goal is destructive", False, said.destructive)
    if said.risk_score >= said.explore_below:
        raise _Difference("the risk is not below what may be explored", said.explore_below, said.risk_score)
    if webhooks or SCAN_POLICY in said.matched_policies:
        raise _Difference("nothing is explored where a webhook or the scan has a say", "no draw", draw)
    enforced = [match for match in matches if not match.policy.observed]
    if any(isinstance(match.policy.rules, FlowRules) for match in enforced):
        raise _Difference("nothing is explored that a flow policy asks about", "no draw", draw)
    natural, taken = _by_draw(enforced, 1.0), _by_draw(enforced, draw)
    if Decision.BLOCK in (natural, taken) or not enforced:
        raise _Difference("a block is never explored", "no draw", draw)
    bounds = sorted({0.0, 1.0, *(match.policy.explore for match in enforced)})
    probable = 0.0
    for low, high in pairwise(bounds):
        if _by_draw(enforced, low) == taken:
            probable += high - low
    if probable >= 1 or abs(probable - said.propensity) > TOLERANCE:
        raise _Difference("the propensity is not what the policies' shares give", probable, said.propensity)
    _same("whether it was explored", taken != natural, said.explored)
    return [match for match in enforced if draw < match.policy.explore]


def _triaged(said: Recorded, mark: TriageMark, matches: list[Match], webhooks: Sequence[AppliedPolicy]) -> list[Match]:
    """The matches that asked, which let pass or are audited. Raises _Difference where triage may not decide so."""
    _same("the draw of a policy beside that of triage", UNSET, said.explore_draw)
    _same("where a decision comes from that triage made", Source.LIVE, said.source)
    _same("whether the action is said to be reversible", True, said.context.get("reversible"))
    _same("whether the goal is destructive", False, said.destructive)
    _same("the stratum", comparable(said.action_type, said.name_rule or RULES[-1]), mark.stratum)
    if said.agent_id is None or webhooks or SCAN_POLICY in said.matched_policies:
        raise _Difference("triage has no say without an agent, or where a webhook or the scan has one")
    if not 0 < mark.threshold <= HIGHEST_THRESHOLD or said.risk_score >= mark.threshold:
        raise _Difference("the risk is not below what may pass", mark.threshold, said.risk_score)
    if not 0 <= mark.draw < 1 or not 0 < mark.share < 1:
        raise _Difference("a draw is from 0 to below 1, and an audit share between them", None, mark.draw)
    audited = mark.draw < mark.share
    _same("what triage answered", TriageAnswer.AUDIT if audited else TriageAnswer.ALLOW, mark.answer)
    probable = mark.share if audited else 1 - mark.share
    if abs(probable - said.propensity) > TOLERANCE:
        raise _Difference("the propensity is not what the audit share gives", probable, said.propensity)
    if not audited and (mark.bound > mark.budget or not 0 < mark.alpha <= MOST_ALPHA):
        raise _Difference("what passed is not within the plan's bound", mark.budget, mark.bound)
    enforced = [match for match in matches if not match.policy.observed]
    for match in enforced:
        if match.effect is Effect.BLOCK:
            raise _Difference("triage lets nothing pass that a policy blocks", None, match.policy.name)
        if match.policy.always_ask is AlwaysAsk.ALWAYS:
            raise _Difference("a policy that matched always asks", None, match.policy.name)
    asking = [match for match in enforced if match.effect is Effect.REQUIRE_APPROVAL]
    if not asking:
        raise _Difference("triage has no say where no policy asks")
    return asking


def _by_draw(enforced: Sequence[Match], draw: float) -> Decision:
    """The decision of enforced policies, each with its other effect where the draw is below its share."""
    return max((_turned(match, draw) for match in enforced), default=Decision.ALLOW, key=_severity)


def _turned(match: Match, draw: float) -> Decision:
    if draw >= match.policy.explore:
        return Decision(match.effect.value)
    return OTHER[match.effect]


def _goal(said: Recorded) -> str | None:
    """The version of the table that told whether the goal is destructive, where it is another than the one here. An
    older record says nothing of it. Raises _Difference where the table here says otherwise."""
    if said.destructive is UNSET:
        return None
    if said.destructive_table != VERSION:
        return str(said.destructive_table or "unknown")
    _same("whether the goal is destructive", destructive(said.declared_goal), said.destructive)
    return None


def _check_type(said: Recorded) -> None:
    """The type that was decided on is the one in the context, by the rule of names."""
    sent = said.context.get("action_type")
    if said.name_rule is not None and isinstance(sent, str):
        _same("the action's type", canonical(sent, said.name_rule), said.action_type)


def _halted(said: Recorded) -> list[str]:
    _same("the decision of a halted organization", Decision.BLOCK, said.decision)
    _same("would_decide", None, said.would_decide)
    _same("the observed policies", [], said.observed_policies)
    _same("the draw", UNSET, said.explore_draw)
    _same("what triage chose", UNSET, said.triage)
    _same("what flow policies looked at", UNSET, said.flow)
    if len(said.reasons) != 1 or not said.reasons[0].startswith("Halted: "):
        raise _Difference("A halted organization gives one reason, the halt's.", "Halted: ...", said.reasons)
    return ["the kill switch, which was on"]


def _compare(
    said: Recorded, matches: list[Match], webhooks: Sequence[AppliedPolicy], turned: Sequence[Match] = ()
) -> Decision | None:
    """What the scan said, if it said anything; `turned` are the matches with their other effect. Raises _Difference
    unless the recorded decision is what these matches, the scan, and perhaps webhooks, make."""
    enforced = [match for match in matches if not match.policy.observed]
    hooks = [hook for hook in webhooks if not hook.observed]
    ids = [match.policy.policy_id for match in enforced]
    scanned = SCAN_POLICY in said.matched_policies
    if scanned:
        ids.append(SCAN_POLICY)
    answered = _rest("the matched policies", ids, said.matched_policies, hooks)
    kept = [match for match in enforced if match not in turned]
    asks, passes = _turned_texts(said, turned)
    severe = [match for match in kept if match.effect is not Effect.WARN]
    texts = _reasons_behind(severe, asks, said.reasons)
    mild = [match.text for match in kept if match.effect is Effect.WARN] + passes
    others = _begins("the warnings", mild, said.warnings)
    scan = None
    if scanned:
        scan, texts = _scan(texts, others)
    _check_webhook_texts(texts, hooks if answered else [])
    audited = said.triage is not UNSET and said.triage.answer is TriageAnswer.AUDIT
    taken = [Decision(match.effect.value) if audited else OTHER[match.effect] for match in turned]
    strongest = max([_strongest(kept), *taken], key=_severity)
    lowest = max(strongest, scan or Decision.ALLOW, key=_severity)
    if answered:
        _at_least(
            "the decision",
            max(lowest, Decision.REQUIRE_APPROVAL if texts else Decision.WARN, key=_severity),
            said.decision,
        )
    else:
        _same("the decision", lowest, said.decision)
    if said.reasons:
        _same("the reason", "; ".join(said.reasons), said.reason)
    _compare_observed(said, [match for match in matches if match not in turned], webhooks)
    return scan


def _reasons_behind(severe: Sequence[Match], asks: Sequence[str], recorded: list[str]) -> list[str]:
    """The reasons that are not of these policies, of which `asks` are texts that a draw has made ask: those of the scan
    and of webhooks. Raises _Difference unless the policies' stand in the order that they give."""
    as_created = [*(match.text for match in severe), *asks]
    if [_plain(text) for text in recorded[: len(as_created)]] == [_plain(text) for text in as_created]:
        # Until blocks came first, the policies' own stood in this order, and before the others.
        return recorded[len(as_created) :]
    blocks = [match.text for match in severe if match.effect is Effect.BLOCK]
    asking = [*(match.text for match in severe if match.effect is not Effect.BLOCK), *asks]
    rest = _begins("the reasons", blocks, recorded)
    for at in range(len(rest) - len(asking) + 1):
        if [_plain(text) for text in rest[at : at + len(asking)]] == [_plain(text) for text in asking]:
            return rest[:at] + rest[at + len(asking) :]
    raise _Difference("the reasons are not those that the policies give", [*blocks, *asking], recorded)


def _turned_texts(said: Recorded, turned: Sequence[Match]) -> tuple[list[str], list[str]]:
    """The texts of the matches that a draw decided: those that ask, and those that let pass."""
    if said.triage is UNSET:
        return (
            [f"{match.text}; {ASKED}" for match in turned if match.effect is Effect.WARN],
            [f"{match.text}; {PASSED}" for match in turned if match.effect is not Effect.WARN],
        )
    if said.triage.answer is TriageAnswer.AUDIT:
        return [f"{match.text}; {AUDITED}" for match in turned], []
    return [], [f"{match.text}; {TRIAGED}" for match in turned]


def _scan(reasons: list[str], warnings: list[str]) -> tuple[Decision, list[str]]:
    """What the scan decided, from the texts behind those of the policies, and the reasons that are not its own."""
    rest = list(dropwhile(lambda text: text.startswith(SCAN_SAYS), reasons))
    if len(rest) < len(reasons):
        return Decision.BLOCK, rest
    if not warnings or not warnings[0].startswith(SCAN_SAYS):
        raise _Difference("the scan for prompt injections matched and says nothing", f"{SCAN_SAYS}...", warnings)
    return Decision.WARN, rest


def _compare_observed(said: Recorded, matches: list[Match], webhooks: Sequence[AppliedPolicy]) -> None:
    """The same for what observed policies would have made of it."""
    ids = [match.policy.policy_id for match in matches if match.policy.observed]
    hooks = [hook for hook in webhooks if hook.observed]
    answered = _rest("the observed policies", ids, said.observed_policies, hooks)
    everything = max(_strongest(matches), said.decision, key=_severity)
    if not said.observed_policies:
        _same("would_decide", None, said.would_decide)
    elif answered:
        _at_least("would_decide", max(everything, Decision.WARN, key=_severity), said.would_decide)
    else:
        _same("would_decide", everything, said.would_decide)


def _rest(what: str, local: list[str], recorded: list[str], hooks: Sequence[AppliedPolicy]) -> list[str]:
    """The webhooks that matched: they stand behind the others, in their own order."""
    rest = _begins(what, local, recorded)
    if rest != [hook.policy_id for hook in hooks if hook.policy_id in rest]:
        raise _Difference(f"{what} are not those that match", local, recorded)
    return rest


def _begins(what: str, expected: list[str], recorded: list[str]) -> list[str]:
    """What is recorded behind what is expected. 60 and 60.0 are one number, also in a text about it: whoever passed the
    policies on may have written the one for the other."""
    there = recorded[: len(expected)]
    if [_plain(text) for text in there] != [_plain(text) for text in expected]:
        raise _Difference(f"{what} are not those that the policies give", expected, recorded)
    return recorded[len(expected) :]


def _plain(text: str) -> str:
    return _WHOLE.sub("", text)


def _check_webhook_texts(texts: list[str], hooks: Sequence[AppliedPolicy]) -> None:
    for text in texts:
        if not any(text.startswith(f"{hook.name}: "[: len(text)]) for hook in hooks):
            raise _Difference("a reason is of no policy that matched", "none behind those of the policies", text)


def _strongest(matches: Sequence[Match]) -> Decision:
    return max((Decision(match.effect.value) for match in matches), default=Decision.ALLOW, key=_severity)


def _severity(decision: Decision) -> int:
    return _ORDER.index(decision)


def _same(what: str, expected: object, found: object) -> None:
    if expected != found:
        raise _Difference(f"{what}: not what the policies give", expected, found)


def _at_least(what: str, least: Decision, found: Decision | None) -> None:
    if found is None or _severity(found) < _severity(least):
        raise _Difference(f"{what}: milder than what the policies give", f"{least} or more", found)
