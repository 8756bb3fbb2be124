"""Trying policies on a context: the same code as guard, with nothing recorded."""

from __future__ import annotations

import msgspec

from assent.contract.guard import GuardContext, GuardResult
from assent.contract.policies import Policy, PolicyCheck, PolicyDraft, PolicyTest, TestPolicies
from assent.contract.prepared import prepared
from assent.contract.problems import Code, FieldError
from assent.contract.spelling import OF_GUARD, respell
from assent_service.core.clock import Clock
from assent_service.core.moments import check_moments
from assent_service.core.principal import Principal
from assent_service.core.problem import Refusal, refuse
from assent_service.guard import Guard, PolicySet
from assent_service.policies.change import made, normalised
from assent_service.policies.policies import Policies


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
        check_moments(context)
        now = self._clock()
        chosen = None
        if request.policies is not None:
            chosen = PolicySet(
                [_tried(principal.org_id, number, each, now) for number, each in enumerate(request.policies)]
            )
        asked = self._guard.question(principal, context, members)
        return (await self._guard.decide(asked, chosen)).decision.result()


def _tried(org_id: str, number: int, draft: PolicyDraft, now: int) -> Policy:
    return made(draft, org_id=org_id, policy_id=f"tried_{number}", by="trial", now=now, version=0)


def _check(policy_id: str | None, name: str, policy_type: str, rules: object) -> PolicyCheck:
    try:
        normalised(policy_type, rules)
    except Refusal as refusal:
        return PolicyCheck(policy_id=policy_id, name=name, passed=False, message=refusal.detail)
    return PolicyCheck(policy_id=policy_id, name=name, passed=True, message="reads and compiles")
