"""PCAA health: how well actions pass the five checkpoints, what is missing most, and whose actions lack it.

Keys: those of the frame with the page `pcaa`; `pcaa_numbers`, `funnel`, `pcaa_missing` with `pcaa_gap_<number>`,
`pcaa_groups` and `pcaa_explained` are its parts; `pcaa_by` and `pcaa_number` choose what is compared, `pcaa_more` shows
more of what is missing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import msgspec
import polars as pl
import streamlit as st

from assent.contract.control.actions import ActionStatus
from assent.contract.evidence.pcaa import RISK, CheckpointCounts, CheckpointId, PcaaHealth
from assent.contract.evidence.pcaa_gaps import PcaaEstimate, PcaaGap, PcaaGaps, PcaaGroup
from assent_analytics.charts import CHECKPOINTS, checkpoint_funnel, estimates
from assent_analytics.charts.palette import spoken
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.addresses import LedgerAddress, PcaaAddress, Scope, in_words
from assent_dashboard.views.blocks import empty, picture
from assent_dashboard.views.export import Tables
from assent_dashboard.views.frame import scoped_page
from assent_dashboard.views.links import to_ledger, to_page


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


def headline(gaps: PcaaGaps) -> str:
    """`580 of 600 actions (96.7 %) have every checkpoint that they owe, or may still have it. Missing most: Outcome,
    from 12 of 40 actions of bot.`"""
    whole, n = gaps.all.n - gaps.all.incomplete, gaps.all.n
    has = "has" if whole == 1 else "have"
    said = f"{words.amount(whole)} of {words.several(n, 'action')} ({words.percent(100 * whole / n)}) {has} every "
    worst = max(gaps.gaps, key=lambda each: each.missing, default=None)
    if worst is None:
        return f"{said}checkpoint that they owe, or may still have it."
    return (
        f"{said}checkpoint that they owe, or may still have it. Missing most: {title(worst.id)}, from "
        f"{words.amount(worst.missing)} of {words.several(worst.expected, 'action')} of "
        f"{words.plain(worst.agent_id) if worst.agent_id else 'an agent without a name'}."
    )


def load(session: Session, scope: Scope) -> PcaaGaps:
    return session.client.get_pcaa_gaps(scope.window, scope.agent_id, scope.action_type)


def groups_of(gaps: PcaaGaps) -> Mapping[str, Sequence[PcaaGroup]]:
    """By what they can be told by."""
    runtimes = [
        msgspec.structs.replace(each, name=None if each.name is None else spoken(each.name)) for each in gaps.by_runtime
    ]
    return {"Agent": gaps.by_agent, "Type": gaps.by_type, "Runtime": runtimes}


def tables(gaps: PcaaGaps) -> Tables:
    return {
        "checkpoints": pl.DataFrame([msgspec.to_builtins(each) for each in gaps.checkpoints]),
        "missing": pl.DataFrame([msgspec.to_builtins(each) for each in gaps.gaps]),
        "by_agent": table(gaps.by_agent),
        "by_type": table(gaps.by_type),
        "by_runtime": table(gaps.by_runtime),
    }


def table(groups: Sequence[PcaaGroup]) -> pl.DataFrame:
    """One row for each group; each number with the ends of its interval."""
    return pl.DataFrame(
        [
            {"name": group.name, "n": group.n, "incomplete": group.incomplete, "simulated": group.simulated}
            | {
                f"{name}{ending}": value
                for name, _, _ in NUMBERS
                for ending, value in _ends(getattr(group, name)).items()
            }
            for group in groups
        ],
        infer_schema_length=None,
    )


def _ends(estimate: msgspec.Struct) -> dict[str, object]:
    ends = msgspec.structs.asdict(estimate)
    return {"": ends["value"], "_low": ends["low"], "_high": ends["high"]}


WINDOW = "30d"
CHART_HEIGHT = 340


def draw_health(health: PcaaHealth | None) -> None:
    st.subheader("Checkpoints of the last 30 days", anchor=False)
    with st.container(key="health"):
        if health is None:
            st.info("The service cannot count this just now; the checks above say why.")
            return
        for column, (_, label, meaning), (value, n) in zip(st.columns(3), NUMBERS, numbers(health), strict=True):
            with column.container(border=True, height="stretch"):
                st.metric(label, words.percent(value) if n else words.NOTHING)
                st.caption(f"Over {words.several(n, 'action')}. {meaning}")
        if health.n.checkpointCoverage:
            draw_funnel(health.checkpoints, health.simulated)


def draw_funnel(checkpoints: Sequence[CheckpointCounts], simulated: int) -> None:
    counts = pl.DataFrame([msgspec.to_builtins(counts) for counts in checkpoints])
    with st.container(border=True, key="funnel"):
        picture(
            checkpoint_funnel(counts, simulated=simulated, height=CHART_HEIGHT),
            funnel(checkpoints),
            counts,
            key="funnel_chart",
        )


def numbers(health: PcaaHealth) -> list[tuple[float, int]]:
    """The three values, 0 to 100, each with its n."""
    return [
        (health.checkpointCoverage, health.n.checkpointCoverage),
        (health.approvalRate, health.n.approvalRate),
        (health.evidenceCompletion, health.n.evidenceCompletion),
    ]


SHOWN, STEP = "assent_pcaa_shown", 8
UNNAMED = "not said"


def draw_missing(gaps: PcaaGaps, window: str) -> None:
    st.header("What is missing most", anchor=False)
    found = gaps.gaps
    with st.container(border=True, key="pcaa_missing"):
        if not found:
            st.markdown(
                ":green[:material/check_circle:] **Nothing is missing.** Every checkpoint that an action owed is "
                "answered, or may still be."
            )
            return
        shown = int(st.session_state.get(SHOWN, STEP))
        for number, each in enumerate(found[:shown]):
            _draw(each, window, number)
        left = len(found) - shown
        if left > 0:
            st.button(f"Show {min(STEP, left)} more of {left}", key="pcaa_more", on_click=_more)
        more = gaps.not_shown.get("gaps", 0)
        if more and left <= 0:
            st.caption(f"{words.amount(more)} smaller ones are not listed; choose an agent or a type to see them.")
        st.markdown("**What to do**")
        st.markdown("\n".join(f"- {title(each)}: {EXPLAINED[each].remedy}" for each in lacking(found)))


def lacking(gaps: Sequence[PcaaGap]) -> list[CheckpointId]:
    """The checkpoints that are missing anywhere, in their order."""
    found = {each.id for each in gaps}
    return [each for each in CheckpointId if each in found]


def draw_groups(gaps: PcaaGaps) -> None:
    st.header("Whose actions", anchor=False)
    with st.container(border=True, key="pcaa_groups"):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            by = st.segmented_control("By", list(groups_of(gaps)), default="Agent", required=True, key="pcaa_by")
            names = {name.capitalize(): (name, label) for name, label, _ in NUMBERS}
            chosen = st.segmented_control("Number", list(names), default="Coverage", required=True, key="pcaa_number")
        by = by or "Agent"
        name, number = names[chosen or "Coverage"]
        groups = groups_of(gaps)[by]
        rows = estimate_rows(groups, name)
        chart = estimates(
            rows,
            title=f"{number} by {by.lower()}",
            axis=number.lower(),
            form=".0%",
            n=gaps.all.n,
            what="actions",
            simulated=gaps.all.simulated,
        )
        picture(chart, picture_in_words(rows, number, by), key="pcaa_estimates")
        table = group_rows(groups, by)
        st.dataframe(
            table,
            hide_index=True,
            key="pcaa_table",
            alt=f"One row for each {by.lower()}: actions, incomplete ones, and the three numbers with intervals.",
        )
        more = gaps.not_shown.get(f"by_{by.lower()}", 0)
        if more:
            st.caption(f"{words.amount(more)} with fewer incomplete actions are not listed.")


def estimate_rows(groups: Sequence[PcaaGroup], name: str) -> pl.DataFrame:
    """The picture's rows, shares from 0 to 1."""
    found = [(group, getattr(group, name)) for group in groups]
    known = [(group, each) for group, each in found if each.value is not None]
    return pl.DataFrame(
        {
            "name": [named(group) for group, _ in known],
            "value": [each.value / 100 for _, each in known],
            "low": [each.low / 100 for _, each in known],
            "high": [each.high / 100 for _, each in known],
            "n": [group.n for group, _ in known],
        },
        schema={"name": pl.String, "value": pl.Float64, "low": pl.Float64, "high": pl.Float64, "n": pl.Int64},
    )


