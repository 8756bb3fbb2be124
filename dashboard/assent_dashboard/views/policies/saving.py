"""Saving a draft: sent as a whole with the version that it was begun from, so that the service refuses it where
somebody else was quicker."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from assent import Client
from assent.contract.policies import Policy, PolicyDraft
from assent.contract.problems import Code
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
        return _saved(_update(client, base, policy))
    except NotFound:
        assert base is not None
        return overtaken(client, base.policy_id, None)
    except (InvalidRequest, Conflict, Forbidden) as error:
        if base is not None and error.code == Code.POLICY_CHANGED:
            theirs = next((each for each in client.get_policies().policies if each.policy_id == base.policy_id), None)
            return overtaken(client, base.policy_id, theirs)
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


def _update(client: Client, base: Policy, policy: PolicyDraft) -> Policy:
    return client.update_policy(
        base.policy_id,
        if_version=base.version,
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
