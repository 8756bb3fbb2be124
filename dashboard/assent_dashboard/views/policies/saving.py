"""Saving a draft: sent as a whole, unless somebody else changed the policy after the draft was begun.

The contract knows no condition on a version, so what is stored is read right before it is changed. Between the two
requests nobody is kept out; what somebody saves in those milliseconds is overwritten, and stays in the log.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from assent import Client
from assent.contract.policies import Policy, PolicyDraft
from assent.errors import Conflict, Forbidden, InvalidRequest, NotFound
from assent_dashboard.views.policies.data import last_change
from assent_dashboard.views.policies.draft import Draft


@dataclass(frozen=True)
class Saved:
    policy: Policy
    version: int


@dataclass(frozen=True)
class Overtaken:
    """Somebody was quicker. `theirs` is None when they removed the policy."""

    theirs: Policy | None
    who: str
    when: datetime | None


@dataclass(frozen=True)
class Refused:
    """Why it was not saved, or is not known to be."""

    message: str


def save(client: Client, draft: Draft) -> Saved | Overtaken | Refused:
    policy = draft.policy()
    base = draft.base
    try:
        if base is None:
            return _saved(_create(client, policy))
        theirs = next((each for each in client.get_policies().policies if each.policy_id == base.policy_id), None)
        if theirs is None or differs(base, theirs):
            return overtaken(client, base.policy_id, theirs)
        return _saved(_update(client, base.policy_id, policy))
    except NotFound:
        assert base is not None
        return overtaken(client, base.policy_id, None)
    except (InvalidRequest, Conflict, Forbidden) as error:
        return Refused(f"Nothing was changed. {error.detail}")


def differs(base: Policy, theirs: Policy) -> bool:
    """Whether a policy was changed since it was `base`."""
    return (theirs.version, theirs.updated_at) != (base.version, base.updated_at)


def overtaken(client: Client, policy_id: str, theirs: Policy | None) -> Overtaken:
    change = last_change(client, policy_id)
    who, when = change if change is not None else ("somebody", None)
    return Overtaken(theirs=theirs, who=who, when=when)


def _create(client: Client, policy: PolicyDraft) -> Policy:
    return client.create_policy(
        policy.name,
        policy.policy_type,
        _rules(policy),
        active=policy.active,
        agent_ids=policy.agent_ids,
        mode=policy.mode,
    ).policy


def _update(client: Client, policy_id: str, policy: PolicyDraft) -> Policy:
    return client.update_policy(
        policy_id,
        name=policy.name,
        policy_type=policy.policy_type,
        rules=_rules(policy),
        active=policy.active,
        agent_ids=policy.agent_ids,
        mode=policy.mode,
    ).policy


def _rules(policy: PolicyDraft) -> dict[str, object]:
    assert isinstance(policy.rules, dict)
    return policy.rules


def _saved(policy: Policy) -> Saved:
    return Saved(policy=policy, version=policy.version)
