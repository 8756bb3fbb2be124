"""Risk templates as guard uses them: chosen by one look-up, their conditions compiled once after a template changed.

The choice is that of `contract.control.risk_templates.choose`, made beforehand for every type that has a template. The
conditions see what policies see, but for the risk: the final score is not known yet, so `risk_score` is what the agent
sent, `agent_risk_score` the same under guard's name, and `risk_factors` are the names of what the formula added.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec
from msgspec import Struct

from assent.contract.conditions import ConditionError
from assent.contract.control.risk_conditions import RiskRule, TemplateRule, parse_template_rules
from assent.contract.control.risk_templates import CreateRiskTemplate, RiskTemplate, TemplateStatus, UpdateRiskTemplate
from assent.contract.names import comparable, named
from assent.contract.problems import Code, FieldError
from assent_service.base.clock import microseconds, moment
from assent_service.base.problem import Refusal, refuse
from assent_service.control.guard.context import Facts
from assent_service.control.guard.matching import Predicate, compile_condition
from assent_service.core.carry import carry


class TemplateRisk(Struct, frozen=True):
    """What a template said about one action: its own `score`, 0 to 100, and by how many points it `raised` the score
    above everything else that was known before history; 0 when it was not the greatest."""

    template_id: str
    version: int
    score: int
    raised: int


class CompiledTemplate:
    """One template, compiled. Raises ConditionError for a rule that cannot be read."""

    __slots__ = ("base", "rules", "template_id", "version")

    def __init__(self, template: RiskTemplate) -> None:
        self.template_id, self.version, self.base = template.id, template.version, template.base_risk
        self.rules = compile_rules(parse_template_rules(template.rules))

    def score(self, facts: Facts, factor_names: tuple[str, ...]) -> int:
        """Its risk of an action, 0 to 100."""
        points = self.base
        if self.rules:
            fields = {**facts.fields, "agent_risk_score": facts.agent_risk_score, "risk_factors": factor_names}
            for holds, add in self.rules:
                if holds(fields):
                    points += add
        return min(100, max(0, points))


class TemplateSet:
    """The templates of one organization, given in the order of creation. Each is compiled when it is first asked for,
    so that changing one of a thousand does not hold up guard."""

    __slots__ = ("_chosen", "_compiled")

    def __init__(self, templates: Iterable[RiskTemplate] = ()) -> None:
        self._chosen: dict[str | None, RiskTemplate] = {}
        for template in templates:
            if template.status is TemplateStatus.ACTIVE:
                key = None if template.action_type is None else comparable(template.action_type)
                self._chosen.setdefault(key, template)
        self._compiled: dict[str | None, CompiledTemplate] = {}

    def of(self, action_type: str) -> CompiledTemplate | None:
        """The one that counts for actions of this type."""
        if not self._chosen:
            return None
        name = comparable(action_type)
        key = name if name in self._chosen else None
        compiled = self._compiled.get(key)
        if compiled is None and key in self._chosen:
            compiled = self._compiled[key] = CompiledTemplate(self._chosen[key])
        return compiled


NO_TEMPLATES = TemplateSet()


def compile_rules(rules: Iterable[TemplateRule], place: str = "rules") -> tuple[tuple[Predicate, int], ...]:
    """Raises ConditionError for a pattern that RE2 does not accept, naming its rule."""
    return tuple(
        (compile_condition(named(rule.condition), f"{place}[{at}].condition"), rule.add)
        for at, rule in enumerate(rules)
    )


# A risk template made, changed and removed. Pure; the rules are read whole before anything is kept.


def new_template(said: CreateRiskTemplate, *, org_id: str, template_id: str, by: str, now: int) -> RiskTemplate:
    """Raises `invalid_risk_template` naming the rule."""
    rules = said.rules or []
    _check(rules)
    at = moment(now)
    return carry(
        RiskTemplate,
        said,
        id=template_id,
        org_id=org_id,
        action_type=said.action_type or None,
        rules=rules,
        status=said.status or TemplateStatus.ACTIVE,
        version=1,
        created_at=at,
        created_by=by,
        updated_at=at,
        updated_by=by,
        deleted_at=None,
    )


def changed_template(before: RiskTemplate, said: UpdateRiskTemplate, *, by: str, now: int) -> RiskTemplate:
    """The next version, or `before` itself when nothing would change. Raises `invalid_risk_template`."""
    if said.rules is not None:
        _check(said.rules)
    given = {name: value for name, value in msgspec.structs.asdict(said).items() if value is not None}
    if "action_type" in given:
        given["action_type"] = given["action_type"] or None
    after = msgspec.structs.replace(before, **given)
    return before if after == before else _next(after, by=by, now=now)


def removed_template(before: RiskTemplate, *, by: str, now: int) -> RiskTemplate:
    gone = _next(before, by=by, now=now)
    return msgspec.structs.replace(gone, deleted_at=gone.updated_at)


def _check(rules: Sequence[RiskRule]) -> None:
    """Raises `invalid_risk_template` for the first rule that cannot be read, with its place."""
    try:
        compile_rules(parse_template_rules(rules))
    except ConditionError as error:
        raise _invalid(error) from None


def _invalid(error: ConditionError) -> Refusal:
    return refuse(
        Code.INVALID_RISK_TEMPLATE,
        f"The template's rules cannot be used: {error.place} {error.message}.",
        FieldError(place=error.place, message=error.message),
    )


def _next(after: RiskTemplate, *, by: str, now: int) -> RiskTemplate:
    # A clock that was set back must not make a change older than what it changes.
    at = moment(max(now, microseconds(after.updated_at)))
    return msgspec.structs.replace(after, version=after.version + 1, updated_at=at, updated_by=by)
