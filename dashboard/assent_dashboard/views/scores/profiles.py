"""The scoring profiles: what each measures, what its stored scores add up to, in all and by agent.

Keys: `scores_profile` chooses the profile, `scores_dimensions` is the table of what it measures, `scores_by_agent` the
picture; `scores_archive`, `scores_activate` and `scores_delete` are what an admin does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl
import streamlit as st

from assent import Client
from assent.contract.profile_scores import ProfileScoreStats
from assent.contract.scoring import ProfileStatus, ScoringProfile
from assent_analytics.charts import estimates
from assent_dashboard.sessions import Session
from assent_dashboard.views import scope_controls, side_by_side, words
from assent_dashboard.views.empty import empty
from assent_dashboard.views.kept import asked as ask
from assent_dashboard.views.names import names
from assent_dashboard.views.picture import picture
from assent_dashboard.views.scope import Scope
from assent_dashboard.views.scores import words as said
from assent_dashboard.views.scores.acting import confirmed
from assent_dashboard.views.scores.action_score import draw_action_score
from assent_dashboard.views.scores.asked import Asked

MOST_AGENTS = 24
SNIPPET = """client.create_scoring_profile(
    "Deployment quality",
    dimensions=[{
        "name": "Speed", "data_source": "duration_ms", "weight": 1,
        "scale": [
            {"label": "fast", "operator": "lte", "value": 2000, "score": 100},
            {"label": "slow", "operator": "gt", "value": 2000, "score": 20},
        ],
    }],
)"""


@dataclass(frozen=True)
class Found:
    profiles: list[ScoringProfile]
    total: int


@dataclass(frozen=True)
class Stats:
    """In all, and by agent: those that have scores."""

    all: ProfileScoreStats
    agents: list[tuple[str, ProfileScoreStats]]


def load(client: Client) -> Found:
    page = client.list_scoring_profiles(status="all", limit=200)
    return Found(page.profiles, page.total)


def load_stats(client: Client, profile_id: str, agents: Sequence[str]) -> Stats:
    every, *single = side_by_side.each(
        lambda agent: client.get_profile_score_stats(profile_id, agent), [None, *agents[:MOST_AGENTS]]
    )
    return Stats(every, [(agent, stats) for agent, stats in zip(agents, single, strict=False) if stats.n])


def tables(found: Found) -> dict[str, pl.DataFrame]:
    return {"dimensions": dimensions_frame(found.profiles)}


def dimensions_frame(profiles: Sequence[ScoringProfile]) -> pl.DataFrame:
    """A row for each dimension of each profile."""
    rows = [
        {
            "profile_id": profile.id,
            "profile": profile.name,
            "status": profile.status.value,
            "composite_method": profile.composite_method.value,
            "dimension": dimension.name,
            "measures": said.source(dimension),
            "weight": float(dimension.weight),
            "scale": said.scale(dimension),
        }
        for profile in profiles
        for dimension in profile.dimensions
    ]
    texts = ("profile_id", "profile", "status", "composite_method", "dimension", "measures")
    schema: dict[str, Any] = {**dict.fromkeys(texts, pl.String), "weight": pl.Float64, "scale": pl.List(pl.String)}
    return pl.DataFrame(rows, schema=schema, orient="row")


def stats_frame(stats: Stats) -> pl.DataFrame:
    """`name`, `value`, `low`, `high`, `n` and quantiles: of all scores, and of each agent's."""
    rows = [("all agents", stats.all), *stats.agents]
    numbers = [
        (name, of.avg_score, of.avg_low, of.avg_high, of.n, of.p10, of.p50, of.p90, of.simulated) for name, of in rows
    ]
    floats = ("value", "low", "high", "p10", "p50", "p90")
    order = ("name", "value", "low", "high", "n", "p10", "p50", "p90", "simulated")
    kinds = {name: pl.Float64 if name in floats else pl.Int64 for name in order}
    return pl.DataFrame(numbers, schema={**kinds, "name": pl.String}, orient="row")


def draw(session: Session, scope: Scope, asked: Asked, found: Found) -> None:
    if not found.profiles:
        empty(
            "No scoring profile yet.",
            "A profile says what good work looks like in numbers. Make one here, or let **Calibration** suggest its "
            "scales from what your agents did.",
            SNIPPET,
            key="scores_no_profile",
        )
        return
    profile = _choose(scope, asked, found)
    agents = (scope.agent_id,) if scope.agent_id else names(session).agents
    coming = ask(
        "scores_stats", lambda: load_stats(session.client, profile.id, agents), (profile.id, agents, profile.updated_at)
    )
    _measures(profile)
    st.header("What its scores add up to", anchor=False)
    with st.spinner("Adding up the scores", show_time=True):
        stats = coming().answer
    _added_up(stats)
    draw_action_score(session, scope, asked, profile)
    _change(session, profile)


