"""The draft, tried on a context: what guard would answer with it and without it, and which policies say so.

Keys: `policy_context` (the JSON), `policy_recent` (a recent decision to take it from), `policy_try` (the button),
`policy_tried` (the result).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from assent import Client, GuardDecision
from assent.contract.conditions import in_words
from assent.contract.control.guard import GuardResult
from assent.errors import ApiError
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.policies.data import OFFERED, PolicyList, context_of
from assent_dashboard.views.policies.diff import TooMany, as_draft, decision_in_words, with_draft
from assent_dashboard.views.policies.draft import EditedPolicy

CONTEXT, RECENT, TRIED, TAKEN = "policy_context", "policy_recent", "assent_policy_tried", "assent_policy_context_of"
EXAMPLE = {
    "action_type": "pay",
    "agent_id": "bot",
    "declared_goal": "Pay the invoice",
    "systems_touched": ["billing"],
    "reversible": False,
    "risk_score": 70,
    "metadata": {"amount": 900},
}
LONGEST = 64_000


@dataclass(frozen=True)
class PolicyTrial:
    """`problem` says why there is no answer."""

    question: str
    names: Sequence[str] = ()
    with_draft: GuardResult | None = None
    without: GuardResult | None = None
    problem: str | None = None


def draw_trial(session: Session, draft: EditedPolicy, listing: PolicyList, *, sound: bool) -> None:
    recent = {each.decision_id: each for each in listing.lately[:OFFERED]}
    _prefill(session.client, list(recent.values()))
    st.selectbox(
        "Take the context of a recent decision",
        list(recent),
        format_func=lambda each: _label(recent[each]) if each in recent else each,
        key=RECENT,
        index=None,
        placeholder="Choose one" if recent else "There are no decisions in this window",
        disabled=not recent,
        on_change=lambda: _take(session.client, recent.get(str(st.session_state.get(RECENT)))),
    )
    st.text_area("What guard is asked (JSON)", key=CONTEXT, height=220, max_chars=LONGEST)
    pressed = st.button("Try it", key="policy_try", icon=":material/play_arrow:", disabled=not sound)
    question = json.dumps([draft.data, listing.version, st.session_state.get(CONTEXT)], sort_keys=True, default=str)
    if pressed:
        st.session_state[TRIED] = attempt(session.client, draft, listing, str(st.session_state[CONTEXT]), question)
    tried = st.session_state.get(TRIED)
    with st.container(key="policy_tried"):
        if isinstance(tried, PolicyTrial) and tried.question == question:
            _draw(tried)
        elif isinstance(tried, PolicyTrial):
            st.caption("The draft or the context changed since it was tried. Try it again.")


def attempt(client: Client, draft: EditedPolicy, listing: PolicyList, text: str, question: str) -> PolicyTrial:
    try:
        context = read_context(text)
        base = None if draft.base is None else draft.base.policy_id
        drafts, _ = with_draft(listing.policies, draft.policy(), base)
        others = [as_draft(policy) for policy in listing.policies if policy.policy_id != base]
        after = client.test_policies(context, drafts).result
        before = client.test_policies(context, others).result
    except (TooMany, ValueError) as error:
        return PolicyTrial(question, problem=str(error))
    except ApiError as error:
        return PolicyTrial(question, problem=error.detail)
    return PolicyTrial(question, [each.name for each in drafts], after, before)


def read_context(text: str) -> dict[str, Any]:
    """Raises ValueError that says where the text is wrong."""
    try:
        context = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"Line {error.lineno}, column {error.colno}: {error.msg}. Mend the JSON there.") from None
    except RecursionError:
        raise ValueError("The JSON is nested too deep.") from None
    if not isinstance(context, dict):
        raise ValueError("A context is a JSON object: { … }.")
    return context


def fields_of(text: object) -> list[str]:
    """The members of the context that is being tried, as far as it can be read."""
    try:
        return list(read_context(str(text or "")))
    except ValueError:
        return []


def matched_names(result: GuardResult, names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Names of the enforced and of the observed policies that matched; a tried one's id ends with its place."""

    def named(policy_id: str) -> str:
        _, _, place = policy_id.rpartition("_")
        return names[int(place)] if place.isdigit() and int(place) < len(names) else policy_id

    return [named(each) for each in result.matched_policies], [named(each) for each in result.observed_policies]


def said_by(result: GuardResult) -> list[str]:
    """Guard's reasons and warnings, as people say them."""
    return [in_words(each) for each in [*result.reasons, *result.warnings]]


def _draw(tried: PolicyTrial) -> None:
    if tried.problem is not None:
        st.error(words.plain(tried.problem), icon=":material/error:")
    if tried.with_draft is None or tried.without is None:
        return
    now, then = tried.with_draft, tried.without
    same = " Nothing changes." if now.decision == then.decision else ""
    st.markdown(
        f"With this policy: {decision_in_words(now.decision)}  \nWithout it: {decision_in_words(then.decision)}{same}"
    )
    st.caption(f"Risk {now.risk_score:g}, as guard rates this context.")
    enforced, observed = matched_names(now, tried.names)
    for said in said_by(now):
        st.markdown(f":material/arrow_right: {words.plain(said)}")
    if enforced:
        st.markdown(f"Matched: {', '.join(words.plain(each) for each in enforced)}")
    if observed:
        would = (
            "" if now.would_decide is None else f"; with all of them enforced: {decision_in_words(now.would_decide)}"
        )
        st.markdown(f"Observed policies that matched: {', '.join(words.plain(each) for each in observed)}{would}")
    if not enforced and not observed:
        st.markdown("No policy matches this context.")


def _prefill(client: Client, recent: Sequence[GuardDecision]) -> None:
    if TAKEN in st.session_state:
        st.session_state.setdefault(CONTEXT, st.session_state[TAKEN])
        return
    st.session_state[TAKEN] = st.session_state[CONTEXT] = _written(EXAMPLE)
    if recent:
        _take(client, recent[0])


def _take(client: Client, decision: GuardDecision | None) -> None:
    if decision is None:
        return
    try:
        found = context_of(client, decision)
    except ApiError:
        found = None
    if found is not None:
        st.session_state[TAKEN] = st.session_state[CONTEXT] = _written(found)


def _written(context: dict[str, Any]) -> str:
    return json.dumps(context, indent=2, ensure_ascii=False)


def _label(decision: GuardDecision) -> str:
    goal = words.shorten(words.clean(decision.declared_goal) or "no goal declared", 50)
    who = words.clean(decision.agent_id) or "no agent"
    return f"{goal} · {words.clean(decision.action_type)} · {who} · {words.moment(decision.occurred_at)}"
