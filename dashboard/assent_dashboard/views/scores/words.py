"""Profiles, scales, templates and judgements in words. Knows nothing of Streamlit.

What strangers wrote is not escaped here: it goes through `views.words` where it is drawn.
"""

from __future__ import annotations

from collections.abc import Sequence

from assent.contract.analysis.calibration import CalibrationStatus, PredictionQuality, SuggestedStep
from assent.contract.analysis.profile_scores import ProfileScoreStats
from assent.contract.analysis.scales import CompositeMethod, DataSource, ScaleOperator, ScaleRule
from assent.contract.analysis.scoring import ScoringDimension
from assent.contract.conditions import ConditionError, describe, in_words, parse
from assent.contract.control.risk_conditions import RiskRule, parse_risk_condition
from assent.contract.control.risk_templates import RiskTemplate, choose
from assent_analytics.charts.metrics import named
from assent_dashboard.views import words

METHODS = {
    CompositeMethod.WEIGHTED_AVERAGE: "the mean of all dimensions by weight",
    CompositeMethod.MINIMUM: "the lowest score of any dimension",
    CompositeMethod.GEOMETRIC_MEAN: "the geometric mean by weight, 0 as soon as one dimension is 0",
}
OPERATORS = {
    ScaleOperator.LT: "below",
    ScaleOperator.LTE: "up to",
    ScaleOperator.GT: "above",
    ScaleOperator.GTE: "from",
    ScaleOperator.EQ: "equal to",
    ScaleOperator.CONTAINS: "containing",
}
STATED = {"confidence": "What was stated is", "risk_score": "Read as a chance to fail, it would be"}
TOO_FEW = "not enough data"


def steps(rules: Sequence[ScaleRule | SuggestedStep], source: str) -> list[str]:
    """Each step of a scale as `up to 2.00 s: 100 (excellent)`, in the order in which they are tried."""
    return [f"{_bounds(rule, source)}: {rule.score:g} ({rule.label})" for rule in rules]


def value(source: str, given: object) -> str:
    """A value of a data source, in its unit."""
    if isinstance(given, bool) or not isinstance(given, int | float):
        return str(given)
    match source:
        case "duration_ms":
            return words.exact(given / 1000)
        case "cost_estimate":
            return f"${given:.4g}"
        case "tokens_total":
            return words.amount(round(given))
        case _:
            return f"{given:g}"


def source(dimension: ScoringDimension) -> str:
    """Where a dimension's value comes from."""
    match dimension.data_source:
        case DataSource.METADATA_FIELD:
            return f"metadata {dimension.data_config.get('field')}"
        case DataSource.CONDITION:
            return f"whether {condition(dimension.data_config.get('when'))}"
        case DataSource.EVAL_SCORE:
            return "the latest evaluation, 0 to 1"
        case DataSource.TOKENS_TOTAL:
            return "tokens read and written"
        case found:
            return named(found.value)


def scale(dimension: ScoringDimension) -> list[str]:
    """The steps of a dimension, or what counts without any."""
    if dimension.scale:
        return steps(dimension.scale, dimension.data_source.value)
    if dimension.data_source is DataSource.CONDITION:
        return ["holds: 100", "does not hold: 0"]
    return ["no scale: every value scores 50"]


def condition(given: object) -> str:
    """A condition as a line; what cannot be read is said to be so."""
    try:
        return in_words(describe(parse(given)))
    except ConditionError:
        return "a condition that cannot be read"


def rule(given: RiskRule) -> str:
    """`+20 where reversible is false`."""
    try:
        where = in_words(describe(parse_risk_condition(given.condition)))
    except ConditionError:
        where = "a condition that cannot be read"
    return f"{given.add:+d} where {where}"


def counts(template: RiskTemplate, templates: Sequence[RiskTemplate]) -> str:
    """When guard uses a template, of all in the order of creation."""
    kind = template.action_type
    for_whom = f"actions of type {kind}" if kind else "every type without a template of its own"
    if template.status.value != "active":
        return f"Not in use. It is meant for {for_whom}."
    # A type that nobody has stands for every other one.
    first = choose(templates, kind if kind is not None else "\0")
    if first is not None and first.id != template.id:
        return f"Never used: an older template for {for_whom} comes first."
    return f"Used for {for_whom}."