def _choose(scope: Scope, asked: Asked, found: Found) -> ScoringProfile:
    by_id = {each.id: each for each in found.profiles}
    if asked.profile_id is not None and asked.profile_id not in by_id:
        st.info(
            f"There is no profile {words.code(asked.profile_id)}; this is another one.", icon=":material/search_off:"
        )
    chosen = asked.profile_id if asked.profile_id in by_id else found.profiles[0].id
    key = "scores_profile"
    st.session_state[key] = chosen

    def titled(profile_id: str) -> str:
        profile = by_id[profile_id]
        status = "" if profile.status is ProfileStatus.ACTIVE else f" ({profile.status.value})"
        return words.clean(profile.name) + status

    st.selectbox(
        f"Profile, of {words.amount(found.total)}",
        list(by_id),
        format_func=titled,
        key=key,
        on_change=lambda: scope_controls.put(scope.window, profile_id=st.session_state[key]),
        width=420,
    )
    return by_id[chosen]


def _measures(profile: ScoringProfile) -> None:
    if profile.description:
        st.text(words.clean(profile.description))
    kind = f"meant for {words.code(profile.action_type)}" if profile.action_type else "meant for every type of action"
    st.markdown(f"The score, 0 to 100, is **{said.METHODS[profile.composite_method]}**; {kind}.")
    if not profile.dimensions:
        st.caption("It has no dimension yet, so it can score nothing.")
        return
    frame = dimensions_frame([profile]).select("dimension", "measures", "weight", pl.col("scale").list.join("; "))
    st.dataframe(
        frame.rename({"dimension": "Dimension", "measures": "Measures", "weight": "Weight", "scale": "Scale"}),
        hide_index=True,
        key="scores_dimensions",
        alt=f"What the profile measures: {words.several(frame.height, 'dimension')} with weight and scale",
    )


def _added_up(stats: Stats) -> None:
    st.markdown(said.stats(stats.all))
    notes = []
    if stats.all.simulated:
        notes.append(f"{words.amount(stats.all.simulated)} are of actions that a simulator made up")
    if stats.all.unrecorded:
        notes.append(f"{words.amount(stats.all.unrecorded)} of actions that nobody recorded")
    if stats.all.since is not None and stats.all.until is not None:
        notes.append(f"given from {words.moment(stats.all.since)} to {words.moment(stats.all.until)}")
    if notes:
        st.caption("; ".join(notes) + ".")
    if stats.all.status.value != "ok":
        return
    frame = stats_frame(stats)
    agents = ", ".join(
        f"{name} {said.interval(of.avg_score, of.avg_low, of.avg_high)}" for name, of in stats.agents if of.avg_score
    )
    picture(
        estimates(
            frame, title="Mean score by agent", axis="score, 0 to 100", n=stats.all.n, what="scores", form=".0f",
            reference=stats.all.avg_score, simulated=stats.all.simulated,
        ),
        f"Mean score with its 95% interval, of all agents and of each: {said.stats(stats.all)} {agents}",
        frame,
        key="scores_by_agent",
    )  # fmt: skip


def _change(session: Session, profile: ScoringProfile) -> None:
    client = session.client
    with st.container(horizontal=True, gap="small"):
        if profile.status is ProfileStatus.ACTIVE:
            confirmed(
                session,
                "Archive",
                "It leaves the list of active profiles. It can still score, and its scores stay.",
                lambda: client.update_scoring_profile(profile.id, status=ProfileStatus.ARCHIVED),
                "Archived",
                key="scores_archive",
                icon=":material/archive:",
            )
        else:
            confirmed(
                session,
                "Activate",
                "It comes back to the list of active profiles.",
                lambda: client.update_scoring_profile(profile.id, status=ProfileStatus.ACTIVE),
                "Activated",
                key="scores_activate",
                icon=":material/unarchive:",
            )
        confirmed(
            session,
            "Delete",
            "The profile is removed and cannot score any more. The scores that it gave stay.",
            lambda: client.delete_scoring_profile(profile.id),
            "Deleted",
            key="scores_delete",
            icon=":material/delete:",
        )
    with st.expander("Make or change a profile", icon=":material/edit:"):
        st.markdown(
            "Profiles are made with the client and an admin key; **Calibration** suggests scales and applies them."
        )
        st.code(SNIPPET, language="python")
