"""Risk templates as guard uses them: chosen by one look-up, their conditions compiled once after a template changed.

The choice is that of `contract.control.risk_templates.choose`, made beforehand for every type that has a template. The
conditions see what policies see, but for the risk: the final score is not known yet, so `risk_score` is what the agent
sent, `agent_risk_score` the same under guard's name, and `risk_factors` are the names of what the formula added.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from assent.contract.control.risk_conditions import TemplateRule, parse_template_rules
from assent.contract.control.risk_templates import RiskTemplate, TemplateStatus
from assent.contract.names import comparable, named
from assent_service.control.guard.context import Facts
from assent_service.control.guard.matching import Predicate, compile_condition


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
