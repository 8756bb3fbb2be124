"""The page Drift, with a real service behind it; and what it reads, words and frames, without one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import msgspec
import pytest

from assent.contract.analysis.drift import ComparedMetric, DriftAlert, DriftDirection, DriftMetric, DriftSeverity
from assent.contract.control.guard import Source
from assent_dashboard.views import words as plain
from assent_dashboard.views.addresses import DriftAddress
from assent_dashboard.views.drift import words as said
from assent_dashboard.views.drift.data import (
    Focus,
    alerts_frame,
    comparison_frame,
    days_after,
    focus_of,
    possible,
    recent_of,
)
from tests.dashboard.analysis.drifting import drifted
from tests.dashboard.looker import Looker
from tests.live import WAIT, LiveService
from tests.stories.tenant import Tenant
from tests.tiers import deep

Look = Callable[..., Looker]
NOON = datetime(2026, 11, 12, 12, tzinfo=UTC)


def alert(**changes: Any) -> DriftAlert:
    base = DriftAlert(
        id="da_1",
        org_id="org_1",
        agent_id="payer",
        action_type="pay",
        metric="duration_ms",
        severity=DriftSeverity.CRITICAL,
        direction=DriftDirection.UP,
        description="",
        baseline_mean=1500.0,
        baseline_sd=100.0,
        baseline_n=40,
        recent_mean=5300.0,
        recent_n=12,
        z_score=38.0,
        n=52,
        e_value=212.4,
        threshold=100.0,
        change_estimated_at=NOON,
        detected_at=NOON + timedelta(hours=30),
        acknowledged=False,
        acknowledged_by=None,
        acknowledged_at=None,
        deleted_at=None,
        source=Source.SIMULATED,
        raised_n=9,
        created_at=NOON,
        updated_at=NOON,
    )
    return msgspec.structs.replace(base, **changes)


def metric(**changes: Any) -> DriftMetric:
    base = DriftMetric(
        name="duration_ms", published=None, kind="number", unit="ms", worse="up", meaning="how long", watched=True
    )
    return msgspec.structs.replace(base, **changes)


@pytest.mark.parametrize(
    ("unit", "number", "shown"),
    [
        ("ms", 1500.0, "1.50 s"),
        ("USD", 0.00251, "$0.00251"),
        ("share", 0.425, "42.5 %"),
        ("tokens", 1233.6, plain.amount(1234)),
        ("points", 79.46, "79.5"),
        ("ms", None, plain.NOTHING),
    ],
)
def test_a_value_is_written_in_its_unit(unit: str, number: float | None, shown: str) -> None:
    assert said.value(unit, number) == shown


def test_an_alert_says_from_what_to_what_since_when_and_how_sure() -> None:
    assert said.moved(alert(), "ms") == "went up from 1.50 s to 5.30 s"
    assert said.moved(alert(direction=DriftDirection.CHANGED), "ms").startswith("spreads otherwise")
    assert said.when(alert()) == (
        "Began about 12 Nov 2026, 12:00:00 UTC, after 40 values; certain 1 d 6 h and 12 values later"
    )
    assert said.sure(alert()).startswith("Evidence 212 : 1 against")


def test_an_established_alert_says_between_when_and_on_how_much_it_rests() -> None:
    assert (said.between(alert()), said.counted(alert())) == (None, None), "a hint"
    bounds = {"change_earliest_at": NOON - timedelta(hours=1), "change_latest_at": NOON + timedelta(hours=2)}
    told = alert(established=True, **bounds, clusters=12, n_effective=9.6, basis="session")
    assert said.between(told) == (
        "With a confidence of 95% it began between 12 Nov 2026, 11:00:00 UTC and 12 Nov 2026, 14:00:00 UTC"
    )
    assert said.counted(told) == "n: 52 values in 12 sessions, which count as 10 independent ones"
    hours = alert(clusters=40, n_effective=40.0, basis="hour")
    assert said.counted(hours) == "n: 52 values in 40 groups of one hour, which count as 40 independent ones"
    mixed = alert(clusters=30, n_effective=30.0, basis="session, else hour")
    assert (
        said.counted(mixed) == "n: 52 values in 30 sessions or groups of one hour, which count as 30 independent ones"
    )


@pytest.mark.parametrize(
    ("direction", "worse", "is_"),
    [
        ("up", "up", "worse"),
        ("down", "up", "better"),
        ("down", "down", "worse"),
        ("up", "down", "better"),
        ("changed", "up", "different"),
        ("up", "changed", "different"),
        (None, "up", "different"),
    ],
)
def test_a_direction_is_judged_by_what_is_worse(direction: str | None, worse: str, is_: str) -> None:
    assert said.judged(direction, metric(worse=worse)) == is_


@pytest.mark.parametrize(
    ("window", "recent"), [("30d", "7d"), ("90d", "14d"), ("7d", "1d"), ("2d", "1d"), ("1d", None)]
)
def test_the_recent_window_leaves_a_baseline(window: str, recent: str | None) -> None:
    assert recent_of(DriftAddress(window)) == recent
    assert all(int(each[:-1]) < DriftAddress(window).days for each in possible(DriftAddress(window).days))


def test_the_newest_alert_is_looked_at_unless_something_else_is_asked_for() -> None:
    first, second = alert(), alert(id="da_2", metric="risk_score", agent_id="other")
    assert focus_of(DriftAddress(), [first, second]).alert is first
    assert focus_of(DriftAddress(alert_id="da_2"), [first, second]) == Focus("risk_score", "other", "pay", second)
    assert focus_of(DriftAddress(metric="tokens", agent_id="a"), [first]) == Focus("tokens", "a", None)
    assert focus_of(DriftAddress(alert_id="gone", agent_id="a"), [first]) == Focus("success_rate", "a", None)


def test_frames_keep_their_types_without_a_row() -> None:
    assert alerts_frame([]).schema == alerts_frame([alert()]).schema
    assert alerts_frame([alert()])["severity"].to_list() == ["critical"]
    assert comparison_frame([]).height == 0


def test_a_row_of_a_comparison_is_one_of_three() -> None:
    numbers = dict.fromkeys(ComparedMetric.__struct_fields__)
    row = msgspec.convert(
        numbers
        | {"metric": "risk_score", "kind": "number", "status": "ok", "drifted": False}
        | dict.fromkeys(("n_baseline", "n_recent", "excluded", "simulated", "unmatched"), 0)
        | {"standardised": False},
        ComparedMetric,
    )
    assert said.verdict(row) == "not shown to drift"
    assert said.verdict(msgspec.structs.replace(row, drifted=True)) == "drifted"
    assert said.verdict(msgspec.structs.replace(row, status="insufficient_data")) == "not enough data"


def test_the_ledger_is_asked_for_the_days_since_the_change() -> None:
    assert days_after(NOON, NOON) == "1d"
    assert days_after(NOON, NOON + timedelta(days=6, hours=1)) == "7d"


@pytest.fixture
def risen(house: Tenant) -> DriftAlert:
    return drifted(house)


@pytest.fixture(scope="module")
def changed(page_service: LiveService) -> Iterator[tuple[Tenant, DriftAlert]]:
    """An organization with a change, for those who only look."""
    with httpx.Client(timeout=WAIT, trust_env=False) as http:
        tenant = Tenant(page_service, http)
        yield tenant, drifted(tenant)


def test_a_change_is_shown_with_its_moment_and_its_days(look: Look, changed: tuple[Tenant, DriftAlert]) -> None:
    tenant, risen = changed
    looker = look(tenant, "drift").draw()
    for each in (
        "Alerts · 2 open, 1 of them established",
        ":violet-badge[:material/verified: established]",
        ":gray-badge[hint]",
        f"Risk {said.moved(risen, 'points')}",
        "1 in 1",
        ":red-badge[worse]",
        "large change",
        said.when(risen),
        str(said.between(risen)),
        str(said.counted(risen)),
        "**Risk** of `bot` on `look`, the last 30 days",
        "1 of",
        "Actions since then",
    ):
        assert each in looker.words, each
    assert looker.page.selectbox(key="drift_metric").value == "risk_score"


@deep("a page's main ways are in the quick tier")
def test_a_second_look_asks_nothing(look: Look, changed: tuple[Tenant, DriftAlert]) -> None:
    looker = look(changed[0], "drift").draw()
    asked = looker.requests.take()
    assert sum("/api/drift/comparison" in each for each in asked) == 1
    looker.draw()
    assert looker.requests.take() == []


@deep("a page's main ways are in the quick tier")
def test_an_event_has_the_alerts_read_again(look: Look, house: Tenant) -> None:
    looker = look(house, "drift").draw()
    assert "Nothing is watched yet" in looker.words
    drifted(house)
    looker.feed.count += 1
    assert "Risk went up" in looker.draw().words


def test_an_operator_acknowledges_and_cannot_remove(look: Look, house: Tenant, risen: DriftAlert) -> None:
    looker = look(house, "drift").draw()
    assert looker.page.button(key=f"drift_removed_{risen.id}").disabled
    assert "an admin key is needed" in looker.words
    looker.press(f"drift_noted_{risen.id}")
    assert "Alerts · 1 open, 0 of them established" in looker.words
    with house.client("operator", None) as client:
        (alert,) = client.list_drift_alerts(acknowledged=True).alerts
    assert alert.acknowledged_by == house.key_ids["operator"]
    looker.page.query_params["alerts"] = "acknowledged"
    assert f"by `{house.key_ids['operator']}`" in looker.draw().words
    assert not looker.has(f"drift_noted_{risen.id}")


@deep("a page's main ways are in the quick tier")
def test_an_admin_removes(look: Look, house: Tenant, risen: DriftAlert) -> None:
    looker = look(house, "drift", "admin").draw()
    looker.press(f"drift_removed_{risen.id}")
    assert "Alerts · 1 open, 0 of them established" in looker.words
    with house.client("operator", None) as client:
        assert client.list_drift_alerts(established=True).total == 0


@deep("a page's main ways are in the quick tier")
def test_who_comes_second_is_told(look: Look, house: Tenant, risen: DriftAlert) -> None:
    looker = look(house, "drift").draw()
    house.call("DELETE", f"/api/drift/alerts/{risen.id}")
    assert "Somebody else removed this alert before" in looker.press(f"drift_noted_{risen.id}").words


def test_a_deep_link_chooses_the_metric_and_the_agent(look: Look, changed: tuple[Tenant, DriftAlert]) -> None:
    looker = look(changed[0], "drift")
    looker.page.query_params.update({"agent_id": "bot", "metric": "success_rate", "recent": "3d", "window": "14d"})
    looker.draw()
    assert "of `bot` on all types, the last 14 days" in looker.words
    assert looker.page.selectbox(key="drift_recent").value == "3d"
    looker.page.query_params["alert_id"] = "da_gone"
    assert "The alert `da_gone` is not in this list" in looker.draw().words


@deep("a page's main ways are in the quick tier")
def test_choosing_a_metric_keeps_the_agent_of_the_alert(look: Look, changed: tuple[Tenant, DriftAlert]) -> None:
    looker = look(changed[0], "drift").draw()
    looker.page.selectbox(key="drift_metric").set_value("success_rate").run()
    address = {name: "".join(value) for name, value in looker.page.query_params.items()}
    assert address == {"window": "30d", "metric": "success_rate", "agent_id": "bot", "action_type": "look"}
    assert "**Success rate** of `bot` on `look`" in looker.words


@deep("a page's main ways are in the quick tier")
def test_all_values_are_read_only_when_asked_for(look: Look, changed: tuple[Tenant, DriftAlert]) -> None:
    looker = look(changed[0], "drift").draw()
    assert not any("/api/data" in each for each in looker.requests.take())
    looker.page.toggle(key="drift_values").set_value(True).run()
    assert looker.requests.take() == ["GET /api/data/actions"]
    assert "where the bands part" in looker.words


def test_a_window_of_a_day_has_nothing_to_compare_with(look: Look, house: Tenant) -> None:
    looker = look(house, "drift")
    looker.page.query_params["window"] = "1d"
    assert "leaves nothing to compare with" in looker.draw().words


def test_what_strangers_wrote_does_nothing(look: Look, house: Tenant) -> None:
    drifted(house, "![x](http://192.0.2.1/a.png) :red[x]")
    looker = look(house, "drift").draw()
    drawn = [str(each.value) for each in looker.page.markdown]
    assert any("`![x](http" in each for each in drawn)
    assert not any("![" in each.replace("`![x](http://192.0.2.1/a.png) :red[x]`", "") for each in drawn)
