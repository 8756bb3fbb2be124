"""One agent: whether it is there, what it did in the window, what is wrong, and where to look further.

Counts are the service's own aggregates of the window: how guard decided, and what became of its approvals. Keys:
`agent_state` is its presence, `agent_links` the ways to other pages, `agent_counts` the numbers, `agent_decisions` the
picture, `agent_signals`, `agent_connections` and `agent_actions` the lists.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import msgspec
import polars as pl
import streamlit as st

from assent import Action, Agent, ApprovalInsight, DecisionMix, Signal, Source
from assent.contract.control.actions import standing
from assent.contract.control.signals import Severity
from assent.contract.people.agents import AgentConnection
from assent_analytics import charts
from assent_analytics.charts.palette import spoken
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.addresses import (
    AgentsAddress,
    DriftAddress,
    LearningAddress,
    LedgerAddress,
    MessagesAddress,
    Scope,
    in_words,
)
from assent_dashboard.views.agents.roster import LOOKS, badge, doing, heard, presence
from assent_dashboard.views.answers import later
from assent_dashboard.views.blocks import picture
from assent_dashboard.views.links import to_ledger, to_page

NEWEST, MOST = 10, 200


@dataclass(frozen=True)
class AgentData:
    """`agent` is None for one that has never called. `actions` are its newest in the window, `total` how many there
    are."""

    agent_id: str
    agent: Agent | None
    connections: list[AgentConnection]
    signals: list[Signal]
    mix: DecisionMix
    approvals: ApprovalInsight
    actions: list[Action]
    total: int

    @property
    def unknown(self) -> bool:
        """Whether nothing at all is known of it in this window."""
        return self.agent is None and not (self.mix.n or self.total or self.connections)


def load(session: Session, scope: Scope, agent_id: str) -> AgentData:
    client = session.client
    actions = later(lambda: client.get_actions(agent_id=agent_id, days=scope.days, limit=NEWEST))
    mix = later(lambda: client.get_decision_mix(scope.window, agent_id))
    approvals = later(lambda: client.get_approval_insight(scope.window, agent_id))
    connections = later(lambda: client.get_connections(agent_id=agent_id, limit=MOST).connections)
    signals = later(lambda: client.get_signals(agent_id).signals)
    agents = client.get_agents(agent_id=agent_id, with_actions=True, limit=1).agents
    page = actions()
    return AgentData(
        agent_id=agent_id,
        agent=agents[0] if agents else None,
        connections=connections(),
        signals=signals(),
        mix=mix(),
        approvals=approvals(),
        actions=page.actions,
        total=page.total,
    )


def counts(opened: AgentData) -> tuple[tuple[str, str, str], ...]:
    """Label, number, and what it is of: the window's."""
    mix, asked = opened.mix, opened.approvals
    came = [f"{asked.approved} allowed", f"{asked.denied} denied", f"{asked.expired} expired"]
    if asked.withdrawn:
        came.append(f"{asked.withdrawn} withdrawn")
    if asked.awaiting:
        came.insert(0, f"{asked.awaiting} waiting")
    return (
        ("Actions", words.amount(opened.total), "recorded in the window"),
        (
            "Asked guard",
            words.amount(mix.n),
            f"{words.amount(mix.allow)} allowed, {words.amount(mix.warn)} warned",
        ),
        ("Blocked", words.amount(mix.block), f"of {words.several(mix.n, 'decision')}"),
        ("Approvals asked", words.amount(asked.asked), ", ".join(came)),
    )


def mix_in_words(mix: DecisionMix, scope: Scope) -> str:
    """The picture of its decisions, for somebody who cannot see it."""
    if not mix.n:
        return f"Guard decided nothing for this agent in {in_words(scope.window)}."
    most = max(mix.days, key=lambda day: (day.block, day.require_approval), default=None)
    worst = f"; most blocks on {most.day.day} {most.day:%b}" if most is not None and most.block else ""
    return (
        f"Guard's decisions for this agent by day in {in_words(scope.window)}: {words.amount(mix.allow)} allowed, "
        f"{words.amount(mix.warn)} with a warning, {words.amount(mix.require_approval)} asked for approval, "
        f"{words.amount(mix.block)} blocked{worst}"
    )


