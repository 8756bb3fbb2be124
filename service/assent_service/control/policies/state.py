"""Policies in memory: one compiled set per organization, made anew when a policy changes."""

from __future__ import annotations

from assent.contract.control.policies import Policy
from assent.contract.events import EventName
from assent_service.control.guard import PolicySet
from assent_service.core.payload import decode
from assent_service.core.rows import record, select
from assent_service.store.event import Event
from assent_service.store.ledger import Read
from assent_service.store.tables import Table

POLICIES = Table.of(
    Policy,
    name="policies",
    meaning="policies as they are now, deleted ones included",
    key="policy_id",
    created=("policy.created",),
    replaced=("policy.updated",),
)


NONE = PolicySet([], 0)


class PolicyState:
    """Every policy that is not deleted, in the order of creation, and the version of each organization."""

    types = frozenset({EventName.POLICY_CREATED.value, EventName.POLICY_UPDATED.value})
    rules = True

    def __init__(self) -> None:
        self._policies: dict[str, dict[str, Policy]] = {}
        self._versions: dict[str, int] = {}
        self._compiled: dict[str, PolicySet] = {}

    def load(self, read: Read) -> None:
        for row in read(f"SELECT {select(POLICIES)} FROM policies ORDER BY created_at, policy_id", []):
            self._keep(record(POLICIES, row, Policy))

    def fold(self, event: Event) -> None:
        self._keep(decode(event, Policy))

    def of(self, org_id: str) -> PolicySet:
        """The compiled policies, made on the first question after a change."""
        compiled = self._compiled.get(org_id)
        if compiled is None:
            if org_id not in self._policies:
                return NONE
            compiled = PolicySet(self.list(org_id), self.version(org_id))
            self._compiled[org_id] = compiled
        return compiled

    def list(self, org_id: str) -> list[Policy]:
        return list(self._policies.get(org_id, {}).values())

    def get(self, org_id: str, policy_id: str) -> Policy | None:
        return self._policies.get(org_id, {}).get(policy_id)

    def version(self, org_id: str) -> int:
        return self._versions.get(org_id, 0)

    def _keep(self, policy: Policy) -> None:
        policies = self._policies.setdefault(policy.org_id, {})
        if policy.deleted_at is None:
            policies[policy.policy_id] = policy
        else:
            policies.pop(policy.policy_id, None)
        self._versions[policy.org_id] = max(self.version(policy.org_id), policy.version)
        self._compiled.pop(policy.org_id, None)
