"""The readiness page: with a real service behind it, and with summaries that a sound service does not give."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import httpx
import msgspec
import pytest

from assent.contract.analysis.readiness import RUNTIME_PROFILES, LastTest, ReadinessState, WorkspaceReadiness
from assent_dashboard.views import words
from assent_dashboard.views.addresses import LedgerAddress
from assent_dashboard.views.answers import PREFIX, CachedAnswer
from assent_dashboard.views.readiness.connection_test import newest
from assent_dashboard.views.readiness.page import HEALTH, READINESS
from assent_dashboard.views.readiness.steps import EvidenceLink, ReadinessStep, share_of, validation_steps
from tests.dashboard.analysis.summaries import AT, summary
from tests.dashboard.looker import Looker
from tests.live import WAIT, start_service
from tests.stories.tenant import Tenant
from tests.tiers import deep

Look = Callable[..., Looker]
SUMMARY, HEALTH_OF, TEST = "GET /api/readiness", "GET /api/pcaa/health", "POST /api/readiness/test"


def showing(looker: Looker, state: ReadinessState, **changed: object) -> str:
    """The page's words for a summary."""
    given = msgspec.structs.replace(summary(state, "Do the next thing."), **changed)
    now = time.monotonic()
    kept = looker.page.session_state
    kept[PREFIX + READINESS], kept[PREFIX + HEALTH] = CachedAnswer(given, now, None), CachedAnswer(None, now, None)
    return looker.draw().words


def test_a_new_workspace_says_what_it_is_and_what_to_do_next(look: Look, house: Tenant) -> None:
    shared = house.key_ids["agent"]
    assert f"bound to no agent and can speak for any: the agent ({shared})" in look(house, "readiness").draw().words
    house.call("DELETE", f"/api/keys/{shared}")
    looker = look(house, "readiness").draw()
    assert "Ready but not fully verified" in str(looker.page.header[0].value)
    assert "**Next:** Run the connection test; there was none yet." in looker.words
    assert "It has not been run yet." in looker.words
    assert "Not available yet" in looker.words
    for profile in RUNTIME_PROFILES:
        for said in (profile.name, profile.surface_path, profile.approval, profile.evidence):
            assert said in looker.words
    assert "l1 → l2 → l3" in looker.words


def test_the_connection_test_is_one_press_and_tells_each_step(look: Look, house: Tenant) -> None:
    looker = look(house, "readiness").draw().press("test-connection")
    for step in ("Guard decided", "Written to the evidence log", "Found in the tables", "Heard on the live stream"):
        assert f":green[:material/check_circle:] **{step}**" in looker.words
    assert "Passed in" in looker.words
    action = house.call("GET", "/api/actions?action_type=connection_test")["actions"][0]
    assert f"/ledger?action_id={action['action_id']}" in looker.words
    assert action["status"] == "completed"
    assert "The newest one passed" in looker.words


@deep("a page's main ways are in the quick tier")
def test_a_connection_test_that_a_policy_stops_says_so(look: Look, house: Tenant) -> None:
    house.policy("No tests", "block_action_type", {"action_types": ["connection_test"]})
    looker = look(house, "readiness").draw().press("test-connection")
    assert ":red[:material/error:] **Outcome recorded**" in looker.words
    assert "Did not pass" in looker.words


def test_a_look_at_the_page_again_asks_nothing_and_checking_again_asks_for_the_summary(
    look: Look, house: Tenant
) -> None:
    looker = look(house, "readiness").draw()
    assert sorted(looker.requests.take()) == [HEALTH_OF, SUMMARY]
    assert looker.draw().requests.take() == []
    assert looker.press("check-again").requests.take() == [SUMMARY]
    assert sorted(looker.press("test-connection").requests.take()) == [SUMMARY, TEST]