def days(mix: DecisionMix) -> pl.DataFrame:
    return pl.DataFrame(
        [(day.day, day.allow, day.warn, day.require_approval, day.block) for day in mix.days],
        schema={"day": pl.Date, "allow": pl.Int64, "warn": pl.Int64, "require_approval": pl.Int64, "block": pl.Int64},
        orient="row",
    )


def connections(opened: AgentData) -> pl.DataFrame:
    return pl.DataFrame(
        [
            (each.provider, each.auth_type.value, each.plan_name, each.status.value, each.updated_at)
            for each in opened.connections
        ],
        schema={
            "provider": pl.String,
            "auth_type": pl.String,
            "plan_name": pl.String,
            "status": pl.String,
            "updated_at": pl.Datetime("us", "UTC"),
        },
        orient="row",
    )


def tables(opened: AgentData) -> dict[str, pl.DataFrame]:
    return {
        "decisions_by_day": days(opened.mix),
        "newest_actions": pl.DataFrame(
            [
                (
                    *(each.action_id, each.timestamp_start, each.action_type, each.declared_goal, standing(each)),
                    *(each.decision.value, each.risk_score, each.source.value),
                )
                for each in opened.actions
            ],
            schema={
                "action_id": pl.String,
                "timestamp_start": pl.Datetime("us", "UTC"),
                **dict.fromkeys(("action_type", "declared_goal", "status", "decision"), pl.String),
                "risk_score": pl.Float64,
                "source": pl.String,
            },
            orient="row",
        ),
        "connections": connections(opened),
        "signals": pl.DataFrame(
            [(each.type.value, each.severity.value, each.label, each.detail, each.since) for each in opened.signals],
            schema={
                **dict.fromkeys(("type", "severity", "label", "detail"), pl.String),
                "since": pl.Datetime("us", "UTC"),
            },
            orient="row",
        ),
    }


LONGEST_GOAL, LONGEST_METADATA = 100, 2000
COLUMNS = {
    "provider": "Provider",
    "auth_type": "Let in by",
    "plan_name": "Plan",
    "status": "Status",
    "updated_at": "Last reported",
}
FURTHER = (
    (LedgerAddress, "Its actions", ":material/receipt_long:"),
    (LearningAddress, "What it learns", ":material/school:"),
    (DriftAddress, "Whether it drifts", ":material/trending_up:"),
)


def draw(session: Session, scope: Scope, opened: AgentData) -> None:
    now = session.clock.now()
    to_page(AgentsAddress, "All agents", icon=":material/arrow_back:", window=scope.window)
    if opened.unknown:
        st.info(
            f"Nothing is known of the agent {words.code(opened.agent_id)} in {in_words(scope.window)}. "
            "Check the name, or choose a longer window.",
            icon=":material/search_off:",
        )
        return
    _state(opened, now)
    with st.container(key="agent_links", horizontal=True, gap="medium"):
        for page, label, icon in FURTHER:
            to_page(page, label, icon=icon, agent_id=opened.agent_id, window=scope.window)
        to_page(MessagesAddress, "Its messages", icon=":material/mail:", agent_id=opened.agent_id)
    st.subheader(f"In {in_words(scope.window)}", anchor=False)
    with st.container(key="agent_counts"):
        for column, (label, number, of) in zip(st.columns(4), counts(opened), strict=True):
            with column.container(border=True, height="stretch"):
                st.metric(label, number)
                st.caption(of)
    simulated = (
        (opened.mix.simulated, opened.mix.n, "decision"),
        (opened.approvals.simulated, opened.approvals.asked, "approval"),
    )
    told = [f"{words.amount(some)} of the {words.several(of, what)}" for some, of, what in simulated if some]
    if told:
        st.caption(f":violet-badge[simulated] Made by a simulator, and never happened: {' and '.join(told)}.")
    if opened.mix.n:
        by_day = days(opened.mix)
        picture(
            charts.decision_mix(by_day, simulated=opened.mix.simulated, height=220),
            mix_in_words(opened.mix, scope),
            by_day,
            key="agent_decisions",
        )
    _signals(opened.signals, now)
    _connections(opened)
    _actions(opened, scope, now)


