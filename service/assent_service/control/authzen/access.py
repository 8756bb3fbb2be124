"""AuthZEN's Authorization API 1.0 over HTTP: questions of enforcement points, answered by guard.

The protocol is another body's, and its document describes it (openid.net/specs/authorization-api-1_0.html): it stands
beside the contract and has no client of ours. What is asked here is asked of the very guard that agents ask, and is
recorded in the same way. By the rules:

- A key may come as `Authorization: Bearer`. One that is bound to an agent asks for that agent only.
- A body is `application/json`, of at most LIMIT bytes and MOST evaluations.
- A body that is not valid is refused as a whole. One evaluation among others that is not valid, or is not the key's to
  ask, is a `false` of its own; what cannot be decided is refused as a whole.
- Several evaluations are decided in their order and recorded in one write; one that uses an approval is recorded before
  it does, with those before it. An approval is good once, in a request as between requests. `deny_on_first_deny` and
  `permit_on_first_permit` end after the first false or true.
- There are no searches: guard decides on an act, by rules, history and limits, and keeps no list of subjects and
  resources that it could go through; each try would be a decision on record that nobody asked for.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct

from assent.contract.control.authzen import (
    AccessDecision,
    AccessDecisions,
    AccessEvaluation,
    AccessEvaluations,
    DecisionPoint,
    Hints,
)
from assent.contract.control.guard import GUARD, Decision, GuardContext, GuardResult
from assent.contract.endpoint import Endpoint
from assent.contract.problems import Code, FieldError
from assent.contract.roles import ACTING, OPEN
from assent_service.base.problem import Refusal, refuse
from assent_service.control.authzen.mapping import (
    access_decision,
    approval_of,
    guard_members,
    hints_of,
    refused_decision,
    with_defaults,
)
from assent_service.control.authzen.protocol import base_url, check_json
from assent_service.control.authzen.requests import CAPABILITY, REQUEST_ACCESS, AccessRequests, requestable
from assent_service.control.grants import GRANT_FENCE
from assent_service.control.guard import GUARD_FENCE, Guard, result_of
from assent_service.core import body as bodies
from assent_service.core.call import Answer, Call
from assent_service.core.idempotency import idempotency_key
from assent_service.core.locks import ACTION_FENCE
from assent_service.core.principal import Principal
from assent_service.core.route import Route, serves
from assent_service.core.settings import Settings
from assent_service.store.conditions import once
from assent_service.store.event import Draft
from assent_service.store.ledger import Ledger

LIMIT = 256_000
"""Bytes of a body."""
HOLDS = (GUARD_FENCE, ACTION_FENCE, GRANT_FENCE)
EFFECTS = "asks the webhooks of policies, and records what guard decided before it uses an approval"
SEMANTICS: dict[str, bool | None] = {"execute_all": None, "deny_on_first_deny": False, "permit_on_first_permit": True}
"""`options.evaluations_semantic`, and the decision that ends the evaluations."""
PROBLEMS = GUARD.problems


EVALUATION = Endpoint(
    operation="access_evaluation",
    method="POST",
    path="/access/v1/evaluation",
    summary="Whether a subject may perform an action on a resource (AuthZEN).",
    roles=ACTING,
    request=AccessEvaluation,
    response=AccessDecision,
    limit=LIMIT,
    problems=PROBLEMS,
)
EVALUATIONS = Endpoint(
    operation="access_evaluations",
    method="POST",
    path="/access/v1/evaluations",
    summary="The same of several, in one request.",
    roles=ACTING,
    request=AccessEvaluations,
    response=AccessDecisions,
    limit=LIMIT,
    problems=PROBLEMS,
)
CONFIGURATION = Endpoint(
    operation="authzen_configuration",
    method="GET",
    path="/.well-known/authzen-configuration",
    summary="Where this decision point is asked.",
    roles=OPEN,
    response=DecisionPoint,
)


class DecidedQuestion(Struct, frozen=True):
    """One question, decided and not yet recorded; `members` are what guard was asked, `approval` the id of one that the
    question brings along."""

    result: GuardResult
    answer: AccessDecision
    drafts: tuple[Draft, ...]
    members: dict[str, Any]
    approval: str | None


class Access:
    """Asks guard what enforcement points ask."""

    def __init__(self, guard: Guard, ledger: Ledger, requests: AccessRequests) -> None:
        self._guard, self._ledger, self._requests = guard, ledger, requests

    async def one(
        self, principal: Principal, asked: AccessEvaluation, key: str | None, base: str
    ) -> tuple[str, AccessDecision]:
        """The id of guard's decision, and the answer. Raises what guard raises."""
        hints = hints_of(asked)
        members, body = _question(asked, hints)
        result = await self._guard.ask(principal, body, members, idempotency_key=key)
        answer = access_decision(result, accept_warnings=hints.accept_warnings)
        approval = approval_of(asked)
        if result.decision is Decision.REQUIRE_APPROVAL and approval is not None:
            answer = await self._requests.use(principal, approval, members, answer, key)
        return result.decision_id, requestable(answer, result, base)

    async def several(
        self, principal: Principal, defaults: Mapping[str, Any], questions: list[dict[str, Any]], ends: bool | None
    ) -> list[DecidedQuestion | AccessDecision]:
        """Decided in order, up to the first that `ends` it, and recorded. Raises what hinders all of them."""
        found: list[DecidedQuestion | AccessDecision] = []
        drafts: list[Draft] = []
        for number, own in enumerate(questions):
            try:
                asked = await self._decided(principal, with_defaults(defaults, own))
            except Refusal as refusal:
                if refusal.status >= 500:
                    raise
                found.append(refused_decision(refusal))
                if ends is False:
                    break
                continue
            drafts += asked.drafts
            if asked.approval is not None and asked.result.decision is Decision.REQUIRE_APPROVAL:
                await self._ledger.append(*drafts)
                drafts.clear()
                use = functools.partial(
                    self._requests.use, principal, asked.approval, asked.members, asked.answer, None
                )
                asked = msgspec.structs.replace(asked, answer=await once(("approval", number), use))
            found.append(asked)
            if asked.answer.decision is ends:
                break
        if drafts:
            await self._ledger.append(*drafts)
        return found

    async def _decided(self, principal: Principal, members: dict[str, Any]) -> DecidedQuestion:
        evaluation = bodies.convert(EVALUATION, AccessEvaluation, members, strict=False)
        hints = hints_of(evaluation)
        sent, body = _question(evaluation, hints)
        asked = self._guard.question(principal, body, sent)
        decided = await self._guard.decide(asked)
        result = result_of(decided.decision)
        answer = access_decision(result, accept_warnings=hints.accept_warnings)
        drafts = self._guard.drafts(asked, decided)
        return DecidedQuestion(result, answer, drafts, sent, approval_of(evaluation))


