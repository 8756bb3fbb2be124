"""What the page asks the service for. Nothing here touches Streamlit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import msgspec

from assent import Client, GuardDecision
from assent.contract.analysis.changes import RuleChanges
from assent.contract.analysis.observed import ObservedDecisions
from assent.contract.control.grants import Grants, GrantState
from assent.contract.control.policies import Mode, Policy
from assent.contract.people.organizations import Organization
from assent.contract.people.rota import Duty
from assent.contract.roles import Role
from assent_dashboard.sessions import Session
from assent_dashboard.views.addresses import Scope
from assent_dashboard.views.answers import later

LATELY = 500
"""The newest decisions, in which those are looked for that a policy explored."""
OBSERVED = 200
"""The newest decisions that observing policies would have made stricter, which are listed."""
CHANGES = 200
"""The newest changes of policies, whose authors are named."""
HISTORY = 100
"""The newest changes of rules, which are listed."""
GRANTS = 100
"""The newest live grants, which are listed."""
OFFERED = 20
"""Recent decisions whose contexts can be tried."""


@dataclass(frozen=True)
class PolicyList:
    """The policies in the order in which guard names them, and names of keys by their ids. `newest` waits for the
    newest decisions, which take longest where there are many, `history` for the newest changes of rules, `grants` for
    the standing grants that are live, `duty` for who is in the groups of the rota, `observed` for what observing
    policies would have asked, `organization` for whose policies they are, which only an admin may read."""

    policies: tuple[Policy, ...]
    version: int
    people: Mapping[str, str]
    newest: Callable[[], tuple[GuardDecision, ...]]
    history: Callable[[], RuleChanges]
    grants: Callable[[], Grants]
    duty: Callable[[], Duty]
    observed: Callable[[], ObservedDecisions]
    organization: Callable[[], Organization | None] = lambda: None

    @property
    def lately(self) -> tuple[GuardDecision, ...]:
        return self.newest()

    def find(self, policy_id: str) -> Policy | None:
        return next((policy for policy in self.policies if policy.policy_id == policy_id), None)

    def named(self, key_id: str) -> str:
        """Who a key is; its id where the name is not known."""
        return self.people.get(key_id, key_id)

    def explored(self, policy_id: str) -> list[GuardDecision]:
        """The newest decisions that exploring made others, and that a policy matched, newest first."""
        return [each for each in self.lately if each.explored and policy_id in each.matched_policies]


def load(session: Session, scope: Scope) -> PolicyList:
    client = session.client
    changes = later(lambda: client.get_activity_logs(resource_type="policy", limit=CHANGES))
    newest = later(
        lambda: tuple(client.get_guard_decisions(limit=LATELY, agent_id=scope.agent_id, days=scope.days).decisions)
    )
    history = later(lambda: client.get_rule_changes(limit=HISTORY))
    grants = later(lambda: client.list_grants(state=GrantState.LIVE, limit=GRANTS))
    duty = later(client.get_rota)
    observed = later(lambda: client.get_observed_decisions(scope.window, agent_id=scope.agent_id, limit=OBSERVED))
    admin = session.key.role is Role.ADMIN
    organization = later(lambda: client.get_org_by_id(session.key.org_id).organization if admin else None)
    found = client.get_policies()
    people = {each.actor_id: each.actor_name for each in changes().logs if each.actor_name}
    return PolicyList(
        policies=tuple(found.policies),
        version=found.version,
        people={**people, session.key.key_id: session.name},
        newest=newest,
        history=history,
        grants=grants,
        duty=duty,
        observed=observed,
        organization=organization,
    )


def last_change(client: Client, policy_id: str) -> tuple[str, Any] | None:
    """Who changed or removed a policy last, and when."""
    newest = client.get_activity_logs(resource_id=policy_id, resource_type="policy", limit=1).logs
    return (newest[0].actor_name or newest[0].actor_id, newest[0].created_at) if newest else None


def context_of(client: Client, decision: GuardDecision) -> dict[str, Any] | None:
    """What guard was asked then, None when it is no longer there.

    Only the day, the agent and the type of the decision are read.
    """
    day = decision.occurred_at.date()
    frame = client.frame(
        "decisions",
        since=day - timedelta(days=1),
        until=day + timedelta(days=1),
        agent_id=decision.agent_id,
        action_type=decision.action_type,
        columns=["decision_id", "context"],
    )
    for decision_id, context in frame.iter_rows():
        if decision_id == decision.decision_id and context:
            found = msgspec.json.decode(context)
            return found if isinstance(found, dict) else None
    return None


def in_order(policies: Sequence[Policy], text: str, shown: Sequence[str]) -> list[Policy]:
    """Those whose name, type or rules hold the text, in their order; `shown` keeps enforced, observed and off ones."""
    wanted = text.strip().casefold()

    def holds(policy: Policy) -> bool:
        rules = msgspec.json.encode(policy.rules).decode()
        return wanted in f"{policy.name}\n{policy.policy_type}\n{rules}\n{' '.join(policy.agent_ids)}".casefold()

    return [policy for policy in policies if (not shown or state(policy) in shown) and (not wanted or holds(policy))]


def state(policy: Policy) -> str:
    """`Enforced`, `Observed` or `Off`."""
    if not policy.active:
        return "Off"
    return "Enforced" if policy.mode is Mode.ENFORCE else "Observed"
