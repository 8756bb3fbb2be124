"""How an approval moves, without a service: every state by every thing that can happen to it."""

from __future__ import annotations

from datetime import timedelta

import msgspec
import pytest

from assent.contract.control.approvals import Approval, ApprovalState, ApproveAction, Verdict
from assent.contract.problems import Code
from assent.contract.roles import Role
from assent_service.base.clock import microseconds, moment
from assent_service.base.problem import Refusal
from assent_service.control.approvals.transition import check_decider, decide, expire, repeats, request, withdraw
from assent_service.core.principal import Principal
from tests.service.control.actions.samples import NINE, an_action, an_approval

ANN = Principal("org_1", "key_ann", "Ann", Role.OPERATOR, None)
TEN = microseconds(NINE) + 3_600_000_000
ALLOW, DENY = ApproveAction(decision=Verdict.ALLOW), ApproveAction(decision=Verdict.DENY, reasoning="too much")
ENDED = [ApprovalState.APPROVED, ApprovalState.DENIED, ApprovalState.EXPIRED, ApprovalState.WITHDRAWN]


def ended(state: ApprovalState, key: str | None = None) -> Approval:
    by = None if state is ApprovalState.EXPIRED else "Bob"
    return an_approval(state=state, decided_by=by, decided_at=NINE, idempotency_key=key)


def test_asking_takes_over_what_the_operator_needs_to_know() -> None:
    action = an_action(declared_goal="give it back", risk_score=66.0)
    expires = NINE + timedelta(hours=24)
    asked = request(action, approval_id="apr_1", reasons=("why",), matched=("pol_1",), expires_at=expires)
    assert (asked.state, asked.expires_at, asked.requested_at) == ("awaiting", expires, NINE)
    assert (asked.action_id, asked.agent_id, asked.declared_goal, asked.risk_score) == (
        "act_1",
        "bot",
        "give it back",
        66.0,
    )
    assert (asked.reasons, asked.matched_policies) == (["why"], ["pol_1"])
    assert (asked.decided_at, asked.decided_by, asked.decided_by_key, asked.reasoning) == (None, None, None, None)


@pytest.mark.parametrize(("said", "state"), [(ALLOW, "approved"), (DENY, "denied")])
def test_an_operator_decides(said: ApproveAction, state: str) -> None:
    before = an_approval()
    after = decide(before, said, ANN, TEN, "k1")
    assert (after.state, after.decided_by, after.decided_by_key) == (state, "Ann", "key_ann")
    assert (after.decided_at, after.reasoning, after.idempotency_key) == (moment(TEN), said.reasoning, "k1")
    touched = {"state", "decided_by", "decided_by_key", "decided_at", "reasoning", "idempotency_key", "self_decided"}
    was, is_now = msgspec.structs.asdict(before), msgspec.structs.asdict(after)
    assert {name for name in was if was[name] != is_now[name]} <= touched


def test_a_decision_says_whether_the_key_had_asked() -> None:
    assert decide(an_approval(), ALLOW, ANN, TEN, None, self_decided=True).self_decided is True
    assert decide(an_approval(), DENY, ANN, TEN, None).self_decided is False
    assert an_approval().self_decided is None
    assert expire(an_approval(), TEN).self_decided is None
    assert withdraw(an_approval(), None, ANN, TEN).self_decided is None


def test_whoever_asked_takes_the_question_back() -> None:
    before = an_approval()
    after = withdraw(before, "the task was cancelled", ANN, TEN)
    assert (after.state, after.decided_by, after.decided_by_key) == ("withdrawn", "Ann", "key_ann")
    assert (after.decided_at, after.reasoning) == (moment(TEN), "the task was cancelled")
    touched = {"state", "decided_by", "decided_by_key", "decided_at", "reasoning"}
    was, is_now = msgspec.structs.asdict(before), msgspec.structs.asdict(after)
    assert {name for name in was if was[name] != is_now[name]} == touched


@pytest.mark.parametrize("state", [ApprovalState.APPROVED, ApprovalState.DENIED, ApprovalState.EXPIRED])
def test_what_has_ended_is_not_withdrawn(state: ApprovalState) -> None:
    with pytest.raises(Refusal) as found:
        withdraw(ended(state), None, ANN, TEN)
    late = state is ApprovalState.EXPIRED
    assert found.value.code is (Code.APPROVAL_EXPIRED if late else Code.ALREADY_DECIDED)


