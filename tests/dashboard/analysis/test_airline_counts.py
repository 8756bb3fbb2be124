"""The airline transcripts on the pages: the numbers of the API and of the frames, and no others."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from assent_analytics import decisions
from assent_dashboard.views import words
from tests.dashboard.evidence.ledger_page import LedgerPage
from tests.dashboard.looker import Looker
from tests.stories.tenant import Tenant
from tests.stories.test_import import ASKED, BLOCKED, FILE, calls, imported
from tests.tiers import deep

pytestmark = [
    pytest.mark.skipif(not FILE.is_file(), reason="the airline transcripts are not beside the repository"),
    deep("whole transcripts"),
]
WINDOW = "365d"


@pytest.fixture
def airline(house: Tenant) -> Tenant:
    house.policy("No cancellations", "block_action_type", {"action_types": sorted(BLOCKED)})
    house.policy("Ask before booking", "require_approval", {"action_types": sorted(ASKED)})
    imported(house)
    return house


def test_the_pages_say_what_the_api_and_the_frames_count(airline: Tenant, look: Callable[..., Looker]) -> None:
    every = len(list(calls()))
    with airline.client("operator") as client:
        stats = client.get_actions(limit=1, days=365).stats
        frame = client.frame("actions", window=WINDOW, columns=["status"])
        mix = decisions.mix(client.frame("decisions", window=WINDOW)).collect().row(0, named=True)
    by_status = dict(frame["status"].value_counts().iter_rows())
    assert every == frame.height == stats.total == mix["n"]

    page = LedgerPage.of(look, airline, window=WINDOW).words
    assert words.several(every, "action") in page
    assert f"{words.amount(by_status['completed'])} completed" in page
    assert f"{words.amount(by_status['failed'])} failed" in page
    assert (stats.completed, stats.failed) == (by_status["completed"], by_status["failed"])

    for verdict in ("allow", "warn", "require_approval", "block"):
        asked = LedgerPage.of(look, airline, window=WINDOW, view="decisions", decision=verdict).words
        assert words.several(mix[verdict], "decision") in asked or mix[verdict] == 0

    # The import spreads its history over 30 days, and the window moves on: the oldest actions leave it one by one.
    with airline.client("operator") as client:
        before = client.get_pcaa_health("30d").n.checkpointCoverage
        readiness = look(airline, "readiness").draw().words
        after = client.get_pcaa_health("30d").n.checkpointCoverage
    possible = [f"Over {words.several(n, 'action')}" for n in range(after, before + 1)]
    assert 0 < after <= before <= every
    assert any(each in readiness for each in possible), possible