def _question(asked: AccessEvaluation, hints: Hints) -> tuple[dict[str, Any], GuardContext]:
    members = guard_members(asked, hints)
    return members, bodies.convert(GUARD, GuardContext, members, strict=False)


def _ending(options: Mapping[str, Any] | None) -> bool | None:
    said = (options or {}).get("evaluations_semantic", "execute_all")
    if not isinstance(said, str) or said not in SEMANTICS:
        place, message = "options.evaluations_semantic", f"is none of {', '.join(SEMANTICS)}"
        raise refuse(
            Code.INVALID_BODY, f"The body is not valid: {place} {message}.", FieldError(place=place, message=message)
        )
    return SEMANTICS[said]


def routes(access: Access, settings: Settings) -> tuple[Route, ...]:
    @serves(EVALUATION, holds=HOLDS, effects=EFFECTS, bearer=True)
    async def evaluation(call: Call[AccessEvaluation, None]) -> AccessDecision:
        check_json(call)
        base = base_url(call, settings)
        return (await access.one(call.principal, call.body, idempotency_key(call), base))[1]

    @serves(EVALUATIONS, holds=HOLDS, effects=EFFECTS, bearer=True)
    async def evaluations(call: Call[AccessEvaluations, None]) -> AccessDecisions | Answer[dict[str, Any]]:
        check_json(call)
        base = base_url(call, settings)
        ends, defaults = _ending(call.body.options), call.sent.members
        if not call.body.evaluations:
            asked = bodies.convert(EVALUATION, AccessEvaluation, with_defaults(defaults, {}), strict=False)
            _, single = await access.one(call.principal, asked, idempotency_key(call), base)
            return Answer({"decision": single.decision, "context": single.context})
        found = await access.several(call.principal, defaults, call.body.evaluations, ends)
        return AccessDecisions(
            evaluations=[
                requestable(each.answer, each.result, base) if isinstance(each, DecidedQuestion) else each
                for each in found
            ]
        )

    @serves(CONFIGURATION)
    async def configuration(call: Call[None, None]) -> DecisionPoint:
        base = base_url(call, settings)
        return DecisionPoint(
            policy_decision_point=base,
            access_evaluation_endpoint=base + EVALUATION.path,
            access_evaluations_endpoint=base + EVALUATIONS.path,
            access_request_endpoint=base + REQUEST_ACCESS.path,
            capabilities=[CAPABILITY],
        )

    return evaluation, evaluations, configuration
