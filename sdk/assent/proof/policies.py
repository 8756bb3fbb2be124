"""The policies that decided, as they are digested: a decision names its policies by this digest."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from assent.contract.control.policies import Policy
from assent.contract.control.rules import AlwaysAsk
from assent.proof.canonical import digest


def snapshot(policies: Iterable[Policy]) -> list[dict[str, object]]:
    """The active ones in the order given, each with what makes it decide as it does and no more. `explore` and
    `always_ask` are there where they are something, so that policies without them have the digest that they always
    had."""
    return [
        {
            "policy_id": policy.policy_id,
            "name": policy.name,
            "policy_type": policy.policy_type,
            "rules": policy.rules,
            "agent_ids": list(policy.agent_ids),
            "mode": policy.mode.value,
            **({"explore": policy.explore} if policy.explore else {}),
            **({"always_ask": policy.always_ask.value} if policy.always_ask is not AlwaysAsk.NEVER else {}),
        }
        for policy in policies
        if policy.active and policy.deleted_at is None
    ]


def policy_digest(taken: Sequence[dict[str, object]]) -> str:
    """The digest of a snapshot: `sha256:` and 64 lower-case hex digits. Raises CanonicalError for rules without a
    canonical form."""
    return digest(list(taken))
