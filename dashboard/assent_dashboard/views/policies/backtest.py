"""The backtest of the draft that is open: begun by a press, run in a thread beside the page, shown when it is there.

Keys: `policy_backtest` (the button), `policy_as_live` (whether history counts for rate limits), `policy_running`.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

import streamlit as st

from assent.contract.control.rules import PolicyType
from assent.errors import ApiError, AssentError
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.addresses import Scope, in_words
from assent_dashboard.views.controls import draw_again, hold
from assent_dashboard.views.policies.data import PolicyList
from assent_dashboard.views.policies.diff import BacktestDiff, TooMany, compare, draw_diff, question, with_draft
from assent_dashboard.views.policies.draft import EditedPolicy

STATE, AS_LIVE = "assent_policy_backtest", "policy_as_live"
SOON = 0.4
"""In seconds: what is answered by then is shown without a detour."""


def asks(draft: EditedPolicy, listing: PolicyList, scope: Scope) -> str | None:
    """What a backtest of the draft would answer; None for a draft that cannot be read."""
    if draft.wrong() is not None:
        return None
    told = [draft.policy_id, question(draft.policy()), listing.version, scope.window, scope.agent_id, _as_live(draft)]
    return json.dumps(told)


def latest(asked: str | None) -> BacktestDiff | None:
    """The answer to just this question, when there is one."""
    running = st.session_state.get(STATE)
    return running.answer if isinstance(running, Running) and running.done and running.question == asked else None


def draw_backtest(session: Session, draft: EditedPolicy, listing: PolicyList, scope: Scope, *, sound: bool) -> None:
    asked = asks(draft, listing, scope)
    running: Running[BacktestDiff] | None = st.session_state.get(STATE)
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


def begin(
    session: Session, draft: EditedPolicy, listing: PolicyList, scope: Scope, asked: str
) -> Running[BacktestDiff] | None:
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


def _show(session: Session, running: Running[BacktestDiff] | None, asked: str | None, scope: Scope) -> None:
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


def _as_live(draft: EditedPolicy) -> bool:
    return draft.policy_type == PolicyType.RATE_LIMIT and bool(st.session_state.get(AS_LIVE, True))


# Something that takes a while, begun in a thread and waited for without holding up the page.


T = TypeVar("T")

LOOK_SECONDS = 0.5


class Running(Generic[T]):
    """Asks at once. `question` tells what it answers; what asking raised is in `error`."""

    def __init__(self, ask: Callable[[], T], question: Hashable) -> None:
        self.question, self.begun = question, time.monotonic()
        self.ended: float | None = None
        self.answer: T | None = None
        self.error: AssentError | None = None
        self._ask = ask
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    @property
    def done(self) -> bool:
        return self.ended is not None

    @property
    def seconds(self) -> float:
        return (self.ended or time.monotonic()) - self.begun

    def wait(self, seconds: float) -> bool:
        """Whether it is done, at the latest after so many seconds."""
        self._thread.join(seconds)
        return self.done

    def _run(self) -> None:
        try:
            self.answer = self._ask()
        except AssentError as error:
            self.error = error
        finally:
            self.ended = time.monotonic()


def draw_running(running: Running[T], what: str, *, key: str) -> None:
    """How long it has taken so far; the page is drawn anew once it is done."""
    hold()

    @st.fragment(run_every=LOOK_SECONDS)
    def look() -> None:
        if running.done:
            draw_again()
        with st.container(key=key):
            st.markdown(f":material/hourglass_top: {what} {words.span(running.seconds)} so far; the page stays usable.")

    look()
