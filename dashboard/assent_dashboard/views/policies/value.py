"""What the draft would cause, as far as somebody saw it: failures, completed work, people asked, and with prices the
cost. Begun by a press, worked out by the service (`evaluate_policy`) in a thread beside the page.

What it rests on stands first: where the draft does what was done, what draws did, how heavy their weights are. Then
what that comes to, as a number with its interval where it is known, and between bounds where nobody saw it.

Keys: `policy_value` (the button), `policy_price_<member>` (what one costs), `policy_value_running`,
`policy_value_basis`, `policy_value_so`, `policy_value_rows`.
"""

from __future__ import annotations

import json

import polars as pl
import streamlit as st
from msgspec.structs import replace

from assent.contract.analysis.policy_value import CostValue, OutcomeValue, PolicyEvaluation, ValueInterval, ValueStatus
from assent.contract.control.policies import Mode
from assent.errors import ApiError
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.addresses import DEAREST, Scope, in_words
from assent_dashboard.views.export import draw_export
from assent_dashboard.views.policies.backtest import Running, asks, draw_running
from assent_dashboard.views.policies.data import PolicyList
from assent_dashboard.views.policies.diff import TooMany, with_draft
from assent_dashboard.views.policies.draft import EditedPolicy

STATE = "assent_policy_value"
SOON = 0.4
"""In seconds: what is answered by then is shown without a detour."""
PRICES = {
    "interruption": "A person asked costs",
    "failure": "A failure costs",
    "lost_work": "Work not completed costs",
}
VERDICTS = {
    True: "The draft is better than what was done, beyond chance",
    False: "The draft is worse than what was done, beyond chance",
    None: "Whether the draft is better than what was done cannot be said from this",
}


def draw_value(session: Session, draft: EditedPolicy, listing: PolicyList, scope: Scope, *, sound: bool) -> None:
    st.caption(
        f"What would have come of the decisions of {in_words(scope.window)} with this draft enforced among the other "
        "policies, as far as somebody saw it. Nothing is recorded. Prices, in one unit of yours, are for the cost of "
        "1 000 decisions; leave them empty to compare failures and completed work alone."
    )
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        for member, label in PRICES.items():
            st.number_input(
                label,
                min_value=0.0,
                max_value=DEAREST,
                value=None,
                format="%g",
                key=f"policy_price_{member}",
                placeholder="no price",
                width=190,
            )
    prices = given_prices({member: st.session_state[f"policy_price_{member}"] for member in PRICES})
    of_draft = asks(draft, listing, scope)
    question = None if of_draft is None else json.dumps([of_draft, prices])
    running: Running[PolicyEvaluation] | None = st.session_state.get(STATE)
    busy = running is not None and not running.done
    pressed = st.button(
        "What it would cause",
        key="policy_value",
        type="primary",
        icon=":material/balance:",
        disabled=not sound or busy,
    )
    if pressed and question is not None:
        running = st.session_state[STATE] = _begin(session, draft, listing, scope, prices, question)
        if running is not None and running.wait(SOON):
            st.rerun()
    _show(running, question)


def given_prices(given: dict[str, float | None]) -> dict[str, float]:
    """The costs that are asked for: none without a price, and what has none beside one that has is free."""
    known = {member: price for member, price in given.items() if price is not None}
    return {"interruption": 0.0, "failure": 0.0, **known} if known else {}


def _begin(
    session: Session,
    draft: EditedPolicy,
    listing: PolicyList,
    scope: Scope,
    prices: dict[str, float],
    question: str,
) -> Running[PolicyEvaluation] | None:
    client, base = session.client, None if draft.base is None else draft.base.policy_id
    enforced = replace(draft.policy(), active=True, mode=Mode.ENFORCE)
    try:
        policies, _ = with_draft(listing.policies, enforced, base)
    except TooMany as error:
        st.error(words.plain(str(error)), icon=":material/error:")
        return None
    return Running(
        lambda: client.evaluate_policy(policies, scope.window, agent_id=scope.agent_id, costs=prices or None), question
    )


def _show(running: Running[PolicyEvaluation] | None, question: str | None) -> None:
    if running is None:
        return
    if not running.done:
        draw_running(running, "Deciding everything again and weighing what came of it.", key="policy_value_running")
        return
    if running.error is not None:
        detail = running.error.detail if isinstance(running.error, ApiError) else str(running.error)
        st.error(f"It did not come to an end. {words.plain(detail)}", icon=":material/error:")
        return
    if running.question != question or running.answer is None:
        st.caption(":material/update: The draft, the prices, the policies or the window changed since. Press again.")
        return
    draw_found(running.answer)


