"""What a draft would change, told by a backtest: what was decided, what today's policies would decide, and what they
would with the draft; as tables and on the page.

The draft counts as enforced, whatever it is saved as, because an observed one decides nothing. It stands in the place
of the policy that it changes, or after all others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import msgspec
import polars as pl
import streamlit as st
from msgspec import UNSET

from assent import Client
from assent.contract.analysis.backtest import (
    MOST_POLICIES,
    ApprovalLoad,
    Backtest,
    BacktestStatus,
    ChangedGroup,
    Include,
    Portion,
    ReplayedFlow,
    ReplayedOutcomes,
    ReplayedVerdict,
)
from assent.contract.control.guard import Decision
from assent.contract.control.policies import Mode, Policy, PolicyDraft
from assent_analytics.charts import verdict_changes
from assent_dashboard.views import answers, links, words
from assent_dashboard.views.addresses import in_words
from assent_dashboard.views.blocks import picture
from assent_dashboard.views.export import draw_export

LINKED = 50
"""Changed decisions that are listed with a link."""
CHANGES = 2000
"""The newest changed decisions, which can be exported."""
DECISIONS = tuple(Decision)


@dataclass(frozen=True)
class BacktestDiff:
    """`index` is the draft's place in `proposed`. `without` is the same without the draft. `actions` are the ids of
    the actions that came of the newest changed decisions, by decision."""

    present: Backtest
    without: Backtest
    proposed: Backtest
    index: int
    actions: dict[str, str]

    @property
    def matched(self) -> int | None:
        """Decisions that the draft matches; None where that cannot be replayed, or not on all of them."""
        if any(each.index == self.index and each.decided < each.n for each in self.proposed.flows):
            return None
        return next((policy.matched for policy in self.proposed.policies if policy.index == self.index), None)

    @property
    def alone(self) -> bool:
        """Whether the draft changes any decision that the others leave as it is."""
        return self.proposed.after != self.without.after


class TooMany(ValueError):
    """More policies than one backtest takes."""


def as_draft(policy: Policy) -> PolicyDraft:
    return PolicyDraft(
        name=policy.name,
        policy_type=policy.policy_type,
        rules=policy.rules,
        active=policy.active,
        agent_ids=tuple(policy.agent_ids),
        mode=policy.mode,
        explore=policy.explore,
        always_ask=policy.always_ask,
    )


def with_draft(policies: Sequence[Policy], draft: PolicyDraft, policy_id: str | None) -> tuple[list[PolicyDraft], int]:
    """The whole set with the draft in it, and its place. Raises TooMany."""
    places = [policy.policy_id for policy in policies]
    drafts = [as_draft(policy) for policy in policies]
    index = places.index(policy_id) if policy_id in places else len(drafts)
    drafts[index : index + 1] = [draft]
    if len(drafts) > MOST_POLICIES:
        raise TooMany(f"There are {len(drafts)} policies, and at most {MOST_POLICIES} can be tried together.")
    return drafts, index


def question(draft: PolicyDraft) -> str:
    """What of a draft a backtest depends on: neither its name nor whether it is on or only observed."""
    return msgspec.json.encode((draft.policy_type, draft.rules, draft.agent_ids, draft.explore)).decode()


def compare(
    client: Client,
    policies: Sequence[Policy],
    draft: PolicyDraft,
    policy_id: str | None,
    *,
    window: str,
    agent_id: str | None,
    history_as_live: bool,
) -> BacktestDiff:
    enforced = msgspec.structs.replace(draft, active=True, mode=Mode.ENFORCE)
    drafts, index = with_draft(policies, enforced, policy_id)

    def run(of: list[PolicyDraft] | None, include: Include = Include.SUMMARY) -> Backtest:
        return client.backtest(
            of, window, include=include, limit=CHANGES, agent_id=agent_id, history_as_live=history_as_live
        )

    proposed = run(drafts, Include.CHANGES)
    present = run(None)
    known = any(policy.policy_id == policy_id for policy in policies)
    without = run([each for place, each in enumerate(drafts) if place != index]) if known else present
    newest = [verdict.decision_id for verdict in verdicts(proposed)[:LINKED]]
    found = answers.each(lambda decision_id: client.get_actions(decision_id=decision_id, limit=1).actions, newest)
    actions = {name: listed[0].action_id for name, listed in zip(newest, found, strict=True) if listed}
    return BacktestDiff(present=present, without=without, proposed=proposed, index=index, actions=actions)


def verdicts(backtest: Backtest) -> list[ReplayedVerdict]:
    """The newest decisions that changed."""
    return [] if backtest.verdicts is UNSET else backtest.verdicts


def groups(backtest: Backtest) -> list[ChangedGroup]:
    return [] if backtest.changed_in is UNSET else backtest.changed_in


def counts_table(compared: BacktestDiff) -> pl.DataFrame:
    """How many decisions are of each kind: recorded, by today's policies, and with the draft."""
    rows = {
        "recorded": compared.proposed.before,
        "by today's policies": compared.present.after,
        "with this draft": compared.proposed.after,
    }
    return pl.DataFrame(
        [{"": said, **{each.value: getattr(counts, each.value) for each in DECISIONS}} for said, counts in rows.items()]
    )


