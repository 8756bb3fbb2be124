"""One decision, from its key to its answer: reasons, lost answers, lost races, a service that is away."""

from __future__ import annotations

import pytest

from assent.cli.approvals import Waiting
from assent.cli.inbox.inbox_client import InboxClient
from assent.contract.control.approvals import ApprovalState, Verdict
from assent.contract.problems import Code
from assent.deciding import LONGEST_REASONING, NO_REASON, Deciding, DecisionDetails, Stage
from tests.sdk.cli.inbox.counter import Counter


@pytest.fixture
def counter() -> Counter:
    return Counter()


def stage(made: Deciding[Waiting]) -> Stage:
    """Its stage as it is by now."""
    return made.stage


def deciding(counter: Counter, action_id: str, verdict: Verdict) -> Deciding[Waiting]:
    with counter.client() as client:
        detail = client.get_action(action_id)
    return Deciding(item=Waiting(action=detail.action, approval=detail.approval), verdict=verdict)


def test_a_denial_needs_a_reason_and_an_approval_does_not(counter: Counter) -> None:
    first, second = counter.wait(2)
    with counter.client() as client:
        made = deciding(counter, first, Verdict.DENY)
        made.send(client, DecisionDetails("  \n "))
        assert (stage(made), made.problem) == (Stage.OPEN, NO_REASON)
        made.send(client, DecisionDetails("x" * (LONGEST_REASONING + 1)))
        assert made.problem is not None
        assert "too long" in made.problem
        assert counter.approvals[first]["state"] == "awaiting"
        made.send(client, DecisionDetails(" too risky "))
        assert (stage(made), counter.approvals[first]["reasoning"]) == (Stage.SENT, "too risky")
        allowed = deciding(counter, second, Verdict.ALLOW)
        allowed.send(client, DecisionDetails(""))
        assert (allowed.stage, counter.approvals[second]["reasoning"]) == (Stage.SENT, None)


def test_a_decision_whose_answer_was_lost_is_sent_again_and_is_one_decision(counter: Counter) -> None:
    (action_id,) = counter.wait(1)
    made = deciding(counter, action_id, Verdict.DENY)
    with counter.client() as client:
        counter.lose_next = True
        made.send(client, DecisionDetails("no"))
        assert stage(made) is Stage.OPEN
        assert made.problem is not None
        assert "sending it again is safe" in made.problem
        assert counter.approvals[action_id]["state"] == "denied"
        made.send(client, DecisionDetails("no"))
    assert (stage(made), made.problem or None) == (Stage.SENT, None)
    assert made.settled is not None
    assert made.settled.decided_by == "operator-key"


def test_the_loser_of_a_race_is_told_who_was_first(counter: Counter) -> None:
    (action_id,) = counter.wait(1)
    made = deciding(counter, action_id, Verdict.ALLOW)
    counter.settle(action_id, "deny", "ben", "not today")
    with counter.client() as client:
        made.send(client, DecisionDetails(""))
        assert stage(made) is Stage.OVER
        assert made.settled is not None
        assert (made.settled.decided_by, made.settled.reasoning) == ("ben", "not today")
        before = len(counter.requests)
        made.send(client, DecisionDetails(""))
        assert len(counter.requests) == before


@pytest.mark.parametrize(
    ("code", "then", "said"),
    [
        (Code.STORAGE_UNAVAILABLE, Stage.OPEN, "Nothing was recorded"),
        (Code.FORBIDDEN, Stage.OPEN, "refused"),
        (Code.HALTED, Stage.OPEN, "as the test wants it"),
        (Code.APPROVAL_EXPIRED, Stage.OVER, "as the test wants it"),
        (Code.ACTION_NOT_FOUND, Stage.OVER, "as the test wants it"),
    ],
)
def test_what_the_service_says_no_to_is_said(counter: Counter, code: Code, then: Stage, said: str) -> None:
    (action_id,) = counter.wait(1)
    made = deciding(counter, action_id, Verdict.ALLOW)
    counter.refuse = code
    with counter.client() as client:
        made.send(client, DecisionDetails(""))
    assert stage(made) is then
    assert made.problem is not None
    assert said in made.problem


def test_a_service_that_is_away_keeps_the_words(counter: Counter) -> None:
    (action_id,) = counter.wait(1)
    made = deciding(counter, action_id, Verdict.ALLOW)
    counter.gone = True
    with counter.client() as client:
        made.send(client, DecisionDetails(""))
        assert stage(made) is Stage.OPEN
        assert made.problem is not None
        assert "Your words are kept" in made.problem
        counter.gone = False
        made.send(client, DecisionDetails(""))
    assert stage(made) is Stage.SENT


def test_being_overtaken_ends_an_open_one_and_nothing_else(counter: Counter) -> None:
    (action_id,) = counter.wait(1)
    with counter.client() as client:
        made = deciding(counter, action_id, Verdict.ALLOW)
        sent = deciding(counter, action_id, Verdict.ALLOW)
        sent.send(client, DecisionDetails(""))
        approval = client.get_action(action_id).approval
    assert approval is not None
    made.overtaken(approval)
    sent.overtaken(approval)
    assert (stage(made), sent.stage) == (Stage.OVER, Stage.SENT)


def test_the_office_reads_every_page_and_the_decisions_of_before(counter: Counter) -> None:
    ids = counter.wait(207)
    counter.settle(ids[0], "deny", "ana", "no")
    counter.settle(ids[1], "allow", "ben")
    with counter.client() as client:
        inbox_client = InboxClient(client)
        listing = inbox_client.listing()
        assert len(listing.actions) == listing.total == 205
        assert set(inbox_client.approvals([ids[5], "act_nowhere"])) == {ids[5]}
        past = inbox_client.past("agent-1", "deploy")
        assert [each.approval.state for each in past.decided] == [ApprovalState.APPROVED, ApprovalState.DENIED]
        assert [each.approval.state for each in past.approved] == [ApprovalState.APPROVED]
        assert inbox_client.past("somebody-else", "deploy") == ([], [])
