"""Policies: making, changing, deleting and importing them, trying them on a context, and the pack a new organization
starts with."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import cache
from importlib.resources import files

import msgspec

from assent.contract.control.escalations import unheard
from assent.contract.control.guard import OF_GUARD, GuardContext, GuardResult
from assent.contract.control.policies import (
    ACCEPT_ACTION_TYPE,
    CREATE_POLICY,
    DELETE_POLICY,
    GET_POLICIES,
    GET_POLICY,
    IMPORT_POLICIES,
    TEST_POLICIES,
    UPDATE_POLICY,
    AcceptActionType,
    AcceptedActionType,
    DeletedPolicy,
    ImportedPolicies,
    ImportPolicies,
    Policy,
    PolicyChange,
    PolicyCheck,
    PolicyDetail,
    PolicyDraft,
    PolicyQuery,
    PolicyRemoval,
    PolicyTest,
    TestPolicies,
)
from assent.contract.control.policies import Policies as PolicyList
from assent.contract.control.rules import PolicyType, parse_rules, rules_to_data
from assent.contract.control.shared_tools import all_shared_tools
from assent.contract.events import EventName
from assent.contract.names import same_name
from assent.contract.people.rota import Duty
from assent.contract.prepared import prepared
from assent.contract.problems import Code, FieldError
from assent.contract.spelling import respell
from assent.packs import PackError, parse_pack
from assent_service.base.clock import Clock, new_id
from assent_service.base.problem import Refusal, refuse
from assent_service.control.guard import Guard, PolicySet, check_name, check_rules, result_of
from assent_service.control.policies.change import changed, invalid, lowered, made, normalised, removed, same
from assent_service.control.policies.state import PolicyState
from assent_service.core.call import Call
from assent_service.core.locks import EntityLocks, Fence
from assent_service.core.moments import put_in_utc
from assent_service.core.names import check_open, settle
from assent_service.core.payload import encode
from assent_service.core.principal import Principal
from assent_service.core.route import RECORDS_NOTHING, Route, serves
from assent_service.store.event import Draft
from assent_service.store.ledger import Ledger

POLICIES_FENCE = Fence("policies")
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

    def get(self, org_id: str, policy_id: str) -> Policy:
        """Raises `policy_not_found`."""
        return self._find(org_id, policy_id, None)

    async def create(self, principal: Principal, draft: PolicyDraft) -> Policy:
        """Raises `invalid_policy`, and `policy_exists` for a name that is taken."""
        org_id = principal.org_id
        async with self._locks.hold(POLICIES_FENCE.of(org_id)):
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
        async with self._locks.hold(POLICIES_FENCE.of(org_id)):
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
        async with self._locks.hold(POLICIES_FENCE.of(org_id)):
            policy = self._find(org_id, policy_id, if_version)
            now = self._clock()
            gone = removed(policy, by=principal.key_id, now=now, version=self.state.version(org_id) + 1)
            await self._record(org_id, [_updated(gone, now)])
            return DeletedPolicy(deleted=True, policy_id=gone.policy_id)

    async def load_pack(self, principal: Principal, request: ImportPolicies) -> ImportedPolicies:
        """All or none. Raises `invalid_policy` naming the place in the pack."""
        drafts = _read(request)
        org_id = principal.org_id
        async with self._locks.hold(POLICIES_FENCE.of(org_id)):
            now, by = self._clock(), principal.key_id
            version = self.state.version(org_id)
            by_name = {policy.name: policy for policy in self.state.list(org_id)}
            events, lost = list[Draft](), list[str]()
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
                    lost += lowered(policy, after)
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
                warnings=lost,
            )

    async def accept(self, principal: Principal, action_type: str) -> AcceptedActionType:
        """Add a type to the known ones. Raises `self_approval` for a key that is bound to an agent, which may not let
        its own agent's types in, `policy_not_found` where no active policy knows types, and `invalid_policy` for a list
        that is full."""
        if principal.agent_id is not None:
            raise refuse(
                Code.SELF_APPROVAL,
                f"This key is bound to agent {principal.agent_id!r}, and does not let types in that its agent may use. "
                "An operator accepts them with another key.",
            )
        org_id = principal.org_id
        async with self._locks.hold(POLICIES_FENCE.of(org_id)):
            knowing = [each for each in self.state.list(org_id) if knows_types(each)]
            if not knowing:
                raise refuse(
                    Code.POLICY_NOT_FOUND,
                    "No active policy of this organization is of kind known_types, so every type is let in; "
                    "an admin can create one.",
                )
            now, version = self._clock(), self.state.version(org_id)
            events: list[Draft] = []
            for policy in knowing:
                listed = known_types_of(policy)
                if not any(same_name(action_type, each) for each in listed):
                    change = PolicyChange(rules={**policy.rules, "action_types": [*listed, action_type]})
                    after = changed(policy, change, by=principal.key_id, now=now, version=version + len(events) + 1)
                    events.append(_updated(after, now))
            if events:
                await self._record(org_id, events)
            return AcceptedActionType(
                action_type=action_type,
                changed=len(events),
                policies=[each for each in self.state.list(org_id) if knows_types(each)],
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
        check_name(name, self.state.list(org_id))


def knows_types(policy: Policy) -> bool:
    """Whether it is an active policy with a list of known types."""
    return policy.active and policy.policy_type == PolicyType.KNOWN_TYPES


def known_types_of(policy: Policy) -> list[str]:
    """The list of a policy that `knows_types`."""
    listed = policy.rules["action_types"]
    return [str(each) for each in listed] if isinstance(listed, list) else []


def _made(draft: PolicyDraft, org_id: str, *, by: str, now: int, place: int, version: int) -> Policy:
    """A policy of a pack: made a microsecond after the one before it, since policies are kept in that order."""
    at = now + place
    return made(draft, org_id=org_id, policy_id=new_id("pol_", at), by=by, now=at, version=version)


def _read(request: ImportPolicies) -> list[PolicyDraft]:
    if (request.yaml is None) == (request.pack is None):
        raise refuse(Code.INVALID_POLICY, "Give either yaml (the text of a pack) or pack (the name of one).")
    try:
        if request.yaml is not None:
            return parse_pack(request.yaml, check_rules)
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
        explore=draft.explore,
        always_ask=draft.always_ask,
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


# Trying policies on a context: the same code as guard, with nothing recorded.


class Trial:
    """Checks policies one by one, and asks them about a context."""

    def __init__(self, policies: Policies, guard: Guard, clock: Clock) -> None:
        self._policies, self._guard, self._clock = policies, guard, clock

    async def run(self, principal: Principal, request: TestPolicies) -> PolicyTest:
        """Raises `invalid_body` for a context that guard would not take either."""
        if request.policies is None:
            present = self._policies.state.list(principal.org_id)
            checks = [_check(policy.policy_id, policy.name, policy.policy_type, policy.rules) for policy in present]
        else:
            checks = [_check(None, draft.name, draft.policy_type, draft.rules) for draft in request.policies]
        passed = sum(check.passed for check in checks)
        result = None
        if request.context is not None and passed == len(checks):
            result = await self._ask(principal, request)
        return PolicyTest(
            success=passed == len(checks),
            total=len(checks),
            passed=passed,
            failed=len(checks) - passed,
            results=checks,
            result=result,
        )

    async def _ask(self, principal: Principal, request: TestPolicies) -> GuardResult:
        members = respell(dict(request.context or {}), OF_GUARD)
        try:
            context = msgspec.convert(members, prepared(GuardContext))
        except msgspec.ValidationError as error:
            raise refuse(
                Code.INVALID_BODY,
                f"The context is not valid: {error}.",
                FieldError(place="context", message=str(error)),
            ) from error
        put_in_utc(context)
        check_open(members, GuardContext.__struct_encode_fields__)
        context = settle(context)
        now = self._clock()
        chosen = None
        if request.policies is not None:
            chosen = PolicySet(
                [_tried(principal.org_id, number, each, now) for number, each in enumerate(request.policies)]
            )
        asked = self._guard.question(principal, context, members)
        return result_of((await self._guard.decide(asked, chosen)).decision)


def _tried(org_id: str, number: int, draft: PolicyDraft, now: int) -> Policy:
    return made(draft, org_id=org_id, policy_id=f"tried_{number}", by="trial", now=now, version=0)


def _check(policy_id: str | None, name: str, policy_type: str, rules: object) -> PolicyCheck:
    try:
        normalised(policy_type, rules)
    except Refusal as refusal:
        return PolicyCheck(policy_id=policy_id, name=name, passed=False, message=refusal.detail)
    return PolicyCheck(policy_id=policy_id, name=name, passed=True, message="reads and compiles")


# The pack of policies that comes with the service; `assent.packs` reads packs.
#
# A stored policy never changes by itself: an organization keeps what the release shipped that it began with, and
# `outdated` names what a later release ships otherwise.


def default_pack() -> list[PolicyDraft]:
    """The pack a new organization starts with, read from the file beside this module."""
    return list(_pack("default_pack.yaml"))


def outdated(policies: Iterable[Policy]) -> list[Policy]:
    """Those that are as an earlier release shipped them, while this one ships another rule under their name."""
    shipped = [(draft.name, _rules(draft)) for draft in _pack("earlier_pack.yaml")]
    return [policy for policy in policies if (policy.name, _rules(policy)) in shipped]


def _rules(policy: Policy | PolicyDraft) -> object:
    return rules_to_data(parse_rules(policy.policy_type, policy.rules))


@cache
def _pack(name: str) -> tuple[PolicyDraft, ...]:
    return tuple(parse_pack(files("assent_service.control.policies").joinpath(name).read_text("utf-8")))


def routes(policies: Policies, trial: Trial, duty: Callable[[str], Duty]) -> tuple[Route, ...]:
    """`duty` says who is in the groups of the rota."""

    def detail(policy: Policy) -> PolicyDetail:
        return PolicyDetail(policy=policy, warnings=warnings(policy.org_id, [policy]))

    def warnings(org_id: str, given: Sequence[Policy]) -> list[str]:
        now = duty(org_id)
        silent = [said for each in given if (said := unheard(each, now)) is not None]
        return silent + all_shared_tools(given, policies.state.list(org_id))

    @serves(GET_POLICIES)
    async def list_policies(call: Call[None, None]) -> PolicyList:
        org_id = call.principal.org_id
        return PolicyList(policies=policies.state.list(org_id), version=policies.state.version(org_id))

    @serves(GET_POLICY)
    async def get(call: Call[None, None], policy_id: str) -> PolicyDetail:
        return detail(policies.get(call.principal.org_id, policy_id))

    @serves(CREATE_POLICY, holds=(POLICIES_FENCE,))
    async def create(call: Call[PolicyDraft, None]) -> PolicyDetail:
        return detail(await policies.create(call.principal, call.body))

    @serves(UPDATE_POLICY, holds=(POLICIES_FENCE,))
    async def update(call: Call[PolicyChange, PolicyQuery], policy_id: str | None = None) -> PolicyDetail:
        policy_id = policy_id or call.query.id or call.body.policy_id
        return detail(await policies.update(call.principal, policy_id, call.body))

    @serves(DELETE_POLICY, holds=(POLICIES_FENCE,))
    async def delete(call: Call[None, PolicyRemoval], policy_id: str | None = None) -> DeletedPolicy:
        policy_id = policy_id or call.query.id
        return await policies.delete(call.principal, policy_id, call.query.if_version)

    @serves(IMPORT_POLICIES, holds=(POLICIES_FENCE,))
    async def load_pack(call: Call[ImportPolicies, None]) -> ImportedPolicies:
        imported = await policies.load_pack(call.principal, call.body)
        more = warnings(call.principal.org_id, imported.policies)
        return msgspec.structs.replace(imported, warnings=imported.warnings + more)

    @serves(TEST_POLICIES, unfenced=RECORDS_NOTHING)
    async def test(call: Call[TestPolicies, None]) -> PolicyTest:
        return await trial.run(call.principal, call.body)

    @serves(ACCEPT_ACTION_TYPE, holds=(POLICIES_FENCE,))
    async def accept(call: Call[AcceptActionType, None]) -> AcceptedActionType:
        return await policies.accept(call.principal, call.body.action_type)

    return list_policies, get, create, update, delete, load_pack, test, accept