def transitions_table(backtest: Backtest) -> pl.DataFrame:
    """A row for each pair of a decision before and after."""
    return pl.DataFrame(
        [
            {"before": before.value, "after": after.value, "n": getattr(getattr(backtest.transitions, before), after)}
            for before in DECISIONS
            for after in DECISIONS
        ]
    )


def groups_table(backtest: Backtest) -> pl.DataFrame:
    rows = [(each.agent_id, each.action_type, each.n, each.stricter, each.milder) for each in groups(backtest)]
    columns = {"agent": pl.String, "type": pl.String, "decisions": pl.Int64, "stricter": pl.Int64, "milder": pl.Int64}
    return pl.DataFrame(rows, schema=columns, orient="row")


def verdicts_table(compared: BacktestDiff) -> pl.DataFrame:
    """The newest changed decisions; `action` where the action that came of one was looked up."""
    rows = [
        (
            each.occurred_at,
            each.agent_id,
            each.action_type,
            each.before.value,
            each.after.value,
            each.decision_id,
            compared.actions.get(each.decision_id),
        )
        for each in verdicts(compared.proposed)
    ]
    columns = {
        "occurred_at": pl.Datetime("us", "UTC"),
        **dict.fromkeys(("agent_id", "action_type", "before", "after", "decision_id", "action_id"), pl.String()),
    }
    return pl.DataFrame(rows, schema=columns, orient="row")


# What a backtest found: counts, the difference of verdicts, what would be stopped, and the newest changed decisions.
#
# Keys: `policy_diff` (the whole), `policy_matrix` (the picture), `policy_changed` (the list), those of the export
# (`policy-backtest`).


FIRST = 10
"""Changed decisions that are shown at once."""


def draw_diff(compared: BacktestDiff, window: str, now: datetime) -> None:
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
        for flow in found.flows:
            _sessions(flow)
        _outcomes(found)
        _groups(found)
        _newest(compared, now)


def _export(compared: BacktestDiff, window: str) -> None:
    found = compared.proposed
    tables = {
        "counts": counts_table(compared).rename({"": "policies"}),
        "verdict_changes": transitions_table(found),
        "changed_by_agent_and_type": groups_table(found),
        "changed_decisions": verdicts_table(compared),
        "sessions_stopped": stops_table(found),
    }
    draw_export("policy-backtest", tables, window)


def headline(compared: BacktestDiff) -> str:
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


def counts_in_words(compared: BacktestDiff) -> str:
    lines = []
    for row in counts_table(compared).iter_rows():
        counts = ", ".join(f"{n:,} {PLAIN[each]}" for each, n in zip(Decision, row[1:], strict=True))
        lines.append(f"{row[0]}: {counts}")
    return "; ".join(lines)


def changes_in_words(found: Backtest) -> str:
    cells = [row for row in transitions_table(found).sort("n", descending=True).iter_rows() if row[0] != row[1]]
    told = ", ".join(f"{n:,} from {before} to {after}" for before, after, n in cells if n).replace("_", " ")
    return f"Recorded decisions beside those with this draft: {found.changed:,} of {found.n:,} change. {told}".strip()


def _caveats(compared: BacktestDiff) -> None:
    found = compared.proposed
    if compared.present.changed:
        st.caption(
            f"Today's policies alone would decide {words.several(compared.present.changed, 'recorded decision')} "
            "otherwise, because policies or risk templates changed since. These are in the picture too."
        )
    for left_out in found.not_replayed:
        st.caption(f":material/info: Not replayed: {words.plain(left_out.name)}: {words.plain(left_out.reason)}")
    if found.simulated:
        st.caption(f":material/science: A simulator made {words.several(found.simulated, 'decision')} of these.")


def _load(compared: BacktestDiff) -> None:
    before, after = compared.present.approvals_after, compared.proposed.approvals_after
    st.markdown(f"People asked: {per_day(before)} by today's policies, **{per_day(after)}** with this draft.")


def per_day(load: ApprovalLoad) -> str:
    """`3.2 a day (95 %: 2.1 to 4.3)`."""
    known = load.status is BacktestStatus.OK and load.low is not None and load.high is not None
    interval = f" (95 %: {load.low:.1f} to {load.high:.1f})" if known else ""
    return f"{load.per_day:.1f} a day{interval}"


def _sessions(flow: ReplayedFlow) -> None:
    """Where a flow policy would have stopped sessions first. Key: `policy_flow_<index>`."""
    with st.container(key=f"policy_flow_{flow.index}", gap="xsmall"):
        st.markdown(f"**Sessions that {words.plain(flow.name)} would have stopped**")
        st.markdown(sessions_in_words(flow))
        for stop in flow.stops[:FIRST]:
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                links.to_flow(stop.session_id, words.plain(words.shorten(words.clean(stop.session_id), 40)))
                st.caption(
                    f"{words.code(stop.tool)} · {words.moment(stop.occurred_at)} · then {PLAIN[stop.before]} · "
                    f"{words.plain(words.shorten(words.clean(stop.reason), 200))}",
                    width="stretch",
                )