def interval(value: float | None, low: float, high: float, form: str = ".1f") -> str:
    """`61.7 (59.7 to 63.8)`; not enough data where there is no value."""
    return TOO_FEW if value is None else f"{value:{form}} ({low:{form}} to {high:{form}})"


def stats(found: ProfileScoreStats) -> str:
    """What the stored scores of a profile add up to."""
    if found.status.value != "ok" or found.avg_score is None:
        return f"{words.several(found.n, 'stored score')}: {TOO_FEW} to say what they come to."
    return (
        f"{words.several(found.n, 'stored score')} of {words.several(found.unique_actions, 'action')}: mean "
        f"{interval(found.avg_score, found.avg_low, found.avg_high)}; half of them lie between {found.p25:.1f} and "
        f"{found.p75:.1f}, one in ten below {found.p10:.1f}, one in ten above {found.p90:.1f}."
    )


def quality(found: PredictionQuality) -> str:
    """How well confidence, or risk, foretold what came."""
    outcome = "succeeded" if found.predicts == "success" else "failed"
    n = f"{words.several(found.n, 'finished action')} with a {named(found.of.value)}"
    if found.status is CalibrationStatus.INSUFFICIENT_DATA or found.ece is None or found.base_rate is None:
        return f"{n}: {TOO_FEW}."
    assert found.ece_low is not None
    assert found.ece_high is not None
    assert found.brier is not None
    assert found.brier_low is not None
    assert found.brier_high is not None
    stated = STATED[found.of.value]
    return (
        f"{n}; {words.percent(100 * found.base_rate)} {outcome} ({words.percent(100 * found.base_low)} to "
        f"{words.percent(100 * found.base_high)}). {stated} off by {100 * found.ece:.1f} points on average "
        f"({100 * found.ece_low:.1f} to {100 * found.ece_high:.1f}); the Brier score is "
        f"{interval(found.brier, found.brier_low, found.brier_high, '.3f')}, 0 being perfect."
    )


def over_clusters(found: ProfileScoreStats) -> str:
    """The mean's interval where scores of a session count once, as the end of a sentence."""
    if not found.clusters or found.basis is None:
        return "the interval counts scores one by one."
    lie = f"they lie in {words.several(found.clusters, 'cluster')} ({found.basis})"
    if found.clustered_low is None or found.clustered_high is None:
        return f"{lie}, which tell nothing of chance: the interval above counts scores one by one."
    return (
        f"{lie}, worth about {found.n_effective or 0:,.0f} independent ones; over these the mean lies between "
        f"{found.clustered_low:.1f} and {found.clustered_high:.1f} (95 %)."
    )


def rests(found: PredictionQuality) -> str:
    """On what it rests: clusters, and what has no outcome."""
    said = "Of released actions only."
    if found.clusters and found.basis and found.clustered_low is not None and found.clustered_high is not None:
        assert found.n_effective is not None
        said += (
            f" They lie in {words.several(found.clusters, 'cluster')} ({found.basis}), worth about "
            f"{found.n_effective:,.0f} independent ones; over these the share is {100 * found.clustered_low:.1f} to "
            f"{100 * found.clustered_high:.1f} %. The other intervals take actions as independent."
        )
    untold = [
        f"{words.several(number, 'action')} {what}"
        for number, what in ((found.stopped, "stopped"), (found.cancelled, "cancelled while they ran"))
        if number
    ]
    if untold and found.base_least is not None and found.base_most is not None:
        said += (
            f" {' and '.join(untold)} have no outcome: with them the share would lie between "
            f"{words.percent(100 * found.base_least)} and {words.percent(100 * found.base_most)}, as the pale bars say."
        )
    return said


def _bounds(rule: ScaleRule | SuggestedStep, source: str) -> str:
    if isinstance(rule.value, list):
        return " to ".join(value(source, each) for each in rule.value)
    return f"{OPERATORS[ScaleOperator(rule.operator)]} {value(source, rule.value)}"
