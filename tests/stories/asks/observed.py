"""Who may read what observing policies would have asked: whoever reads policies."""

from __future__ import annotations

from tests.stories.ask import Ask, Asking

ASKS = {
    "get_observed_decisions": Asking(" oum", lambda _: Ask("/api/policies/observed")),
}
