"""Who may read the days of tables, digests and the history of signals."""

from __future__ import annotations

from tests.stories.ask import Ask, Asking

ASKS = {
    "get_table_days": Asking(" oum", lambda _: Ask("/api/data/actions/days?window=7d")),
    "get_digest": Asking(" oum", lambda _: Ask("/api/insight/digest")),
    "get_asking_worth": Asking(" oum", lambda _: Ask("/api/insight/asking?window=7d&tolerated=0.1")),
    "get_signal_history": Asking("aoum", lambda _: Ask("/api/insight/signals?window=7d")),
}
