"""The five checkpoints in plain words: what each is, when an action owes it, and what to do where it is missing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assent.contract.pcaa import RISK, CheckpointCounts, CheckpointId
from assent.contract.pcaa_gaps import PcaaEstimate, PcaaGap
from assent_analytics.charts import CHECKPOINTS
from assent_dashboard.views import words


@dataclass(frozen=True)
class Explained:
    what: str
    owed: str
    remedy: str


EXPLAINED: dict[CheckpointId, Explained] = {
    CheckpointId.PRE_ACTION_ADMISSIBILITY: Explained(
        "Guard decided before the action ran.",
        "Every action.",
        "Have the agent call `guard` or `create_action` before it acts, instead of importing afterwards.",
    ),
    CheckpointId.ACTION_OPEN: Explained(
        "The action is on record, with what it is for.",
        "Every action.",
        "Have the agent call `create_action` with a `declared_goal`.",
    ),
    CheckpointId.ASSUMPTION_CAPTURE: Explained(
        "The agent wrote down what it believed while it acted.",
        f"Actions that a person was asked about, or of risk {RISK} or more.",
        "Have the agent call `record_assumption` before it reports the outcome.",
    ),
    CheckpointId.APPROVAL: Explained(
        "A person decided.",
        "Actions that a policy stopped for approval.",
        "Decide approvals before they expire, or ask for fewer.",
    ),
    CheckpointId.OUTCOME_CLOSURE: Explained(
        "What came of it is on record.",
        "Actions that ran and ended, or that are older than an hour.",
        "Have the agent call `update_outcome` also when it fails; `with client.track(...)` does it by itself.",
    ),
}
STATUSES = (
    "**complete**: it is there · **denied**: somebody or a policy said no, which answers it · **pending**: owed, and "
    "may still come · **missing**: owed, and will not come by itself · **not required**: not owed"
)
LEVELS: tuple[tuple[str, str], ...] = (
    ("l0", "Evidence is imported after the fact; nothing can be stopped."),
    ("l1", "Guard advises before the action; the agent decides whether it listens."),
    ("l2", "A person decides about what policies stop, and the agent waits."),
    ("l3", "The runtime itself keeps what was not allowed from running."),
)
NUMBERS: tuple[tuple[str, str, str], ...] = (
    (
        "coverage",
        "Checkpoint coverage",
        "Of the checkpoints that an action owes, how many are answered; the mean over actions.",
    ),
    ("approval", "Reached approval", "The share of actions that a person was asked about."),
    (
        "evidence",
        "Evidence completion",
        "Of the receipts that an action owes, how many are there; the mean over actions.",
    ),
)


def title(checkpoint: CheckpointId) -> str:
    return CHECKPOINTS[checkpoint.value]


def interval(estimate: PcaaEstimate) -> str:
    """`95 %: 97.8 to 98.9`."""
    return f"95 %: {estimate.low:.1f} to {estimate.high:.1f}"


def estimated(estimate: PcaaEstimate) -> str:
    """`98.5 % (95 %: 97.8 to 98.9)`."""
    return words.NOTHING if estimate.value is None else f"{words.percent(estimate.value)} ({interval(estimate)})"


def funnel(checkpoints: Sequence[CheckpointCounts]) -> str:
    """The funnel for somebody who cannot see it."""
    told = []
    for each in checkpoints:
        owed = each.complete + each.pending + each.missing + each.denied
        told.append(
            f"{title(each.id)}: {words.amount(each.complete + each.denied)} of {words.amount(owed)} answered, "
            f"{words.amount(each.missing)} missing, {words.amount(each.pending)} pending"
        )
    return f"How actions stand at the five checkpoints. {'; '.join(told)}."


def gap(each: PcaaGap) -> str:
    """Markdown: `**Outcome** is missing from 12 of 40 actions: **bot** · `pay``."""
    agent = f"**{words.plain(each.agent_id)}**" if each.agent_id else "no agent named"
    return (
        f":orange[:material/warning:] **{title(each.id)}** is missing from {words.amount(each.missing)} of "
        f"{words.several(each.expected, 'action')}: {agent} · {words.code(each.action_type)}"
    )