def group_rows(groups: Sequence[PcaaGroup], by: str) -> pl.DataFrame:
    return pl.DataFrame(
        [
            {
                by: named(group),
                "Actions": group.n,
                "Incomplete": group.incomplete,
                **{label: estimated(getattr(group, name)) for name, label, _ in NUMBERS},
            }
            for group in groups
        ]
    )


def picture_in_words(rows: pl.DataFrame, number: str, by: str) -> str:
    """The picture in words."""
    told = [
        f"{name} {words.percent(100 * value)} (95 %: {100 * low:.1f} to {100 * high:.1f}, n = {n})"
        for name, value, low, high, n in rows.head(8).iter_rows()
    ]
    return f"{number} by {by.lower()}: {'; '.join(told) or 'nothing'}."


def named(group: PcaaGroup) -> str:
    return words.clean(group.name) if group.name else UNNAMED


def _draw(each: PcaaGap, window: str, number: int) -> None:
    with st.container(
        horizontal=True,
        horizontal_alignment="distribute",
        vertical_alignment="center",
        key=f"pcaa_gap_{number}",
    ):
        st.markdown(gap(each), width="content")
        with st.container(horizontal=True, width="content"):
            to_ledger(each.newest_action_id, "The newest")
            to_page(LedgerAddress, "All of its kind", icon=":material/list:", **of_its_kind(each, window))


