"""What a backtest found: counts, the difference of verdicts, what would be stopped, and the newest changed decisions.

Keys: `policy_diff` (the whole), `policy_matrix` (the picture), `policy_changed` (the list), those of the export
(`policy-backtest`).
"""

from __future__ import annotations

from datetime import datetime

import polars as pl
import streamlit as st

from assent.contract.backtest import ApprovalLoad, Backtest, BacktestStatus, Portion, ReplayedVerdict
from assent.contract.guard import Decision
from assent_analytics.charts import verdict_changes
from assent_dashboard.views import links, words
from assent_dashboard.views.export import draw_export
from assent_dashboard.views.picture import picture
from assent_dashboard.views.policies.comparing import (
    LINKED,
    Compared,
    counts_table,
    groups_table,
    transitions_table,
    verdicts,
    verdicts_table,
)
from assent_dashboard.views.policies.verdicts import PLAIN, said
from assent_dashboard.views.scope import in_words

FIRST = 10
"""Changed decisions that are shown at once."""


def draw_diff(compared: Compared, window: str, now: datetime) -> None:
    found = compared.proposed
    with st.container(key="policy_diff"):
        if not found.n:
            st.info(f"There are no decisions in {in_words(window)} to try it on.", icon=":material/inbox:")
            return
        st.markdown(f"**{headline(compared)}**")
        _export(compared, window)
        _caveats(compared)
        shown = counts_table(compared).rename({Decision.REQUIRE_APPROVAL.value: "ask a person"})
        st.dataframe(shown, hide_index=True, alt=counts_in_words(compared))
        picture(
            verdict_changes(transitions_table(found), simulated=found.simulated),
            changes_in_words(found),
            transitions_table(found).filter(pl.col("n") > 0),
            key="policy_matrix",
        )
        _load(compared)
        _outcomes(found)
        _groups(found)
        _newest(compared, now)


def _export(compared: Compared, window: str) -> None:
    found = compared.proposed
    tables = {
        "counts": counts_table(compared).rename({"": "policies"}),
        "verdict_changes": transitions_table(found),
        "changed_by_agent_and_type": groups_table(found),
        "changed_decisions": verdicts_table(compared),
    }
    draw_export("policy-backtest", tables, window)


def headline(compared: Compared) -> str:
    """What it comes to, in one sentence."""
    found, present = compared.proposed, compared.present
    matched = compared.matched
    matches = "" if matched is None else f"It matches {words.amount(matched)} of {words.several(found.n, 'decision')}. "
    moved = [
        f"{words.amount(abs(by))} {'more' if by > 0 else 'fewer'} {PLAIN[each]}"
        for each in reversed(Decision)
        if (by := getattr(found.after, each) - getattr(present.after, each))
    ]
    return matches + (
        f"Compared with today's policies: {', '.join(moved)}."
        if moved
        else "Today's policies come to the same numbers."
    )


def counts_in_words(compared: Compared) -> str:
    lines = []
    for row in counts_table(compared).iter_rows():
        counts = ", ".join(f"{n:,} {PLAIN[each]}" for each, n in zip(Decision, row[1:], strict=True))
        lines.append(f"{row[0]}: {counts}")
    return "; ".join(lines)


def changes_in_words(found: Backtest) -> str:
    cells = [row for row in transitions_table(found).sort("n", descending=True).iter_rows() if row[0] != row[1]]
    told = ", ".join(f"{n:,} from {before} to {after}" for before, after, n in cells if n).replace("_", " ")
    return f"Recorded decisions beside those with this draft: {found.changed:,} of {found.n:,} change. {told}".strip()


def _caveats(compared: Compared) -> None:
    found = compared.proposed
    if compared.present.changed:
        st.caption(
            f"Today's policies alone would decide {words.several(compared.present.changed, 'recorded decision')} "
            "otherwise, because policies or risk templates changed since. These are in the picture too."
        )
    for left_out in found.not_replayed:
        st.caption(f":material/info: Left out: {words.plain(left_out.name)}. {words.plain(left_out.reason)}")
    if found.simulated:
        st.caption(f":material/science: A simulator made {words.several(found.simulated, 'decision')} of these.")


