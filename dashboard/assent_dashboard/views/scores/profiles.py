"""The scoring profiles: what each measures, what its stored scores add up to, in all and by agent, and the scores of
one action.

Keys: `scores_profile` chooses the profile, `scores_dimensions` is the table of what it measures, `scores_by_agent` the
picture; `scores_archive`, `scores_activate` and `scores_delete` are what an admin does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import polars as pl
import streamlit as st

from assent import Client
from assent.contract.analysis.profile_scores import DimensionScore, ProfileScore, ProfileScores, ProfileScoreStats
from assent.contract.analysis.scoring import ProfileStatus, ScoringProfile
from assent.errors import NotFound
from assent_analytics.charts import estimates
from assent_dashboard.sessions import Session
from assent_dashboard.views import answers, words
from assent_dashboard.views.addresses import ScoresAddress
from assent_dashboard.views.answers import asked as ask
from assent_dashboard.views.blocks import empty, picture
from assent_dashboard.views.controls import names, put
from assent_dashboard.views.links import to_ledger
from assent_dashboard.views.scores import words as score_words
from assent_dashboard.views.scores.admin import confirmed, do

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
class ProfilesData:
    profiles: list[ScoringProfile]
    total: int


@dataclass(frozen=True)
class Stats:
    """In all, and by agent: those that have scores."""

    all: ProfileScoreStats
    agents: list[tuple[str, ProfileScoreStats]]


def load(client: Client) -> ProfilesData:
    page = client.list_scoring_profiles(status="all", limit=200)
    return ProfilesData(page.profiles, page.total)


def load_stats(client: Client, profile_id: str, agents: Sequence[str]) -> Stats:
    every, *single = answers.each(
        lambda agent: client.get_profile_score_stats(profile_id, agent), [None, *agents[:MOST_AGENTS]]
    )
    return Stats(every, [(agent, stats) for agent, stats in zip(agents, single, strict=False) if stats.n])


def tables(found: ProfilesData) -> dict[str, pl.DataFrame]:
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
            "measures": score_words.source(dimension),
            "weight": float(dimension.weight),
            "scale": score_words.scale(dimension),
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


def draw(session: Session, address: ScoresAddress, found: ProfilesData) -> None:
    if not found.profiles:
        empty(
            "No scoring profile yet.",
            "A profile says what good work looks like in numbers. Make one here, or let **Calibration** suggest its "
            "scales from what your agents did.",
            SNIPPET,
            key="scores_no_profile",
        )
        return
    first = st.container()
    profile = _choose(address, found)
    agents = (address.agent_id,) if address.agent_id else names(session).agents
    coming = ask(
        "scores_stats", lambda: load_stats(session.client, profile.id, agents), (profile.id, agents, profile.updated_at)
    )
    _measures(profile)
    st.header("What its scores add up to", anchor=False)
    with st.spinner("Adding up the scores", show_time=True):
        stats = coming().answer
    first.markdown(f"**{words.plain(profile.name)}: {score_words.stats(stats.all)}**")
    _added_up(stats)
    draw_action_score(session, address, profile)
    _change(session, profile)


def _choose(address: ScoresAddress, found: ProfilesData) -> ScoringProfile:
    by_id = {each.id: each for each in found.profiles}
    if address.profile_id is not None and address.profile_id not in by_id:
        st.info(
            f"There is no profile {words.code(address.profile_id)}; this is another one.", icon=":material/search_off:"
        )
    chosen = address.profile_id if address.profile_id in by_id else found.profiles[0].id
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
        on_change=lambda: put(address, profile_id=st.session_state[key]),
        width=420,
    )
    return by_id[chosen]


def _measures(profile: ScoringProfile) -> None:
    if profile.description:
        st.text(words.clean(profile.description))
    kind = f"meant for {words.code(profile.action_type)}" if profile.action_type else "meant for every type of action"
    st.markdown(f"The score, 0 to 100, is **{score_words.METHODS[profile.composite_method]}**; {kind}.")
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
    notes = []
    if stats.all.simulated:
        notes.append(f"{words.amount(stats.all.simulated)} are of actions that a simulator made up")
    if stats.all.unrecorded:
        notes.append(f"{words.amount(stats.all.unrecorded)} of actions that nobody recorded")
    if stats.all.since is not None and stats.all.until is not None:
        notes.append(f"given from {words.moment(stats.all.since)} to {words.moment(stats.all.until)}")
    notes.append(score_words.over_clusters(stats.all))
    st.caption("; ".join(each for each in notes if each))
    if stats.all.status.value != "ok":
        return
    frame = stats_frame(stats)
    agents = ", ".join(
        f"{name} {score_words.interval(of.avg_score, of.avg_low, of.avg_high)}"
        for name, of in stats.agents
        if of.avg_score
    )
    picture(
        estimates(
            frame,
            title="Mean score by agent",
            axis="score, 0 to 100",
            n=stats.all.n,
            what="scores",
            form=".0f",
            reference=stats.all.avg_score,
            simulated=stats.all.simulated,
        ),
        f"Mean score with its 95% interval, of all agents and of each: {score_words.stats(stats.all)} {agents}",
        frame,
        key="scores_by_agent",
    )


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


# One action and its scores: what each dimension found in it, and what that came to.
#
# Keys: `scores_action` takes the id, `scores_it` scores it, `scores_breakdown` is the table.


NEWEST = 20


def breakdown_frame(dimensions: Sequence[DimensionScore]) -> pl.DataFrame:
    rows = [
        (each.dimension_name, float(each.weight), _readable(each.raw_value), each.score, each.label)
        for each in dimensions
    ]
    schema = {
        "dimension": pl.String,
        "weight": pl.Float64,
        "value": pl.String,
        "score": pl.Float64,
        "label": pl.String,
    }
    return pl.DataFrame(rows, schema=schema, orient="row")


def draw_action_score(session: Session, address: ScoresAddress, profile: ScoringProfile) -> None:
    st.header("Score one action", anchor=False)
    key = "scores_action"
    st.session_state[key] = address.action_id or ""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.text_input(
            "Id of the action",
            key=key,
            placeholder="act_…, as the ledger has it",
            max_chars=128,
            on_change=lambda: put(address, action_id=st.session_state[key].strip()),
            width=420,
        )
        st.button(
            "Score it now",
            key="scores_it",
            icon=":material/speed:",
            disabled=address.action_id is None or not profile.dimensions,
            on_click=do,
            args=(lambda: session.client.score_with_profile(profile.id, address.action_id or ""), "Scored"),
        )
    st.caption("Every scoring is stored with your key's name; scoring an action again adds another score.")
    if address.action_id is None:
        return
    question = (profile.id, address.action_id)
    try:
        scores = ask("scores_action", lambda: _scores(session, profile, address.action_id), question)().answer
    except NotFound as error:
        st.warning(words.plain(error.detail), icon=":material/warning:")
        return
    to_ledger(address.action_id, "The action in the ledger")
    if not scores.scores:
        st.info(f"{words.code(address.action_id)} has no score by this profile yet.", icon=":material/info:")
        return
    for place, score in enumerate(scores.scores):
        _score(score, newest=place == 0)
    if scores.total > len(scores.scores):
        st.caption(f"The newest {len(scores.scores)} of {words.amount(scores.total)}.")


def _scores(session: Session, profile: ScoringProfile, action_id: str | None) -> ProfileScores:
    return session.client.get_profile_scores(profile_id=profile.id, action_id=action_id, limit=NEWEST)


def _score(score: ProfileScore, *, newest: bool) -> None:
    title = f"**{score.composite_score:.1f} of 100**, scored {words.moment(score.scored_at)}"
    if not newest:
        with st.expander(title):
            _table(score, key=f"scores_breakdown_{score.id}")
        return
    with st.container(border=True, key="scores_newest"):
        st.markdown(title)
        _table(score, key="scores_breakdown")


def _table(score: ProfileScore, *, key: str) -> None:
    frame = breakdown_frame(score.dimension_scores)
    st.dataframe(
        frame.rename({name: name.capitalize() for name in frame.columns}),
        hide_index=True,
        key=key,
        alt=f"What each of {words.several(frame.height, 'dimension')} found: weight, value, score, label",
        column_config={
            "Score": st.column_config.ProgressColumn(min_value=0, max_value=100, format="%.0f"),
            "Weight": st.column_config.NumberColumn(format="%g"),
        },
    )


def _readable(value: object) -> str:
    if value is None:
        return words.NOTHING
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{value:.10g}"
    return words.clean(value if isinstance(value, str) else msgspec.json.encode(value).decode())
