"""Who may push a state."""

from __future__ import annotations

from tests.stories.ask import Ask, Asking

ASKS = {"sync_state": Asking("ao m", lambda _: Ask("/api/sync", {"goals": [{"title": "Ship it"}]}))}
