"""What asking a person from each risk on would have cost, with the thresholds in force marked.

It decides every decision of the window again, so it is asked for with a switch. Keys: `scores_interruption` and
`scores_failure` take what one costs, `scores_costs` is the switch, `scores_curve` the picture.
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from assent import Client
from assent.contract.backtest import Backtest, CostCurve
from assent.contract.policies import Policy
from assent_analytics.backtest import curve_frame
from assent_analytics.charts import cost_curve
from assent_dashboard.sessions import Session
from assent_dashboard.views import scope_controls, words
from assent_dashboard.views.export import draw_export
from assent_dashboard.views.kept import asked as ask
from assent_dashboard.views.links import to_page
from assent_dashboard.views.picture import picture
from assent_dashboard.views.scope import Scope, in_words
from assent_dashboard.views.scores.asked import DEAREST, Asked
from assent_dashboard.views.side_by_side import both


def load_costs(client: Client, scope: Scope, asked: Asked) -> tuple[Backtest, int | None]:
    """The replay, and the risk from which a person is asked now."""
    costs = {"interruption": asked.interruption, "failure": asked.failure}
    replayed, policies = both(
        lambda: client.backtest(window=scope.window, agent_id=scope.agent_id, costs=costs), client.get_policies
    )
    return replayed, in_force(policies.policies, scope.agent_id)


def in_force(policies: Sequence[Policy], agent_id: str | None) -> int | None:
    """The lowest threshold of risk from which somebody is asked or stopped now; None without one. A policy for other
    agents does not count, nor one that only observes."""
    thresholds = [
        policy.rules.get("threshold")
        for policy in policies
        if policy.active
        and policy.policy_type == "risk_threshold"
        and policy.mode.value == "enforce"
        and policy.rules.get("action") in ("require_approval", "block")
        and (not policy.agent_ids or agent_id in policy.agent_ids)
    ]
    return min((int(each) for each in thresholds if isinstance(each, int | float)), default=None)


def summary(curve: CostCurve, now: int | None) -> str:
    """Where it costs least, how far that can be told, and where it stands now."""
    if curve.best is None or curve.best_low is None or curve.best_high is None:
        return "Not enough data: no action of this window is known to have failed, so nothing can be weighed."
    by = {point.threshold: point for point in curve.points}
    best = by[curve.best]
    said = (
        f"Asking from a risk of {curve.best} on costs least: {best.per_day:,.4g} a day ({best.per_day_low:,.4g} to "
        f"{best.per_day_high:,.4g}). In 95 % of resamples the best threshold lies between {curve.best_low} and "
        f"{curve.best_high}, over {words.several(curve.n, 'decision')} with {words.several(curve.failures, 'failure')}."
    )
    if now is None or now not in by:
        return f"{said} No policy asks by risk now."
    standing = by[now]
    return (
        f"{said} Policies ask from {now} on now: {standing.per_day:,.4g} a day ({standing.per_day_low:,.4g} to "
        f"{standing.per_day_high:,.4g})."
    )


def draw_costs(session: Session, scope: Scope, asked: Asked) -> None:
    st.header("From which risk on should a person be asked?", anchor=False)
    st.caption("Say what one interruption and one missed failure cost, in one unit of your choice.")
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        _cost("An interruption", "interruption", asked.interruption, scope)
        _cost("A missed failure", "failure", asked.failure, scope)
    wanted = st.toggle("Work out what each threshold would have cost", key="scores_costs")
    if not wanted:
        return
    question = (scope, asked.interruption, asked.failure)
    with st.spinner("Deciding every decision again", show_time=True):
        replayed, now = ask("scores_costs", lambda: load_costs(session.client, scope, asked), question)().answer
    curve = replayed.costs
    if curve is None:
        st.info("The service gave no costs for this window.")
        return
    said = summary(curve, now)
    st.markdown(said)
    if scope.action_type:
        st.caption("The type is not counted here: every decision of the agent is.")
    if curve.best is None:
        return
    frame = curve_frame(curve)
    picture(
        cost_curve(frame, n=curve.n, chosen=now, simulated=replayed.simulated, height=340),
        f"Expected cost a day by threshold of risk, {in_words(scope.window)}. {said}",
        frame,
        key="scores_curve",
    )
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        draw_export("scores_costs", {"curve": frame}, scope.window)
        to_page("policies", "Try a threshold in a policy", icon=":material/policy:")


def _cost(label: str, name: str, value: float, scope: Scope) -> None:
    key = f"scores_{name}"
    st.session_state[key] = value
    st.number_input(
        label,
        min_value=0.0,
        max_value=DEAREST,
        step=1.0,
        key=key,
        on_change=lambda: scope_controls.put(scope.window, **{name: f"{st.session_state[key]:g}"}),
        width=scope_controls.WIDTH,
    )
