"""How often each policy matches in the window: counted by the service, beside the page.

The service decides every decision of the window again, which takes seconds over a million of them; so the list stands
before the numbers do. They are counted anew when the policies, the window or the agent are others.
"""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from assent.contract.backtest import Backtest
from assent.errors import ApiError
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.policies.data import Listing
from assent_dashboard.views.policies.running import Running, draw_running
from assent_dashboard.views.scope import Scope, in_words

STATE = "assent_policy_matches"
SOON = 0.25


@dataclass(frozen=True)
class Matches:
    running: Running[Backtest] | None

    @property
    def found(self) -> Backtest | None:
        return None if self.running is None else self.running.answer

    def tell(self, scope: Scope) -> None:
        """What is known of the numbers, above the list."""
        running = self.running
        if running is None:
            return
        if not running.done:
            draw_running(running, "Counting how often each policy matches.", key="policies_counting")
        elif running.error is not None:
            detail = running.error.detail if isinstance(running.error, ApiError) else str(running.error)
            st.caption(f":material/info: How often they match cannot be counted. {words.plain(detail)}")
        elif running.answer is not None and running.answer.n:
            st.caption(
                f"Matches are counted by deciding all {words.several(running.answer.n, 'decision')} of "
                f"{in_words(scope.window)} again by today's policies."
            )


def counted(session: Session, scope: Scope, listing: Listing) -> Matches:
    """The numbers, or their being counted."""
    if not listing.policies:
        return Matches(None)
    asked = (listing.version, scope.window, scope.agent_id)
    running = st.session_state.get(STATE)
    if not isinstance(running, Running) or running.question != asked:
        client = session.client
        running = st.session_state[STATE] = Running(
            lambda: client.backtest(None, scope.window, agent_id=scope.agent_id), asked
        )
        running.wait(SOON)
    return Matches(running)