def test_a_page_that_stays_open_is_asked_for_anew_after_a_minute(
    look: Look, house: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    looker = look(house, "readiness").draw()
    looker.requests.take()
    later = SimpleNamespace(monotonic=lambda: time.monotonic() + 61)
    monkeypatch.setattr("assent_dashboard.views.answers.time", later)
    assert sorted(looker.draw().requests.take()) == [HEALTH_OF, SUMMARY]


def test_a_service_that_went_away_fails_the_test_in_words(look: Look, tmp_path: Path) -> None:
    with start_service(tmp_path / "home") as service, httpx.Client(timeout=WAIT) as http:
        looker = look(Tenant(service, http), "readiness").draw()
    looker.page.button(key="test-connection").click().run()
    # The summary cannot be had either, and that ends this drawing; whoever builds the page tells it.
    assert looker.page.exception[0].message.startswith(f"no answer from {service.base_url}/api/readiness")


@pytest.mark.parametrize(
    "state",
    [
        pytest.param(each, marks=deep("one is in the quick tier")) if at else each
        for at, each in enumerate(ReadinessState)
    ],
)
def test_the_present_state_is_marked_and_every_state_explained(
    look: Look, house: Tenant, state: ReadinessState
) -> None:
    said = showing(look(house, "readiness"), state)
    marked = [line for line in said.splitlines() if ":blue-badge[now]" in line]
    assert len(marked) == 1
    assert summary(state).title in marked[0]
    assert "**Next:** Do the next thing." in said
    assert all(summary(each).meaning in said for each in ReadinessState)


@deep("a page's main ways are in the quick tier")
def test_the_servers_time_is_absolute_and_relative(look: Look, house: Tenant) -> None:
    said = showing(look(house, "readiness"), ReadinessState.VERIFIED)
    assert "Last checked, by the service's clock: 20 Nov 2026, 14:02:07 UTC (just now)" in said


def test_what_is_wrong_comes_first(look: Look, house: Tenant) -> None:
    said = showing(look(house, "readiness"), ReadinessState.BLOCKED)
    places = [said.index(title) for title in ("**Disk space**", "**Kill switch**", "**Evidence log**")]
    assert places == sorted(places)
    assert ":red[:material/error:] **Disk space** :gray-badge[core]" in said
    assert "1 % is left: make room." in said
    assert ":orange[:material/warning:] **Kill switch**\n" in said.replace("  \n", "\n"), "it is not a core check"


def test_shares_tell_their_n_and_are_never_rounded_up(look: Look, house: Tenant) -> None:
    looker = look(house, "readiness")
    said = showing(looker, ReadinessState.READY_UNVERIFIED)
    shown = {metric.label: metric.value for metric in looker.page.metric}
    assert shown == {"Governed": "99.9 %", "Approvals decided": "–", "Proven": "–"}
    assert "**9\u202f997 of 10\u202f000 actions.** A of B." in said
    assert [share_of(share) for share in summary(ReadinessState.BLOCKED).shares[1:]] == [
        "Nothing to count yet",
        "Not available yet",
    ]


@deep("a page's main ways are in the quick tier")
def test_simulated_actions_are_said_to_be(look: Look, house: Tenant) -> None:
    assert "Simulated data" not in showing(look(house, "readiness"), ReadinessState.VERIFIED)
    said = showing(look(house, "readiness"), ReadinessState.VERIFIED, simulated=1200)
    assert "**Simulated data.** A simulator made 1\u202f200 actions" in said


@deep("a page's main ways are in the quick tier")
def test_a_summary_without_checkpoints_says_why_there_are_none(look: Look, house: Tenant) -> None:
    assert "The service cannot count this just now" in showing(look(house, "readiness"), ReadinessState.BLOCKED)


@deep("a page's main ways are in the quick tier")
def test_the_checkpoints_of_a_month_have_three_numbers_with_their_n(look: Look, house: Tenant) -> None:
    looker = look(house, "readiness").draw()
    assert [metric.value for metric in looker.page.metric][-3:] == ["–", "–", "–"], "nothing is nothing, not 0 %"
    house.create("look", agent_id="bot")
    looker.page.session_state[PREFIX + HEALTH] = None
    looker.draw()
    coverage, asked, evidence = looker.page.metric[-3:]
    # Admissibility and opening are there, and the outcome is not due while the action runs.
    assert (coverage.label, coverage.value) == ("Checkpoint coverage", "100 %")
    assert (asked.label, asked.value) == ("Reached approval", "0 %")
    found = house.call("GET", "/api/pcaa/health?window=30d")
    assert (evidence.label, evidence.value) == ("Evidence completion", words.percent(found["evidenceCompletion"]))
    assert looker.words.count("Over 1 action.") == 3


def test_the_newest_test_is_told_with_its_age() -> None:
    assert newest(None, AT) == "It has not been run yet."
    assert newest(LastTest(action_id="act_1", at=AT, passed=True), AT + timedelta(hours=2)) == (
        "The newest one passed, 2 h ago."
    )
    assert "did not pass" in newest(LastTest(action_id="act_1", at=AT, passed=False), AT)


def test_each_step_tells_what_was_looked_at_what_was_found_and_where(look: Look, house: Tenant) -> None:
    looker = look(house, "readiness").draw()
    for said in (
        "Whether the log takes writes.",
        "Writes are taken.",
        "(/proof)",
        "(/settings?section=kill-switch)",
        "(/policies)",
        "None was run yet.",
        "**To do:** Press the button above.",
    ):
        assert said in looker.words, said
    looker.press("test-connection")
    action = house.call("GET", "/api/actions?action_type=connection_test")["actions"][0]
    steps = {step.name: step for step in validation_steps(looker.client.get_readiness(), datetime.now(UTC))}
    assert steps["connection_test"].status == "pass"
    assert steps["connection_test"].seen == EvidenceLink(
        LedgerAddress, "Its action", {"action_id": action["action_id"]}
    )


def test_steps_that_cannot_be_judged_are_open_and_low_shares_are_warned_of() -> None:
    ready = summary(ReadinessState.READY_UNVERIFIED)
    assert {step.name: step.status for step in validation_steps(ready, AT)} == {
        "disk": "fail",
        "halt": "warn",
        "connection_test": "open",
        "approval": "open",
        "proof": "open",
        "log": "pass",
        "governed": "pass",
    }
    low, few = (
        msgspec.structs.replace(ready.shares[0], percent=100 * count / n, count=count, n=n)
        for count, n in ((18, 20), (1, 19))
    )
    for share, status, said in ((low, "warn", "90 %: 18 of 20 actions."), (few, "open", "Too few to judge by.")):
        step = next(
            each
            for each in validation_steps(msgspec.structs.replace(ready, shares=[share]), AT)
            if each.name == "governed"
        )
        assert step.status == status
        assert said in step.evidence
    assert "Have agents ask before they act" in _step(ready, shares=[low], name="governed").todo


@pytest.mark.parametrize(
    ("hours", "passed", "status"), [(23, True, "pass"), (25, True, "open"), (1, False, "warn"), (25, False, "open")]
)
def test_a_connection_test_counts_for_a_day(hours: int, passed: bool, status: str) -> None:
    ready = summary(ReadinessState.READY_UNVERIFIED)
    last = LastTest(action_id="act_1", at=AT - timedelta(hours=hours), passed=passed)
    step = _step(ready, last_test=last, name="connection_test")
    assert step.status == status
    assert bool(step.todo) == (status != "pass")


@deep("a page's main ways are in the quick tier")
def test_every_check_of_the_service_has_a_title_and_says_what_was_looked_at(look: Look, house: Tenant) -> None:
    readiness = look(house, "readiness").client.get_readiness()
    assert all(step.looked for step in validation_steps(readiness, datetime.now(UTC)))


def test_the_snippets_carry_the_services_address_and_no_key(look: Look, house: Tenant) -> None:
    looker = look(house, "readiness").draw()
    codes = [str(each.value) for each in looker.page.code]
    assert len(codes) == 8
    assert sum(house.service.base_url in each for each in codes) == 8
    assert not any(key in each for key in house.keys.values() for each in codes)


def _step(readiness: WorkspaceReadiness, *, name: str, **changed: object) -> ReadinessStep:
    steps = validation_steps(msgspec.structs.replace(readiness, **changed), AT)
    return next(step for step in steps if step.name == name)
