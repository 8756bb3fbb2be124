"""The history of rules below the list of policies: who changed what when, from what to what, and what moved with it.

Keys: `policies_history` (the whole), `policy_change_<id>` (a change), `policy_moved_<id>` (its button),
`policy_moved` (what moved).
"""

from __future__ import annotations

import json

import streamlit as st

from assent.contract.analysis.changes import (
    BeforeAfter,
    ChangeWhat,
    MeasuredEffect,
    PlaceboResult,
    RuleChange,
    RuleKind,
)
from assent.errors import ApiError
from assent_analytics.changes import WHAT, measures_frame
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.blocks import some
from assent_dashboard.views.export import draw_export
from assent_dashboard.views.policies.backtest import Running, draw_running
from assent_dashboard.views.policies.data import HISTORY, PolicyList

STATE = "assent_policy_moved"
SOON = 0.4
LONGEST = 300
"""Characters of a value that are shown; the export has all."""
KINDS = {
    RuleKind.POLICY: "policy",
    RuleKind.RISK_TEMPLATE: "risk template",
    RuleKind.SCORING_PROFILE: "scoring profile",
    RuleKind.SCORING_DIMENSION: "dimension of a scoring profile",
}
DONE = {ChangeWhat.CREATED: "made", ChangeWhat.CHANGED: "changed", ChangeWhat.REMOVED: "removed"}
PLACEBOS = {
    PlaceboResult.PASSED: "Earlier dates, where nothing changed, show no difference; that shows little.",
    PlaceboResult.FAILED: "Earlier dates, where nothing changed, show a difference too.",
    PlaceboResult.INSUFFICIENT_DATA: "There is too little before it to try earlier dates.",
}


def draw_history(session: Session, listing: PolicyList) -> None:
    found = listing.history()
    if not found.changes:
        return
    st.header("Changes", anchor=False)
    with st.container(key="policies_history", gap="small"):
        st.caption(
            f"Policies, risk templates and scoring profiles, newest first: {words.several(found.total, 'change')}"
            + (f", of which the newest {HISTORY} are here." if found.total > HISTORY else ".")
        )
        some(found.changes, lambda change: _change(session, change), name="policies_history")


def _change(session: Session, change: RuleChange) -> None:
    with st.container(border=True, key=f"policy_change_{change.change_id}", gap="small"):
        st.markdown(
            f"{KINDS[change.kind].capitalize()} **{words.plain(change.name)}** {DONE[change.what]} by "
            f"{words.plain(change.by_name or change.by)} {words.ago(change.at, session.clock.now())}"
        )
        lines = [
            f"- {words.plain(each.member)}: {_value(each.before)} → {_value(each.after)}"
            for each in change.members
            if change.what is ChangeWhat.CHANGED or each.after not in (None, [], {})
        ]
        if lines:
            st.markdown("\n".join(lines))
        running: Running[BeforeAfter] | None = st.session_state.get(STATE)
        if change.kind in (RuleKind.POLICY, RuleKind.RISK_TEMPLATE):
            pressed = st.button(
                "Before and after",
                key=f"policy_moved_{change.change_id}",
                icon=":material/compare_arrows:",
                type="tertiary",
                disabled=running is not None and not running.done,
            )
            if pressed:
                client = session.client
                running = Running(lambda: client.before_after(change.change_id), change.change_id)
                st.session_state[STATE] = running
                running.wait(SOON)
        if running is not None and running.question == change.change_id:
            _show(running)


def _show(running: Running[BeforeAfter]) -> None:
    if not running.done:
        draw_running(running, "Comparing.", key="policy_moved_running")
        return
    if running.error is not None:
        detail = running.error.detail if isinstance(running.error, ApiError) else str(running.error)
        st.error(f"The comparison did not come to an end. {words.plain(detail)}", icon=":material/error:")
        return
    if running.answer is not None:
        draw_moved(running.answer)


def draw_moved(found: BeforeAfter) -> None:
    """What moved, measure by measure, with what it rests on."""
    with st.container(key="policy_moved", gap="small"):
        st.markdown(
            f"**What moved** within {words.plain(found.window)} before and after: "
            f"{words.several(found.n, 'decision')}, of which the change could reach "
            f"{words.amount(found.touched)}: {words.plain(found.reach)}."
        )
        for measure in found.measures:
            st.markdown(f"- {words.plain(measure.sentence)}")
        st.caption(words.plain(basis_in_words(found)))
        if found.simulated:
            st.caption(f":material/science: A simulator made {words.several(found.simulated, 'decision')} of these.")
        if found.others:
            st.caption(
                ":material/warning: Other changes in the same time, whose doing it may be: "
                + "; ".join(words.plain(each) for each in found.others)
            )
        table = measures_frame(found)
        told = "; ".join(measure.sentence for measure in found.measures)
        with st.expander("As a table"):
            st.dataframe(table, hide_index=True, alt=f"What moved with the change. {told}")
        draw_export("policy-before-after", {"measures": table}, found.window)


def basis_in_words(found: BeforeAfter) -> str:
    """What the intervals rest on."""
    known = [each for each in found.measures if each.low is not None]
    if not known:
        return "Nothing can be said of any measure; each says why."
    most = max(known, key=lambda each: each.before.n + each.after.n)
    season = " and ".join((*most.season, *most.mix)) or "nothing"
    return (
        f"A cluster is one {found.basis}; intervals compare {most.blocks_before} blocks of time before with "
        f"{most.blocks_after} after. Standardised on {season}. {_placebos(known)} Of five measures that nothing moved, "
        "one or more shows a difference in up to one of four answers."
    )


def _placebos(known: list[MeasuredEffect]) -> str:
    failed = [WHAT[each.measure].lower() for each in known if each.placebo is PlaceboResult.FAILED]
    if failed:
        return f"{PLACEBOS[PlaceboResult.FAILED][:-1]} for: {', '.join(failed)}."
    passed = any(each.placebo is PlaceboResult.PASSED for each in known)
    return PLACEBOS[PlaceboResult.PASSED if passed else PlaceboResult.INSUFFICIENT_DATA]


def _value(value: object) -> str:
    if value is None:
        return "nothing"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return words.code(words.shorten(text, LONGEST))
