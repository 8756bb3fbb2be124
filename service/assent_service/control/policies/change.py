"""What a change makes of a policy. Pure; the rules are read and compiled here, so a recorded policy always works."""

from __future__ import annotations

from typing import Any

import msgspec

from assent.contract.conditions import ConditionError
from assent.contract.control.exploration import check_explore
from assent.contract.control.policies import Mode, Policy, PolicyChange, PolicyDraft
from assent.contract.control.rules import AlwaysAsk, PolicyError, check_always_ask, parse_rules, rules_to_data
from assent.contract.control.shared_tools import listed, tools_of
from assent.contract.problems import Code, FieldError
from assent.packs import PackError
from assent_service.base.clock import moment
from assent_service.base.problem import Refusal, refuse
from assent_service.control.guard import check_rules
from assent_service.core.carry import carry

CHANGEABLE = ("name", "policy_type", "rules", "active", "agent_ids", "mode", "explore", "always_ask")
MOST_ERRORS = 20
"""Policies of a pack of which a refusal says what is wrong."""


def made(draft: PolicyDraft, *, org_id: str, policy_id: str, by: str, now: int, version: int) -> Policy:
    """A new policy. Raises `invalid_policy` naming the place in its rules."""
    at = moment(now)
    return carry(
        Policy,
        draft,
        org_id=org_id,
        policy_id=policy_id,
        rules=normalised(draft.policy_type, draft.rules, draft.explore, draft.always_ask),
        agent_ids=list(draft.agent_ids),
        version=version,
        created_at=at,
        created_by=by,
        updated_at=at,
        updated_by=by,
        deleted_at=None,
    )


def changed(policy: Policy, change: PolicyChange, *, by: str, now: int, version: int) -> Policy:
    """`policy` with the members that `change` gives. Raises `invalid_policy`."""
    members: dict[str, Any] = {name: getattr(change, name) for name in CHANGEABLE if getattr(change, name) is not None}
    if "agent_ids" in members:
        members["agent_ids"] = list(members["agent_ids"])
    if members.keys() & {"rules", "policy_type", "explore", "always_ask"}:
        policy_type = members.get("policy_type", policy.policy_type)
        explore = members.get("explore", policy.explore)
        always_ask = members.get("always_ask", policy.always_ask)
        members["rules"] = normalised(policy_type, members.get("rules", policy.rules), explore, always_ask)
    return msgspec.structs.replace(policy, **members, version=version, updated_at=moment(now), updated_by=by)


def lowered(before: Policy, after: Policy) -> list[str]:
    """What a pack that brings a policy of this name takes away from what decided before."""
    if not (before.active and before.mode is Mode.ENFORCE):
        return []
    if not after.active or after.mode is not Mode.ENFORCE:
        now = "only observes now" if after.active else "is off now"
        what = f"Policy {after.name!r} was enforced, and {now}"
        return [f"{what}: a policy that is imported replaces the one of its name."]
    earlier, now_said = tools_of(before), tools_of(after)
    gone = [each for each in earlier if each not in now_said]
    other = [each for each in earlier if each in now_said and earlier[each] != now_said[each]]
    said = [f"says nothing of {listed(gone)} any more"] * bool(gone)
    said += [f"says otherwise of {listed(other)}"] * bool(other)
    return [f"The pack of policy {after.name!r} {' and '.join(said)}, which counts at once."] if said else []


def removed(policy: Policy, *, by: str, now: int, version: int) -> Policy:
    return msgspec.structs.replace(
        policy, deleted_at=moment(now), version=version, updated_at=moment(now), updated_by=by
    )


def same(policy: Policy, draft: PolicyDraft) -> bool:
    """Whether `policy` already is what `draft` asks for."""
    rules = normalised(draft.policy_type, draft.rules, draft.explore, draft.always_ask)
    wanted = (
        draft.policy_type,
        rules,
        draft.active,
        list(draft.agent_ids),
        draft.mode,
        draft.explore,
        draft.always_ask,
    )
    return (
        policy.policy_type,
        policy.rules,
        policy.active,
        policy.agent_ids,
        policy.mode,
        policy.explore,
        policy.always_ask,
    ) == wanted


def normalised(
    policy_type: str, rules: object, explore: float = 0.0, always_ask: AlwaysAsk = AlwaysAsk.NEVER
) -> dict[str, Any]:
    """Rules with their defaults, read and compiled once to be sure, of a policy that may explore and ask so. Raises
    `invalid_policy`."""
    try:
        parsed = parse_rules(policy_type, rules)
        check_rules(parsed)
        check_explore(parsed, explore)
        check_always_ask(parsed, always_ask)
    except (PolicyError, ConditionError) as error:
        raise invalid(error) from error
    return dict(rules_to_data(parsed))


def invalid(error: PolicyError | ConditionError | PackError) -> Refusal:
    """Of a pack, with what is wrong with each of its policies, so that all of them are mended at once."""
    others = error.others if isinstance(error, PackError) else ()
    more = f" Nor can {listed([each.place for each in others])}." if others else ""
    wrong: list[PolicyError | ConditionError | PackError] = [error, *others]
    return refuse(
        Code.INVALID_POLICY,
        f"The policy cannot be used: {error.place}: {error.message}.{more}",
        *(FieldError(place=each.place, message=each.message) for each in wrong[:MOST_ERRORS]),
    )
