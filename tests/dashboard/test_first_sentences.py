"""The first sentence of pages: their answer, with its numbers; without a service, but for where it stands."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any, cast

import pytest

from assent import Approval, ApprovalState, Key, Role, Webhook
from assent.contract.analysis.drift import DriftSeverity
from assent.contract.control.actions import ActionStatus
from assent.contract.control.loops import LoopType
from assent.contract.control.policies import Mode, Policy
from assent.contract.control.signals import Severity
from assent.contract.evidence.certificates import Certificate
from assent.contract.evidence.pcaa import CheckpointId
from assent.contract.evidence.pcaa_gaps import PcaaGap, PcaaGaps
from assent_dashboard.views.agents.roster import Roster, signalled
from assent_dashboard.views.approvals.history import end_in_words
from assent_dashboard.views.drift import words as drift_words
from assent_dashboard.views.drift.data import newest_first
from assent_dashboard.views.learning.recommendations import drift_warned
from assent_dashboard.views.ledger.page import status_in_words
from assent_dashboard.views.messages.words import LOOPS
from assent_dashboard.views.pcaa import headline as pcaa_headline
from assent_dashboard.views.policies.listing import headline as policies_headline
from assent_dashboard.views.proof.certificate import standing
from assent_dashboard.views.settings.keys import headline as keys_headline
from assent_dashboard.views.settings.webhooks import headline as webhooks_headline
from tests.dashboard.analysis.test_drift import alert
from tests.dashboard.looker import Looker
from tests.stories.tenant import Tenant

Look = Callable[..., Looker]
NOW = datetime(2026, 11, 20, 14, 2, 7, tzinfo=UTC)


def some(**members: Any) -> Any:
    """Whatever has these members."""
    return SimpleNamespace(**members)


def test_pcaa_says_how_many_have_everything_and_what_is_missing_most() -> None:
    gaps = [
        PcaaGap(
            id=each, agent_id=agent, action_type="pay", expected=expected, missing=missing, newest_action_id="act_1"
        )
        for each, agent, expected, missing in (
            (CheckpointId.APPROVAL, "bot", 9, 2),
            (CheckpointId.OUTCOME_CLOSURE, None, 40, 12),
        )
    ]
    found = cast(PcaaGaps, some(all=some(n=600, incomplete=20), gaps=gaps))
    assert pcaa_headline(found) == (
        "580 of 600 actions (96.7 %) have every checkpoint that they owe, or may still have it. Missing most: Outcome, "
        "from 12 of 40 actions of an agent without a name."
    )
    found = cast(PcaaGaps, some(all=some(n=1, incomplete=0), gaps=[]))
    assert pcaa_headline(found) == "1 of 1 action (100 %) has every checkpoint that they owe, or may still have it."


@pytest.mark.parametrize(
    ("states", "said"),
    [
        ("EEE", "Guard goes by 3 policies."),
        ("EO", "Guard goes by 1 policy; 1 more only observes."),
        ("EOOX", "Guard goes by 1 policy; 2 more only observe, and 1 is off."),
        ("OXX", "No policy is enforced, so guard allows everything; 1 only observes, and 2 are off."),
    ],
)
def test_policies_say_how_many_count(states: str, said: str) -> None:
    policies = [some(active=each != "X", mode=Mode.OBSERVE if each == "O" else Mode.ENFORCE) for each in states]
    assert policies_headline(cast(list[Policy], policies)) == said


def test_drift_begins_with_the_newest_day_and_of_it_with_what_is_established() -> None:
    day = timedelta(days=1)
    at = datetime(2026, 11, 12, 18, tzinfo=UTC)
    large = alert(id="large", detected_at=at)
    hint = alert(id="hint", detected_at=at + timedelta(hours=4), severity=DriftSeverity.INFO)
    sure = alert(id="sure", detected_at=at - timedelta(hours=1), severity=DriftSeverity.INFO, established=True)
    old = alert(id="old", detected_at=at - 9 * day, established=True)
    new = alert(id="new", detected_at=at + day, severity=DriftSeverity.WARNING)
    found = newest_first([old, hint, sure, large, new])
    assert [each.id for each in found] == ["new", "sure", "large", "hint", "old"]
    assert drift_words.headline(sure, "ms") == (
        "Established: duration of payer on pay went up from 1.50 s to 5.30 s, about 12 Nov 2026, 12:00:00 UTC."
    )
    assert drift_words.headline(hint, "ms").startswith("A hint: duration of payer")


def test_lessons_say_which_alerts_they_warn_of() -> None:
    rest = "of a middling or large change that nobody has acknowledged: what was learned before may no longer hold. "
    assert drift_warned(1) == f"1 drift alert {rest}Drift counts small changes, too."
    assert drift_warned(5) == f"The newest 5 drift alerts {rest}Drift counts small changes, too."


def test_agents_say_how_many_have_a_signal() -> None:
    def roster(*worst: Severity | None) -> Roster:
        return cast(Roster, some(rows=[some(worst=each) for each in worst], unheard=[some(worst=None)]))

    assert signalled(roster(None)) == "No signal is on for any of those below."
    assert signalled(roster(Severity.RED)) == "1 of those below has a signal on, 1 of them a red one."
    both = roster(Severity.RED, None, Severity.AMBER)
    assert signalled(both) == "2 of those below have a signal on, 1 of them a red one."


def test_settings_say_how_many_keys_and_webhooks_count() -> None:
    keys = [cast(Key, some(role=role)) for role in (Role.ADMIN, Role.AGENT, Role.AGENT)]
    assert keys_headline(keys, 0) == "3 keys are valid: 2 agents, 1 admin."
    assert keys_headline(keys[:1], 2) == "1 key is valid: 1 admin; 2 are revoked."
    on, failing, off = (
        cast(Webhook, some(active=active, failing_since=since))
        for active, since in ((True, None), (True, NOW), (False, NOW))
    )
    assert webhooks_headline([on]) == "1 webhook or notice: 1 on."
    assert webhooks_headline([on, failing, off]) == (
        "3 webhooks and notices: 2 on, of which 1 gets nothing through; 1 off."
    )


def test_what_was_denied_is_not_only_cancelled() -> None:
    assert status_in_words(ActionStatus.CANCELLED) == "denied or cancelled"
    assert status_in_words(ActionStatus.PENDING_APPROVAL) == "pending approval"


@pytest.mark.parametrize(
    ("status", "basis", "said"),
    [
        (ActionStatus.CANCELLED, "denied", "denied"),
        (ActionStatus.CANCELLED, "expired", "expired"),
        (ActionStatus.CANCELLED, None, "cancelled"),
        (ActionStatus.COMPLETED, None, "completed"),
        (None, "denied", ""),
    ],
)
def test_a_proof_says_how_an_action_stands_as_the_ledger_does(
    status: ActionStatus | None, basis: str | None, said: str
) -> None:
    stopped = None if basis is None else some(basis=basis)
    assert standing(cast(Certificate, some(status=status, non_execution=stopped))) == said


@pytest.mark.parametrize(
    ("state", "seconds", "grant", "said"),
    [
        (ApprovalState.DENIED, 0.42, None, "denied by **ana** after 0.42 s"),
        (ApprovalState.APPROVED, 59.7, None, "allowed by **ana** after 1 min"),
        (ApprovalState.APPROVED, 0.0, "gr_1", "approved in advance by **ana**, by a standing grant"),
    ],
)
def test_how_a_request_ended_is_told(state: ApprovalState, seconds: float, grant: str | None, said: str) -> None:
    decided = some(
        state=state,
        grant_id=grant,
        decided_by="ana",
        requested_at=NOW,
        decided_at=NOW + timedelta(seconds=seconds),
    )
    assert end_in_words(cast(Approval, decided)) == said


def test_every_kind_of_loop_has_words() -> None:
    assert set(LOOPS) == set(LoopType)
    assert not any("_" in each for each in LOOPS.values())


def test_the_sentence_stands_before_what_can_be_done(look: Look, house: Tenant) -> None:
    house.create("look", agent_id="bot")
    for page, said in (("policies", "**Guard goes by "), ("agents", "**1 online, 0 offline. No signal is on")):
        told = [str(each.value) for each in look(house, page, "admin").draw().page.main.markdown]
        # The export stands beside the title.
        assert next(each for each in told if "** · " not in each).startswith(said), told