def _load(compared: Compared) -> None:
    before, after = compared.present.approvals_after, compared.proposed.approvals_after
    st.markdown(f"People asked: {per_day(before)} by today's policies, **{per_day(after)}** with this draft.")


def per_day(load: ApprovalLoad) -> str:
    """`3.2 a day (95 %: 2.1 to 4.3)`."""
    known = load.status is BacktestStatus.OK and load.low is not None and load.high is not None
    interval = f" (95 %: {load.low:.1f} to {load.high:.1f})" if known else ""
    return f"{load.per_day:.1f} a day{interval}"


def _outcomes(found: Backtest) -> None:
    outcomes = found.outcomes
    st.markdown("**What became of the actions that would be decided otherwise**")
    if not outcomes.known:
        st.caption("No action in this window has ended, so nothing can be said of failures and good work.")
        return
    rows = {
        "Failures that would be blocked": outcomes.failures_stopped,
        "Failures that would wait for a person": outcomes.failures_asked,
        "Failures that would no longer wait": outcomes.failures_released,
        "Good work that would be blocked": outcomes.work_stopped,
        "Good work that would wait for a person": outcomes.work_asked,
        "Good work that would no longer wait": outcomes.work_released,
    }
    shown = [(what, *_portion(each)) for what, each in rows.items() if each.n]
    if not shown:
        st.caption(
            f"Of {words.several(outcomes.known, 'action')} that ended, none would be stopped, asked about or let go."
        )
        return
    table = pl.DataFrame(shown, schema=["what", "how many", "share (95 %)"], orient="row")
    told = "; ".join(f"{what}: {many}, {share}" for what, many, share in shown)
    st.dataframe(table, hide_index=True, alt=f"Outcomes of changed decisions. {told}")


def _portion(each: Portion) -> tuple[str, str]:
    rate = "–" if each.rate is None else words.percent(100 * each.rate)
    many = f"{words.amount(each.n)} of {words.amount(each.of)}"
    return many, f"{rate} ({words.percent(100 * each.low)} to {words.percent(100 * each.high)})"


def _groups(found: Backtest) -> None:
    table = groups_table(found)
    if table.is_empty():
        return
    more = found.changed_groups - table.height
    st.markdown("**By agent and type**")
    top = table.row(0)
    st.dataframe(
        table,
        hide_index=True,
        height="auto" if table.height <= FIRST else 38 * FIRST,
        alt=f"Changed decisions of {found.changed_groups} pairs of agent and type; most for {top[0]} at {top[1]}: "
        f"{top[3]} stricter, {top[4]} milder of {top[2]}.",
    )
    if more > 0:
        st.caption(f"{words.several(more, 'pair')} with fewer changes not shown.")


def _newest(compared: Compared, now: datetime) -> None:
    changed = verdicts(compared.proposed)
    if not changed:
        return
    total = compared.proposed.verdicts_total
    st.markdown(f"**The newest of {words.several(total, 'changed decision')}**")
    with st.container(key="policy_changed", gap="small"):
        for verdict in changed[:FIRST]:
            _line(compared, verdict, now)
        rest = changed[FIRST:LINKED]
        if rest:
            with st.expander(f"{len(rest)} more"):
                for verdict in rest:
                    _line(compared, verdict, now)
    if total > len(changed):
        st.caption(f"The export has the newest {words.amount(len(changed))}.")


def _line(compared: Compared, verdict: ReplayedVerdict, now: datetime) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f"{said(verdict.before)} → {said(verdict.after)}", width="content")
        who = words.plain(verdict.agent_id or "no agent")
        st.markdown(f"{who}: {words.code(verdict.action_type)}, {words.ago(verdict.occurred_at, now)}", width="content")
        action_id = compared.actions.get(verdict.decision_id)
        if action_id is not None:
            links.to_ledger(action_id, "Ledger")
        else:
            st.caption("no action came of it", width="content")
