"""Agents and action types seen lately, to choose from. Kept for a minute, for each key by itself."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from assent import Client
from assent_dashboard.sessions import Session

LATELY = 500
"""The newest decisions, whose agents and types are offered."""
KEPT_SECONDS = 60.0


@dataclass(frozen=True)
class Names:
    """In the alphabet's order."""

    agents: tuple[str, ...]
    types: tuple[str, ...]


def names(session: Session) -> Names:
    return _names(session.key.key_id, session.client)


@st.cache_data(ttl=KEPT_SECONDS, max_entries=100, show_spinner=False)
def _names(key_id: str, _client: Client) -> Names:
    lately = _client.get_guard_decisions(limit=LATELY).decisions
    agents = {row.agent_id for row in lately if row.agent_id}
    return Names(agents=tuple(sorted(agents)), types=tuple(sorted({row.action_type for row in lately})))