def test_what_is_overdue_is_not_withdrawn() -> None:
    approval = an_approval(expires_at=moment(TEN))
    assert withdraw(approval, None, ANN, TEN - 1).state == "withdrawn"
    with pytest.raises(Refusal) as found:
        withdraw(approval, None, ANN, TEN)
    assert found.value.code is Code.APPROVAL_EXPIRED


@pytest.mark.parametrize("role", [Role.AGENT, Role.OPERATOR, Role.ADMIN])
def test_a_key_bound_to_the_agent_never_decides_whatever_its_role(role: Role) -> None:
    action = an_action(agent_id="bot", created_by="key_other")
    bound = Principal("org_1", "key_bound", "Bound", role, "bot")
    with pytest.raises(Refusal) as found:
        check_decider(action, bound, refuses_own=False)
    assert (found.value.code, found.value.status) == (Code.SELF_APPROVAL, 403)
    assert check_decider(action, Principal("org_1", "key_bound", "Bound", role, "another"), refuses_own=True) is False


def test_the_key_that_opened_the_action_is_known_and_refused_where_that_is_wanted() -> None:
    action = an_action(agent_id="bot", created_by="key_ann")
    assert check_decider(action, ANN, refuses_own=False) is True
    with pytest.raises(Refusal) as found:
        check_decider(action, ANN, refuses_own=True)
    assert found.value.code is Code.SELF_APPROVAL
    assert found.value.detail.startswith("This key opened action act_1 itself")
    for refuses in (False, True):
        assert check_decider(an_action(created_by="key_bob"), ANN, refuses_own=refuses) is False


def test_time_alone_expires() -> None:
    after = expire(an_approval(), TEN)
    assert (after.state, after.decided_at, after.decided_by) == ("expired", moment(TEN), None)


@pytest.mark.parametrize("said", [ALLOW, DENY])
def test_the_last_moment_is_one_microsecond_before_it_expires(said: ApproveAction) -> None:
    approval = an_approval(expires_at=moment(TEN))
    assert decide(approval, said, ANN, TEN - 1, None).decided_by == "Ann"
    for late in (TEN, TEN + 1):
        with pytest.raises(Refusal) as found:
            decide(approval, said, ANN, late, None)
        assert found.value.code is Code.APPROVAL_EXPIRED
        assert found.value.status == 410
        assert found.value.extras["approval"] == approval


@pytest.mark.parametrize("state", ENDED)
@pytest.mark.parametrize("said", [ALLOW, DENY])
def test_nothing_leaves_a_final_state(state: ApprovalState, said: ApproveAction) -> None:
    with pytest.raises(Refusal) as found:
        decide(ended(state), said, ANN, TEN, None)
    if state is ApprovalState.EXPIRED:
        assert found.value.code is Code.APPROVAL_EXPIRED
    elif state is ApprovalState.WITHDRAWN:
        assert (found.value.code, found.value.status) == (Code.APPROVAL_WITHDRAWN, 409)
        assert found.value.detail.startswith("Bob withdrew action act_1 at 2026-03-02T09:00:00")
        assert found.value.extras["approval"].state == "withdrawn"
    else:
        assert found.value.code is Code.ALREADY_DECIDED
        assert found.value.detail.startswith(f"Bob has {state} action act_1 at 2026-03-02T09:00:00")
        assert found.value.extras["approval"].decided_by == "Bob"


@pytest.mark.parametrize(
    ("state", "kept", "said", "sent", "expected"),
    [
        (ApprovalState.APPROVED, "k1", ALLOW, "k1", True),
        (ApprovalState.DENIED, "k1", DENY, "k1", True),
        (ApprovalState.APPROVED, "k1", DENY, "k1", False),
        (ApprovalState.DENIED, "k1", ALLOW, "k1", False),
        (ApprovalState.APPROVED, "k1", ALLOW, "k2", False),
        (ApprovalState.APPROVED, "k1", ALLOW, None, False),
        (ApprovalState.APPROVED, None, ALLOW, None, False),
        (ApprovalState.APPROVED, None, ALLOW, "k1", False),
        (ApprovalState.AWAITING, None, ALLOW, "k1", False),
        (ApprovalState.AWAITING, None, ALLOW, None, False),
        (ApprovalState.EXPIRED, None, ALLOW, None, False),
    ],
)
def test_only_the_same_verdict_under_the_same_key_is_a_repeat(
    state: ApprovalState, kept: str | None, said: ApproveAction, sent: str | None, *, expected: bool
) -> None:
    assert repeats(ended(state, kept), said, sent) is expected