def of_its_kind(each: PcaaGap, window: str) -> dict[str, str]:
    """The ledger's address of the actions among which the lacking ones are; without an outcome, those that run."""
    query = {"window": window, "action_type": each.action_type}
    if each.agent_id:
        query["agent_id"] = each.agent_id
    if each.id is CheckpointId.OUTCOME_CLOSURE:
        query["status"] = ActionStatus.RUNNING.value
    return query


def _more() -> None:
    st.session_state[SHOWN] = int(st.session_state.get(SHOWN, STEP)) + STEP


_LOOP = """with client.track("refund", "Refund order 4711") as tracked:  # guard, open, wait, outcome
    client.record_assumption({"action_id": tracked.action_id, "assumption": "The order was paid"})"""


def draw(_session: Session, scope: Scope, gaps: PcaaGaps) -> None:
    if gaps.all.n:
        st.markdown(f"**{headline(gaps)}**")
    st.caption("An action passes five checkpoints: admissibility, opening, assumption, approval, outcome.")
    if not gaps.all.n:
        empty(
            f"No action happened in {in_words(scope.window)}{' that fits' if scope.narrowed else ''}.",
            "Look further back, or have an agent act. This passes every checkpoint:",
            _LOOP,
            key="pcaa_empty",
        )
    else:
        _numbers(gaps)
        draw_funnel(gaps.checkpoints, gaps.all.simulated)
        draw_missing(gaps, scope.window)
        draw_groups(gaps)
    _explain()


def _numbers(gaps: PcaaGaps) -> None:
    everything = gaps.all
    if everything.simulated:
        st.caption(
            f":violet-badge[simulated] {words.amount(everything.simulated)} of the "
            f"{words.several(everything.n, 'action')} were made by a simulator. They never happened."
        )
    with st.container(key="pcaa_numbers"):
        for column, (name, label, meaning) in zip(st.columns(len(NUMBERS)), NUMBERS, strict=True):
            estimate = getattr(everything, name)
            with column.container(border=True, height="stretch"):
                st.metric(label, words.percent(estimate.value))
                st.caption(f"{interval(estimate)}, n = {words.several(everything.n, 'action')}. {meaning}")


def _explain() -> None:
    st.header("What the words mean", anchor=False)
    with st.container(border=True, key="pcaa_explained"):
        st.markdown(
            "\n".join(
                f"{number}. **{title(each)}**: {EXPLAINED[each].what} *Owed by:* {EXPLAINED[each].owed}"
                for number, each in enumerate(CheckpointId, 1)
            )
        )
        st.markdown(STATUSES)
        st.markdown("**Governance levels**")
        st.markdown("\n".join(f"- **{level}**: {meaning}" for level, meaning in LEVELS))
        st.caption(
            "What an action owes also depends on how far guard reaches into its runtime: imported history owes neither "
            "assumption nor approval."
        )


show = scoped_page(PcaaAddress, "PCAA health", load=load, draw=draw, tables=tables)
