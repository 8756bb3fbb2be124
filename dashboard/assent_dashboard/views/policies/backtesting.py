"""The backtest of the draft that is open: begun by a press, run beside the page, shown when it is there.

Keys: `policy_backtest` (the button), `policy_as_live` (whether history counts for rate limits), `policy_running`.
"""

from __future__ import annotations

import json

import streamlit as st

from assent.contract.rules import PolicyType
from assent.errors import ApiError
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.policies.comparing import Compared, TooMany, compare, question, with_draft
from assent_dashboard.views.policies.data import Listing
from assent_dashboard.views.policies.diff import draw_diff
from assent_dashboard.views.policies.draft import Draft
from assent_dashboard.views.policies.running import Running, draw_running
from assent_dashboard.views.scope import Scope, in_words

STATE, AS_LIVE = "assent_policy_backtest", "policy_as_live"
SOON = 0.4
"""In seconds: what is answered by then is shown without a detour."""


def asks(draft: Draft, listing: Listing, scope: Scope) -> str | None:
    """What a backtest of the draft would answer; None for a draft that cannot be read."""
    if draft.wrong() is not None:
        return None
    told = [draft.policy_id, question(draft.policy()), listing.version, scope.window, scope.agent_id, _as_live(draft)]
    return json.dumps(told)


def latest(asked: str | None) -> Compared | None:
    """The answer to just this question, when there is one."""
    running = st.session_state.get(STATE)
    return running.answer if isinstance(running, Running) and running.done and running.question == asked else None


def draw_backtest(session: Session, draft: Draft, listing: Listing, scope: Scope, *, sound: bool) -> None:
    asked = asks(draft, listing, scope)
    running: Running[Compared] | None = st.session_state.get(STATE)
    busy = running is not None and not running.done
    st.caption(
        f"Every decision of {in_words(scope.window)} is decided again with this draft enforced; nothing is recorded. "
        "Choose another window or agent above."
    )
    if draft.policy_type == PolicyType.RATE_LIMIT:
        st.session_state.setdefault(AS_LIVE, True)
        st.toggle(
            "Count simulated and imported actions too",
            key=AS_LIVE,
            help="Guard counts live actions only. Counting the others shows what the limit would do on such traffic.",
        )
    pressed = st.button(
        "Backtest", key="policy_backtest", type="primary", icon=":material/history:", disabled=not sound or busy
    )
    if pressed and asked is not None:
        running = st.session_state[STATE] = begin(session, draft, listing, scope, asked)
        if running is not None and running.wait(SOON):
            st.rerun()
    _show(session, running, asked, scope)


def begin(session: Session, draft: Draft, listing: Listing, scope: Scope, asked: str) -> Running[Compared] | None:
    policy, client, live = draft.policy(), session.client, _as_live(draft)
    base = None if draft.base is None else draft.base.policy_id
    try:
        with_draft(listing.policies, policy, base)
    except TooMany as error:
        st.error(words.plain(str(error)), icon=":material/error:")
        return None
    return Running(
        lambda: compare(
            client,
            listing.policies,
            policy,
            base,
            window=scope.window,
            agent_id=scope.agent_id,
            history_as_live=live,
        ),
        asked,
    )


def _show(session: Session, running: Running[Compared] | None, asked: str | None, scope: Scope) -> None:
    if running is None:
        return
    if not running.done:
        draw_running(running, "Backtesting.", key="policy_running")
        return
    if running.error is not None:
        detail = running.error.detail if isinstance(running.error, ApiError) else str(running.error)
        st.error(f"The backtest did not come to an end. {words.plain(detail)}", icon=":material/error:")
        return
    if running.question != asked or running.answer is None:
        st.caption(":material/update: The draft, the policies or the window changed since. Backtest it again.")
        return
    st.caption(f"It took {words.exact(running.seconds)}.")
    draw_diff(running.answer, scope.window, session.clock.now())


def _as_live(draft: Draft) -> bool:
    return draft.policy_type == PolicyType.RATE_LIMIT and bool(st.session_state.get(AS_LIVE, True))
