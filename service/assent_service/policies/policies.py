"""Making, changing, importing and trying out policies."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from assent.contract.events import EventName
from assent.contract.policies import DeletedPolicy, ImportedPolicies, ImportPolicies, Policy, PolicyChange, PolicyDraft
from assent.contract.problems import Code, FieldError
from assent.packs import PackError, parse_pack
from assent_service.core.clock import Clock, new_id
from assent_service.core.locks import EntityLocks
from assent_service.core.payload import encode
from assent_service.core.principal import Principal
from assent_service.core.problem import refuse
from assent_service.policies.change import changed, invalid, made, removed, same
from assent_service.policies.pack import default_pack
from assent_service.policies.state import PolicyState
from assent_service.store.event import Draft
from assent_service.store.ledger import Ledger

LARGEST = 5000


class Policies:
    """The policies of every organization. `on_change(org)` runs after a change has been folded."""

    def __init__(self, ledger: Ledger, clock: Clock, locks: EntityLocks) -> None:
        self._ledger, self._clock, self._locks = ledger, clock, locks
        self.state = PolicyState()
        self.on_change: Callable[[str], Awaitable[None]] | None = None

    def seed(self, org_id: str, by: str, now: int) -> list[Draft]:
        """The default pack for a new organization, to be recorded together with it."""
        return [
            _created(_made(draft, org_id, by=by, now=now, place=place, version=place + 1), now)
            for place, draft in enumerate(default_pack())
        ]

    async def create(self, principal: Principal, draft: PolicyDraft) -> Policy:
        """Raises `invalid_policy`, and `policy_exists` for a name that is taken."""
        org_id = principal.org_id
        async with self._locks.hold(f"policies:{org_id}"):
            self._check_name(org_id, draft.name)
            if len(self.state.list(org_id)) >= LARGEST:
                raise refuse(Code.INVALID_POLICY, f"An organization can have {LARGEST} policies; remove some first.")
            now = self._clock()
            policy = made(
                draft,
                org_id=org_id,
                policy_id=new_id("pol_", now),
                by=principal.key_id,
                now=now,
                version=self.state.version(org_id) + 1,
            )
            await self._record(org_id, [_created(policy, now)])
            return policy

    async def update(self, principal: Principal, policy_id: str | None, change: PolicyChange) -> Policy:
        """Raises `policy_not_found`, `policy_changed`, `invalid_policy` and `policy_exists`."""
        org_id = principal.org_id
        async with self._locks.hold(f"policies:{org_id}"):
            policy = self._find(org_id, policy_id, change.if_version)
            if change.name is not None and change.name != policy.name:
                self._check_name(org_id, change.name)
            now = self._clock()
            after = changed(policy, change, by=principal.key_id, now=now, version=self.state.version(org_id) + 1)
            await self._record(org_id, [_updated(after, now)])
            return after

    async def delete(self, principal: Principal, policy_id: str | None, if_version: int | None = None) -> DeletedPolicy:
        """Raises `policy_not_found` and `policy_changed`."""
        org_id = principal.org_id
        async with self._locks.hold(f"policies:{org_id}"):
            policy = self._find(org_id, policy_id, if_version)
            now = self._clock()
            gone = removed(policy, by=principal.key_id, now=now, version=self.state.version(org_id) + 1)
            await self._record(org_id, [_updated(gone, now)])
            return DeletedPolicy(deleted=True, policy_id=gone.policy_id)

    async def load_pack(self, principal: Principal, request: ImportPolicies) -> ImportedPolicies:
        """All or none. Raises `invalid_policy` naming the place in the pack."""
        drafts = _read(request)
        org_id = principal.org_id
        async with self._locks.hold(f"policies:{org_id}"):
            now, by = self._clock(), principal.key_id
            version = self.state.version(org_id)
            by_name = {policy.name: policy for policy in self.state.list(org_id)}
            events: list[Draft] = []
            unchanged = 0
            for draft in drafts:
                policy = by_name.get(draft.name)
                version += 1
                if policy is None:
                    new = _made(draft, org_id, by=by, now=now, place=len(events), version=version)
                    events.append(_created(new, now))
                elif same(policy, draft):
                    version -= 1
                    unchanged += 1
                else:
                    after = changed(policy, _as_change(draft), by=by, now=now, version=version)
                    events.append(_updated(after, now))
            imported = len(events)
            names = {draft.name for draft in drafts}
            for policy in by_name.values() if request.replace else ():
                if policy.name not in names:
                    version += 1
                    events.append(_updated(removed(policy, by=by, now=now, version=version), now))
            if events:
                await self._record(org_id, events)
            return ImportedPolicies(
                imported=imported,
                unchanged=unchanged,
                deleted=len(events) - imported,
                policies=self.state.list(org_id),
            )

    async def _record(self, org_id: str, events: list[Draft]) -> None:
        await self._ledger.append(*events)
        if self.on_change is not None:
            await self.on_change(org_id)

    def _find(self, org_id: str, policy_id: str | None, if_version: int | None) -> Policy:
        policy = self.state.get(org_id, policy_id) if policy_id else None
        if policy is None:
            raise refuse(Code.POLICY_NOT_FOUND, f"There is no policy {policy_id!r} in this organization.")
        if if_version is not None and if_version != policy.version:
            raise refuse(
                Code.POLICY_CHANGED,
                f"if_version is {if_version}, and {policy.name!r} is of version {policy.version}: somebody changed it. "
                "Read it again, and decide then.",
                FieldError(place="if_version", message=f"the policy is of version {policy.version} by now"),
            )
        return policy

    def _check_name(self, org_id: str, name: str) -> None:
        if any(policy.name == name for policy in self.state.list(org_id)):
            raise refuse(
                Code.POLICY_EXISTS,
                f"A policy named {name!r} exists already; change that one or choose another name.",
                FieldError(place="name", message="is taken"),
            )


def _made(draft: PolicyDraft, org_id: str, *, by: str, now: int, place: int, version: int) -> Policy:
    """A policy of a pack: made a microsecond after the one before it, since policies are kept in that order."""
    at = now + place
    return made(draft, org_id=org_id, policy_id=new_id("pol_", at), by=by, now=at, version=version)


def _read(request: ImportPolicies) -> list[PolicyDraft]:
    if (request.yaml is None) == (request.pack is None):
        raise refuse(Code.INVALID_POLICY, "Give either yaml (the text of a pack) or pack (the name of one).")
    try:
        if request.yaml is not None:
            return parse_pack(request.yaml)
    except PackError as error:
        raise invalid(error) from error
    if request.pack != "default":
        raise refuse(Code.INVALID_POLICY, f"There is no pack {request.pack!r}; the service comes with: default.")
    return default_pack()


def _as_change(draft: PolicyDraft) -> PolicyChange:
    return PolicyChange(
        policy_type=draft.policy_type,
        rules=draft.rules,
        active=draft.active,
        agent_ids=draft.agent_ids,
        mode=draft.mode,
    )


def _created(policy: Policy, now: int) -> Draft:
    return _event(EventName.POLICY_CREATED, policy, now)


def _updated(policy: Policy, now: int) -> Draft:
    return _event(EventName.POLICY_UPDATED, policy, now)


def _event(name: EventName, policy: Policy, now: int) -> Draft:
    return Draft(
        org=policy.org_id,
        type=name.value,
        ts=now,
        subject=policy.policy_id,
        actor=policy.updated_by,
        data=encode(policy),
    )
