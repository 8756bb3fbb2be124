"""Whether the standing grant that a receipt names gave the approval: the rules of grants, written a second time.

The bundle has the grant as it was given, and its use by this action, both in the tree of the log. The grant's other
uses are not there: how many there were before is the service's own count, recorded in the use.

1. The use is of the grant that was given: every bound is the same, and it was given before.
2. It is a use by this action, under this decision, for this approval, by the moment of the approval.
3. The grant was live: not revoked, not expired, and the use within the number of uses.
4. The grant covers the request: its agent, type and risk, and the conditions hold for what guard looked at. Guard asked
   for approval, of an action that happened now, and not to find out what asking changes.
5. Every policy that matched is among the bundle's and decided by guard itself, and none of them always asks.
6. The receipt says who gave the grant, and is good for as long as the grant.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec

from assent.contract.conditions import ConditionError
from assent.contract.control.grants import Grant, condition_of
from assent.contract.control.guard import Decision, Source
from assent.contract.control.rules import AlwaysAsk, WebhookCheck
from assent.contract.events import EventName
from assent.contract.names import comparable, named
from assent.contract.prepared import prepared
from assent.proof.canonical import canonical
from assent.proof.deciding import Recorded, applying_policies, fields_of
from assent.proof.matching import holds
from assent.proof.story import Proven, Row, Story
from assent.proof.times import moment

_BOUNDS = (
    *("org_id", "grant_id", "agent_ids", "action_type", "when", "max_risk", "max_uses", "expires_at", "reason"),
    *("from_action_id", "created_at", "created_by", "created_by_name"),
)


class Ungranted(Exception):
    """Why the grant did not give the approval; `expected` and `found` where two values were compared."""

    def __init__(self, detail: str, expected: object = None, found: object = None) -> None:
        super().__init__(detail)
        self.expected, self.found = expected, found


def check_grant(
    story: Story, approval: Mapping[str, Any], policies: Sequence[Mapping[str, Any]] | None
) -> tuple[Grant, bool]:
    """The grant as it was used, and whether all of it was checked: conditions that take RE2 cannot be where that is not
    installed. Raises Ungranted."""
    given, used = _grant(story, EventName.GRANT_CREATED), _grant(story, EventName.GRANT_USED)
    for name in _BOUNDS:
        before, after = (_row(event).get(name) for _, event in (given, used))
        if canonical(before) != canonical(after):
            raise Ungranted(f"The receipt, the grant and its use do not agree: the grant's {name}.", before, after)
    grant = used[0]
    _same("the grant", approval["grant_id"], grant.grant_id)
    if given[1].n >= used[1].n:
        raise Ungranted("The grant was used before it was given.", f"after {given[1].n}", used[1].n)
    _check_use(story, approval, grant, given[0])
    _check_receipt(approval, grant)
    return grant, _check_covered(story, grant, policies)


def _grant(story: Story, name: EventName) -> tuple[Grant, Proven]:
    found = story.of(name)
    if len(found) != 1:
        raise Ungranted(f"The bundle has {len(found)} events {name}, expected 1.")
    try:
        return msgspec.convert(_timely(_row(found[0])), prepared(Grant)), found[0]
    except (msgspec.ValidationError, _NoTimeError) as error:
        raise Ungranted(f"Event {found[0].n} is no grant: {error}.") from None


class _NoTimeError(ValueError):
    pass


def _row(event: Proven) -> Row:
    return event.data or {}


def _timely(row: Row) -> Row:
    """The grant with its times read. Raises _NoTimeError."""
    read: Row = {name: _read(row[name], name) for name in ("created_at", "expires_at", "revoked_at") if name in row}
    use = row.get("last_use")
    if isinstance(use, dict) and "at" in use:
        read["last_use"] = {**use, "at": _read(use["at"], "last_use.at")}
    return row | read


def _read(said: object, name: str) -> datetime | None:
    at = moment(said)
    if at is None and said is not None:
        raise _NoTimeError(f"{name} is {str(said)[:80]!r}, no time in the form in which evidence has them")
    return at


def _check_use(story: Story, approval: Mapping[str, Any], grant: Grant, given: Grant) -> None:
    use, action = grant.last_use, story.action or {}
    if use is None:
        raise Ungranted("The use of the grant does not say by what.")
    _same("the action of the use", action.get("action_id"), use.action_id)
    _same("the approval of the use", approval.get("approval_id"), use.approval_id)
    _same("the decision of the use", action.get("decision_id"), use.decision_id)
    _same("the moment of the use", moment(approval.get("decided_at")), use.at)
    _same("the number of the use", grant.used, use.number)
    if given.used or given.last_use is not None or given.revoked_at is not None:
        raise Ungranted("The grant was used or revoked when it was given.")
    if not 1 <= use.number <= grant.max_uses:
        raise Ungranted("The grant was used up.", f"1 to {grant.max_uses}", use.number)
    if grant.revoked_at is not None:
        raise Ungranted("The grant was revoked when it was used.", None, grant.revoked_at)
    if not grant.created_at <= use.at < grant.expires_at:
        raise Ungranted("The grant was not live when it was used.", f"before {grant.expires_at.isoformat()}", use.at)


def _check_receipt(approval: Mapping[str, Any], grant: Grant) -> None:
    use = grant.last_use
    _same("who decided", grant.created_by_name, approval.get("decided_by"))
    _same("the key that decided", grant.created_by, approval.get("decided_by_key"))
    _same("how long the approval is good", grant.expires_at, moment(approval.get("valid_until")))
    _same("whether one key asked and decided", None if use is None else use.self_decided, approval.get("self_decided"))


def _check_covered(story: Story, grant: Grant, policies: Sequence[Mapping[str, Any]] | None) -> bool:
    """Whether the conditions could be checked."""
    decision = story.decision or {}
    said = msgspec.convert(decision, prepared(Recorded))
    _same("the decision", Decision.REQUIRE_APPROVAL, said.decision)
    _same("where the decision comes from", Source.LIVE, decision.get("source"))
    _same("whether the policy asked to find out", False, said.explored)
    if said.name_rule is None:
        raise Ungranted("The decision is from before grants.")
    rule = said.name_rule
    agents = [comparable(each, rule) for each in grant.agent_ids]
    if said.agent_id is None or comparable(said.agent_id, rule) not in agents:
        raise Ungranted("The grant is for other agents.", grant.agent_ids, said.agent_id)
    if comparable(said.action_type, rule) != comparable(grant.action_type, rule):
        raise Ungranted("The grant is for another type of action.", grant.action_type, said.action_type)
    if said.risk_score > grant.max_risk:
        raise Ungranted("The risk is above the grant's.", grant.max_risk, said.risk_score)
    _check_policies(said, policies)
    try:
        condition = condition_of(grant.when)
    except ConditionError as error:
        raise Ungranted(f"The grant's conditions cannot be read: {error}.") from None
    fits = None if condition is None else holds(named(condition, rule), fields_of(said))
    if fits is False:
        raise Ungranted("The grant's conditions do not hold for what was asked.")
    return condition is None or fits is not None


def _check_policies(said: Recorded, policies: Sequence[Mapping[str, Any]] | None) -> None:
    if policies is None:
        raise Ungranted("The policies that asked are not in the bundle.")
    ids = [each.get("policy_id") for each in policies]
    applying = {each.policy_id: each for each in applying_policies(policies, said.agent_id, said.name_rule)}
    for policy_id in said.matched_policies:
        policy = applying.get(policy_id)
        if ids.count(policy_id) > 1:
            raise Ungranted("Two policies have the same id.", None, policy_id)
        if policy is None or isinstance(policy.rules, WebhookCheck):
            raise Ungranted("A grant lets nothing through that a webhook or the scan asks about.", None, policy_id)
        if policy.always_ask is AlwaysAsk.ALWAYS or (policy.always_ask is AlwaysAsk.DESTRUCTIVE and said.destructive):
            raise Ungranted("A policy that matched always asks.", None, policy.name)


def _same(what: str, expected: object, found: object) -> None:
    # True is 1 in Python, and not in JSON.
    if expected != found or isinstance(expected, bool) is not isinstance(found, bool):
        raise Ungranted(f"The receipt, the grant and its use do not agree: {what}.", expected, found)