def sessions_in_words(flow: ReplayedFlow) -> str:
    """How many sessions a flow policy stops, of how many, and of how many decisions nobody knows."""
    said: list[str] = []
    if flow.sessions:
        share = 100 * flow.sessions_stopped / flow.sessions
        low, high = (words.percent(100 * each) for each in (flow.sessions_low, flow.sessions_high))
        said.append(
            f"It stops {words.amount(flow.sessions_stopped)} of {words.several(flow.sessions, 'session')} "
            f"({words.percent(share)}; 95 %: {low} to {high})."
        )
    if flow.rate is not None:
        interval = ""
        if flow.low is not None and flow.high is not None:
            interval = f"; 95 %: {words.percent(100 * flow.low)} to {words.percent(100 * flow.high)}"
        said.append(
            f"It asks about {words.amount(flow.asked)} of {words.several(flow.decided, 'decision')} with a trace "
            f"({words.percent(100 * flow.rate)}{interval}), in {words.several(flow.clusters, 'cluster')}."
        )
    if flow.no_trace:
        said.append(
            f"{words.several(flow.no_trace, 'decision')} of {words.amount(flow.n)} have no trace of where their values "
            "came from: no flow policy looked then, so nobody knows, and none of them counts as one that may pass."
        )
    if flow.read_otherwise:
        said.append(
            f"{words.several(flow.read_otherwise, 'decision')} looked at other values than this pack does, or at ones "
            "that come from what it takes for something else, so what it says of them is not known either."
        )
    if flow.sessions_unknown:
        said.append(f"Of {words.several(flow.sessions_unknown, 'more session')} not enough is known.")
    if flow.stops:
        said.append("After its first stop a session may have gone otherwise.")
    return " ".join(said) or "It applies to no live decision of the window."


def stops_table(found: Backtest) -> pl.DataFrame:
    """The first stops of sessions, by policy."""
    rows = [
        (each.name, stop.session_id, stop.tool, stop.occurred_at, stop.before.value, stop.decision_id, stop.reason)
        for each in found.flows
        for stop in each.stops
    ]
    names = ("policy", "session_id", "tool", "occurred_at", "before", "decision_id", "reason")
    schema: dict[str, pl.DataType] = {name: pl.String() for name in names}
    return pl.DataFrame(rows, schema=schema | {"occurred_at": pl.Datetime("us", "UTC")}, orient="row")


def _outcomes(found: Backtest) -> None:
    outcomes = found.outcomes
    st.markdown("**What became of the actions that would be decided otherwise**")
    unknown = unknown_in_words(outcomes)
    if unknown:
        st.caption(unknown)
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


def unknown_in_words(outcomes: ReplayedOutcomes) -> str:
    """What is not known of the decisions that would change, and what it may be; empty where all is known."""
    what = {
        "would no longer wait": outcomes.unknown_released,
        "would be blocked": outcomes.unknown_stopped,
        "would wait for a person": outcomes.unknown_asked,
    }
    counted = [f"{words.several(n, 'more decision')} {verb}" for verb, n in what.items() if n]
    if not counted:
        return ""
    said = f"Not known: {', '.join(counted)}, and ended without an outcome (blocked, denied, expired or never tried)."
    if not outcomes.unknown_released:
        return f"{said} Each may be a failure or good work."
    least, most = outcomes.failures_released.n, outcomes.failures_released.n + outcomes.unknown_released
    return f"{said} So between {words.amount(least)} and {words.several(most, 'failure')} would be let go."


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


def _newest(compared: BacktestDiff, now: datetime) -> None:
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


def _line(compared: BacktestDiff, verdict: ReplayedVerdict, now: datetime) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f"{decision_in_words(verdict.before)} → {decision_in_words(verdict.after)}", width="content")
        who = words.plain(verdict.agent_id or "no agent")
        st.markdown(f"{who}: {words.code(verdict.action_type)}, {words.ago(verdict.occurred_at, now)}", width="content")
        action_id = compared.actions.get(verdict.decision_id)
        if action_id is not None:
            links.to_ledger(action_id, "Ledger")
        else:
            st.caption("no action came of it", width="content")


# Decisions as words with a sign beside them, so that nothing is told by colour alone.


_SAID = {
    Decision.ALLOW: ":green[:material/check_circle: **allow**]",
    Decision.WARN: ":orange[:material/warning: **warn**]",
    Decision.REQUIRE_APPROVAL: ":blue[:material/front_hand: **ask a person**]",
    Decision.BLOCK: ":red[:material/block: **block**]",
}
PLAIN = {
    Decision.ALLOW: "allowed",
    Decision.WARN: "warned",
    Decision.REQUIRE_APPROVAL: "asked a person",
    Decision.BLOCK: "blocked",
}


def decision_in_words(decision: Decision) -> str:
    """As Markdown."""
    return _SAID[decision]