def _state(opened: AgentData, now: datetime) -> None:
    agent, there = opened.agent, presence(opened.agent)
    with st.container(border=True, key="agent_state"):
        name = f" {words.plain(agent.agent_name)}" if agent is not None and agent.agent_name else ""
        st.header(f"{words.plain(opened.agent_id)}", anchor=False)
        st.markdown(f"{badge(there)}{name}")
        st.markdown(LOOKS[there].means)
        if agent is not None:
            st.markdown("  \n".join(_facts(agent, now)))
            if agent.metadata:
                with st.expander("What it says of itself", key="agent_metadata"):
                    said = msgspec.json.format(msgspec.json.encode(agent.metadata), indent=2).decode()
                    st.code(words.shorten(said, LONGEST_METADATA), language=None, wrap_lines=True)


def _facts(agent: Agent, now: datetime) -> list[str]:
    told = doing(agent)
    beat = "never" if agent.last_heartbeat is None else words.ago(agent.last_heartbeat, now)
    actions = "" if agent.actions is None else f" · {words.several(agent.actions, 'action')} in all"
    return [
        f"Last {heard(agent, now)} ({words.moment(agent.last_seen)})" + (f"; it {told}" if told else ""),
        f"Last heartbeat: {beat} · known since {words.moment(agent.first_seen)}{actions}",
    ]


def _signals(signals: list[Signal], now: datetime) -> None:
    st.subheader("Open signals", anchor=False)
    if not signals:
        st.markdown(":green[:material/check_circle:] None is on.")
        return
    with st.container(border=True, key="agent_signals"):
        for signal in signals:
            red = signal.severity is Severity.RED
            mark = ":red[:material/error:] **Red:**" if red else ":orange[:material/warning:] **Amber:**"
            st.markdown(
                f"{mark} {words.plain(signal.label)} · {words.ago(signal.since, now)}  \n"
                f"{words.plain(signal.detail)} {words.plain(signal.help)}"
            )
            if signal.action_id is not None:
                to_ledger(signal.action_id, "The action")


def _connections(opened: AgentData) -> None:
    st.subheader("Connections", anchor=False)
    if not opened.connections:
        st.caption("It has reported none (`client.report_connections`).")
        return
    states = pl.col("auth_type", "status").str.replace_all("_", " ")
    shown = connections(opened).with_columns(states).rename(COLUMNS)
    with st.container(key="agent_connections"):
        said = f"The providers that the agent reports: {', '.join(words.clean(each) for each in shown['Provider'])}"
        st.dataframe(shown, hide_index=True, alt=said)


def _actions(opened: AgentData, scope: Scope, now: datetime) -> None:
    st.subheader("Newest actions", anchor=False)
    if not opened.actions:
        st.caption(f"None was recorded in {in_words(scope.window)}.")
        return
    with st.container(border=True, key="agent_actions"):
        for action in opened.actions:
            _action(action, now)
    if opened.total > len(opened.actions):
        st.caption(f"{words.amount(opened.total - len(opened.actions))} more are in the ledger.")


def _action(action: Action, now: datetime) -> None:
    goal = words.shorten(words.clean(action.declared_goal) or "No goal was given", LONGEST_GOAL)
    simulated = " :violet-badge[Simulated]" if action.source is Source.SIMULATED else ""
    with st.container(gap="xxsmall"):
        with st.container(horizontal=True, wrap=False, vertical_alignment="center"):
            st.markdown(f"{words.plain(goal)}{simulated}", width="stretch")
            to_ledger(action.action_id)
        st.caption(" · ".join(_facts_of(action, now)))


def _facts_of(action: Action, now: datetime) -> list[str]:
    guarded, status = spoken(action.decision), spoken(standing(action))
    when = words.ago(action.timestamp_start, now)
    return [words.code(action.action_type), f"guard said {guarded}", status, when]