def draw_found(found: PolicyEvaluation) -> None:
    """First what it rests on, then what it comes to."""
    with st.container(border=True, key="policy_value_basis", gap="small"):
        st.markdown("**What this rests on**")
        if found.n:
            st.markdown("\n".join(f"- {words.plain(each)}" for each in overlap_in_words(found)))
        for each in found.says:
            st.markdown(f":material/info: {words.plain(each)}")
        if found.simulated:
            st.caption(
                f":violet-badge[simulated] A simulator made {words.several(found.simulated, 'decision')} of these. "
                "They never happened."
            )
    if not found.n:
        return
    with st.container(key="policy_value_so"):
        st.markdown(f"**{words.plain(verdict(found))}**")
    rows = estimates(found)
    st.dataframe(
        rows,
        hide_index=True,
        key="policy_value_rows",
        alt="What fails and what completes, as it was done and with the draft, the difference with its interval, and "
        "three estimates by weights where the draft does what draws did",
    )
    st.caption(
        f"{basis(found)}. Two numbers are bounds: every value between them fits what is known. Intervals (95 %) "
        "respect clusters and draws, and hold for each number by itself."
    )
    draw_export("policy-value", {"estimates": rows}, found.window)


def basis(found: PolicyEvaluation) -> str:
    """`n = 200 decisions in 40 clusters (session)`."""
    return f"n = {words.several(found.n, 'decision')} in {words.several(found.clusters, 'cluster')} ({found.basis})"


def overlap_in_words(found: PolicyEvaluation) -> list[str]:
    """How far what the draft would do was done: the decisions of each kind, then the draws and their weights."""

    def of(number: int) -> str:
        return (
            f"{words.amount(number)} of {words.several(found.n, 'decision')} ({words.percent(100 * number / found.n)})"
        )

    said = [
        f"{basis(found)}.",
        f"Does what was done in {of(found.same)}: their outcome is known.",
        f"Blocks {of(found.stopped)}: nothing of them runs.",
        f"Does what a draw could have done in {of(found.explored)}.",
        f"Does what nobody saw done in {of(found.without)}.",
    ]
    if found.explored:
        mean = "not known" if found.mean_weight is None else f"{found.mean_weight:.2f}"
        said.insert(
            4,
            f"{words.several(found.draws, 'draw')} did what it would: an effective sample size of "
            f"{found.effective:,.0f} decisions; the heaviest hundredth has "
            f"{words.percent(100 * found.heaviest)} of the weight, and the mean weight is {mean} (right: 1).",
        )
    if found.unknown:
        said.append(f"{of(found.unknown)} have no outcome.")
    said.append(
        f"It asks a person in {words.amount(found.asked_going)}, where {words.amount(found.asked_staying)} were asked."
    )
    return said


def verdict(found: PolicyEvaluation) -> str:
    """Whether it is better, by what, and why that cannot be said."""
    by = "by failures" if found.costs is None else "by the cost"
    head = f"{VERDICTS[found.better]} ({by})"
    why = {
        ValueStatus.NOT_IDENTIFIED: "nobody saw what it would do in some decisions, so there are only bounds",
        ValueStatus.INSUFFICIENT_DATA: "one cluster tells nothing of chance",
        ValueStatus.FEW_CLUSTERS: "fewer than 10 clusters, so that the intervals may be too narrow",
    }.get(found.status)
    return f"{head}." if why is None else f"{head}: {why}."


def estimates(found: PolicyEvaluation) -> pl.DataFrame:
    """A row for each outcome, and one for the cost where it has prices."""
    rows = [
        _row(what, value, share=True)
        for what, value in (("Fail", found.failures), ("Complete", found.work))
        if value is not None
    ]
    if found.costs is not None:
        rows.append(_row("Cost of 1 000 decisions", found.costs, share=False))
    return pl.DataFrame(rows, schema_overrides=dict.fromkeys(ESTIMATORS.values(), pl.String))


ESTIMATORS = {
    "inverse": "By inverse propensity",
    "normalised": "Self-normalised",
    "doubly_robust": "Doubly robust",
}


def _row(what: str, value: OutcomeValue | CostValue, *, share: bool) -> dict[str, str | None]:
    known = {title: getattr(value, member, None) for member, title in ESTIMATORS.items()}
    return {
        "Outcome": what,
        "As it was done": known_in_words(value.staying, share=share),
        "With the draft": known_in_words(value.going, share=share),
        "Difference": known_in_words(value.change, share=share, signed=True),
        "95 %": chance_in_words(value.change, share=share),
        **{title: words.NOTHING if each is None else _amount(each, share=share) for title, each in known.items()},
    }


def known_in_words(found: ValueInterval, *, share: bool, signed: bool = False) -> str:
    """`7 %` where it is known, `from 3 % to 33 %` where only its bounds are."""
    least, most = (_amount(each, share=share, signed=signed) for each in (found.least, found.most))
    return least if least == most else f"from {least} to {most}"


def chance_in_words(found: ValueInterval, *, share: bool) -> str:
    """The interval of a difference."""
    if found.low is None or found.high is None:
        return "nothing tells it"
    return " to ".join(_amount(each, share=share, signed=True) for each in (found.low, found.high))


def _amount(value: float, *, share: bool, signed: bool = False) -> str:
    if share:
        return f"{100 * value:+.1f} points" if signed else words.percent(100 * value)
    return f"{value:+,.4g}" if signed else f"{value:,.4g}"
