"""A risk template made, changed and removed. Pure; the rules are read whole before anything is kept."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from assent.contract.conditions import ConditionError
from assent.contract.problems import Code, FieldError
from assent.contract.risk_conditions import RiskRule, parse_template_rules
from assent.contract.risk_templates import CreateRiskTemplate, RiskTemplate, TemplateStatus, UpdateRiskTemplate
from assent_service.core.clock import microseconds, moment
from assent_service.core.problem import Refusal, refuse
from assent_service.guard import compile_rules


def made(said: CreateRiskTemplate, *, org_id: str, template_id: str, by: str, now: int) -> RiskTemplate:
    """Raises `invalid_risk_template` naming the rule."""
    rules = said.rules or []
    check(rules)
    at = moment(now)
    return RiskTemplate(
        id=template_id,
        org_id=org_id,
        name=said.name,
        description=said.description,
        action_type=said.action_type or None,
        base_risk=said.base_risk,
        rules=rules,
        status=said.status or TemplateStatus.ACTIVE,
        version=1,
        created_at=at,
        created_by=by,
        updated_at=at,
        updated_by=by,
        deleted_at=None,
    )


def changed(before: RiskTemplate, said: UpdateRiskTemplate, *, by: str, now: int) -> RiskTemplate:
    """The next version, or `before` itself when nothing would change. Raises `invalid_risk_template`."""
    if said.rules is not None:
        check(said.rules)
    given = {name: value for name, value in msgspec.structs.asdict(said).items() if value is not None}
    if "action_type" in given:
        given["action_type"] = given["action_type"] or None
    after = msgspec.structs.replace(before, **given)
    return before if after == before else _next(after, by=by, now=now)


def removed(before: RiskTemplate, *, by: str, now: int) -> RiskTemplate:
    gone = _next(before, by=by, now=now)
    return msgspec.structs.replace(gone, deleted_at=gone.updated_at)


def check(rules: Sequence[RiskRule]) -> None:
    """Raises `invalid_risk_template` for the first rule that cannot be read, with its place."""
    try:
        compile_rules(parse_template_rules(rules))
    except ConditionError as error:
        raise invalid(error) from None


def invalid(error: ConditionError) -> Refusal:
    return refuse(
        Code.INVALID_RISK_TEMPLATE,
        f"The template's rules cannot be used: {error.place} {error.message}.",
        FieldError(place=error.place, message=error.message),
    )


def _next(after: RiskTemplate, *, by: str, now: int) -> RiskTemplate:
    # A clock that was set back must not make a change older than what it changes.
    at = moment(max(now, microseconds(after.updated_at)))
    return msgspec.structs.replace(after, version=after.version + 1, updated_at=at, updated_by=by)
