"""What is watched for drift: ten metrics of an agent's work, each with its kind and the direction that is worse.

A *number* is compared as a distribution, a *proportion* as a share of yes among those that said yes or no, a
*category* as a mix. Metrics of `episodes` count by when an action ended, those of `decisions` by when guard decided.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from assent.contract.control.guard import Decision

Kind = Literal["number", "proportion", "category"]
Direction = Literal["up", "down", "changed"]
Table = Literal["episodes", "decisions"]

MIN_BASELINE, MIN_RECENT = 20, 10
"""Below these a comparison says `insufficient_data`. With 20 and 10 values a test at 5% finds a shift of one standard
deviation in three cases of five; with 5 and 3, the least that public servers ask, no Kolmogorov-Smirnov test that
corrects for ten metrics can find anything: its smallest p-value is 2 / C(8, 3) = 0.036."""


class MetricDefinition(msgspec.Struct, frozen=True, kw_only=True):
    """`column` of `frame` holds it; `counted` is the value that a proportion counts, true where the column is so."""

    name: str
    kind: Kind
    worse: Direction
    unit: str
    frame: Table
    column: str
    meaning: str
    counted: str | None = None


class Least(msgspec.Struct, frozen=True, kw_only=True):
    """How large a significant difference has to be to count as drift, since of ten million rows any is significant.

    `number` is the Kolmogorov-Smirnov distance: 0.08 is that of two normal distributions 0.2 standard deviations
    apart, which Cohen (1988) calls small. `proportion` is the difference of two shares. `category` is Cramer's V, where
    0.1 is Cohen's small.
    """

    number: float = 0.08
    proportion: float = 0.05
    category: float = 0.1

    def of(self, kind: Kind) -> float:
        return {"number": self.number, "proportion": self.proportion, "category": self.category}[kind]


LEAST = Least()

METRICS: dict[str, MetricDefinition] = {
    each.name: each
    for each in (
        MetricDefinition(
            name="score",
            kind="number",
            worse="down",
            unit="points",
            frame="episodes",
            column="score",
            meaning="the score of an episode, 0 to 100",
        ),
        MetricDefinition(
            name="risk_score",
            kind="number",
            worse="up",
            unit="points",
            frame="episodes",
            column="risk_score",
            meaning="the risk of an action, 0 to 100",
        ),
        MetricDefinition(
            name="duration_ms",
            kind="number",
            worse="up",
            unit="ms",
            frame="episodes",
            column="duration_ms",
            meaning="how long an action took",
        ),
        MetricDefinition(
            name="cost_estimate",
            kind="number",
            worse="up",
            unit="USD",
            frame="episodes",
            column="cost_estimate",
            meaning="what an action cost",
        ),
        MetricDefinition(
            name="tokens",
            kind="number",
            worse="up",
            unit="tokens",
            frame="episodes",
            column="tokens",
            meaning="tokens read and written",
        ),
        MetricDefinition(
            name="confidence",
            kind="number",
            worse="down",
            unit="points",
            frame="episodes",
            column="confidence",
            meaning="how sure the agent said it was, 0 to 100",
        ),
        MetricDefinition(
            name="success_rate",
            kind="proportion",
            worse="down",
            unit="share",
            frame="episodes",
            column="success",
            meaning="the share of episodes that completed",
        ),
        MetricDefinition(
            name="approval_rate",
            kind="proportion",
            worse="up",
            unit="share",
            frame="decisions",
            column="decision",
            counted=Decision.REQUIRE_APPROVAL.value,
            meaning="the share of decisions that asked a person",
        ),
        MetricDefinition(
            name="block_rate",
            kind="proportion",
            worse="up",
            unit="share",
            frame="decisions",
            column="decision",
            counted=Decision.BLOCK.value,
            meaning="the share of decisions that blocked",
        ),
        MetricDefinition(
            name="action_mix",
            kind="category",
            worse="changed",
            unit="share",
            frame="decisions",
            column="action_type",
            meaning="which types of action the agent asks for",
        ),
    )
}

PUBLISHED = {"learning_score": "score", "tokens_total": "tokens"}
"""Names that published clients use for some of these; their other names are the same."""


def chosen(names: tuple[str, ...] | None) -> list[MetricDefinition]:
    """The metrics of these names, ours or published, in the order of `METRICS`; all without names.

    Raises ValueError for a name that there is not.
    """
    if names is None:
        return list(METRICS.values())
    ours = {PUBLISHED.get(name, name) for name in names}
    unknown = sorted(ours - METRICS.keys())
    if unknown:
        raise ValueError(f"there is no metric {', '.join(unknown)}; there are: {', '.join(METRICS)}")
    return [metric for name, metric in METRICS.items() if name in ours]
