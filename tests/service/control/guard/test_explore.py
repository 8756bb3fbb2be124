"""What a draw makes of a verdict, each case worked out by hand."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pytest

from assent.contract.control.exploration import ASKED, PASSED, check_explore
from assent.contract.control.guard import Decision
from assent.contract.control.injection import SCAN_POLICY
from assent.contract.control.policies import Mode, Policy
from assent.contract.control.rules import PolicyError, parse_rules
from assent_service.control.guard.context import Facts
from assent_service.control.guard.explore import draw_of, explore, may_explore
from assent_service.control.guard.index import PolicySet
from assent_service.control.guard.verdict import Verdict

AT = datetime(2026, 11, 20, tzinfo=UTC)
HOUR = 3_600_000_000
KNOWN = "0x1.311bf3c8f54b7p-1"


def policy(number: int, action: str, share: float = 0.0, mode: Mode = Mode.ENFORCE) -> Policy:
    return Policy(
        org_id="org_1", policy_id=f"pol_{number}", name=f"p{number}", policy_type="risk_threshold",
        rules={"threshold": number, "action": action}, active=True, agent_ids=[], mode=mode, version=1, created_at=AT,
        created_by="key_1", updated_at=AT, updated_by="key_1", deleted_at=None, explore=share,
    )  # fmt: skip


def of(policies: Sequence[Policy]) -> tuple[PolicySet, Verdict]:
    """All of them matched."""
    made = PolicySet(policies)
    return made, made.verdicts.of((1 << len(policies)) - 1, 0, ())


def text(number: int) -> str:
    return f"p{number}: the risk score is {number} or more"


def test_a_policy_that_asks_lets_pass_in_its_share_of_draws() -> None:
    policies, verdict = of([policy(1, "require_approval", 0.02)])
    assert verdict.decision is Decision.REQUIRE_APPROVAL
    passed = explore(verdict, policies, 40.0, 0.0199)
    assert passed is not None
    assert passed[1] == (0.02, True, 0.0199, 40.0)
    assert (passed[0].decision, passed[0].reasons) == (Decision.WARN, ())
    assert passed[0].warnings == (f"{text(1)}; {PASSED}",)
    assert passed[0].matched_policies == ("pol_1",)
    asked = explore(verdict, policies, 40.0, 0.02)
    assert asked == (verdict, (0.98, False, 0.02, 40.0))


def test_a_policy_that_warns_asks_in_its_share_of_draws() -> None:
    policies, verdict = of([policy(1, "warn", 0.25), policy(2, "warn")])
    asked = explore(verdict, policies, 40.0, 0.1)
    assert asked is not None
    assert asked[1] == (0.25, True, 0.1, 40.0)
    assert (asked[0].decision, asked[0].reasons) == (Decision.REQUIRE_APPROVAL, (f"{text(1)}; {ASKED}",))
    assert asked[0].warnings == (text(2),)


def test_what_another_policy_asks_for_is_asked_for() -> None:
    policies, verdict = of([policy(1, "require_approval", 0.5), policy(2, "require_approval")])
    assert explore(verdict, policies, 40.0, 0.1) is None


def test_two_that_ask_let_pass_only_where_both_do() -> None:
    policies, verdict = of([policy(1, "require_approval", 0.5), policy(2, "require_approval", 0.25)])
    both = explore(verdict, policies, 40.0, 0.2)
    assert both is not None
    assert (both[0].decision, both[1].propensity) == (Decision.WARN, 0.25)
    one = explore(verdict, policies, 40.0, 0.3)
    assert one is not None
    assert (one[0].decision, one[1].propensity, one[1].explored) == (Decision.REQUIRE_APPROVAL, 0.75, False)
    # The one that lets pass says so, though the other asks.
    assert (one[0].reasons, one[0].warnings) == ((text(2),), (f"{text(1)}; {PASSED}",))


def test_a_warning_that_asks_where_the_asking_one_lets_pass_changes_nothing() -> None:
    policies, verdict = of([policy(1, "require_approval", 0.25), policy(2, "warn", 0.25)])
    assert explore(verdict, policies, 40.0, 0.1) is None, "whatever is drawn, a person is asked"
    policies, verdict = of([policy(1, "require_approval", 0.5), policy(2, "warn", 0.25)])
    found = explore(verdict, policies, 40.0, 0.3)
    assert found is not None
    assert (found[0].decision, found[1].propensity) == (Decision.WARN, 0.25), "draws from .25 to .5"


@pytest.mark.parametrize("share", [0.02, 0.5])
def test_a_block_stays_and_so_does_what_is_allowed(share: float) -> None:
    policies, verdict = of([policy(1, "require_approval", share), policy(2, "block")])
    assert explore(verdict, policies, 40.0, 0.0) is None
    assert explore(Verdict(decision=Decision.ALLOW), policies, 40.0, 0.0) is None


def test_nothing_is_explored_that_a_webhook_or_the_scan_has_a_say_in() -> None:
    hook = Policy(
        org_id="org_1", policy_id="pol_9", name="p9", policy_type="webhook_check", rules={"url": "https://x.invalid"},
        active=True, agent_ids=[], mode=Mode.ENFORCE, version=1, created_at=AT, created_by="k", updated_at=AT,
        updated_by="k", deleted_at=None,
    )  # fmt: skip
    policies = PolicySet([policy(1, "require_approval", 0.5), hook])
    hooked = policies.verdicts.of(1, 0, policies.scope(None).webhooks)
    assert len(hooked.webhooks) == 1
    assert explore(hooked, policies, 40.0, 0.0) is None
    alone, verdict = of([policy(1, "require_approval", 0.5)])
    for other in (SCAN_POLICY, "builtin:halt", "pol_gone"):
        raised = Verdict(
            decision=verdict.decision, reasons=verdict.reasons, matched_policies=(*verdict.matched_policies, other)
        )
        assert explore(raised, alone, 40.0, 0.0) is None


def test_observed_policies_explore_nothing_and_would_decide_as_they_do() -> None:
    policies, verdict = of([policy(1, "require_approval", 0.5), policy(2, "require_approval", 0.5, Mode.OBSERVE)])
    found = explore(verdict, policies, 40.0, 0.0)
    assert found is not None
    assert (found[0].decision, found[0].would_decide) == (Decision.WARN, Decision.REQUIRE_APPROVAL)
    policies, verdict = of([policy(1, "warn"), policy(2, "require_approval", 0.5, Mode.OBSERVE)])
    assert explore(verdict, policies, 40.0, 0.0) is None
    assert not PolicySet([policy(2, "require_approval", 0.5, Mode.OBSERVE)]).explores


def facts(**members: Any) -> Facts:
    return Facts(action_type="read", fields={}, **({"reversible": True} | members))


@pytest.mark.parametrize(
    ("given", "risk", "may"),
    [
        ({}, 39.0, True),
        ({}, 40.0, False),
        ({}, 41.0, False),
        ({"reversible": False}, 10.0, False),
        ({"reversible": None}, 10.0, False),
        ({"destructive": True}, 10.0, False),
    ],
)
def test_only_what_is_reversible_and_below_the_bound(given: dict[str, Any], risk: float, may: bool) -> None:
    assert may_explore(facts(**given), risk, 40.0) is may


def test_a_draw_belongs_to_a_key_and_an_hour() -> None:
    # SHA-256 of "seed\nkey_1\n500000", worked out with another tool.
    assert draw_of("seed", "key_1", 500_000 * HOUR).hex() == KNOWN
    assert draw_of("seed", "key_1", 500_000 * HOUR) == draw_of("seed", "key_1", 500_001 * HOUR - 1)
    others = {
        draw_of("seed", "key_1", 500_001 * HOUR),
        draw_of("seed", "key_2", 500_000 * HOUR),
        draw_of("tree", "key_1", 500_000 * HOUR),
    }
    assert len(others | {draw_of("seed", "key_1", 500_000 * HOUR)}) == 4


def test_draws_are_even() -> None:
    draws = [draw_of("seed", f"key_{key}", hour * HOUR) for key in range(20) for hour in range(500)]
    assert all(0 <= draw < 1 for draw in draws)
    # Of 10,000 even draws 200 are below .02, with a standard deviation of 14.
    assert 140 < sum(draw < 0.02 for draw in draws) < 260


@pytest.mark.parametrize(
    ("kind", "rules"),
    [
        ("risk_threshold", {"threshold": 50, "action": "block"}),
        ("condition", {"when": {"field": "x", "op": "eq", "value": 1}, "action": "block"}),
        ("block_action_type", {"action_types": ["pay"]}),
        ("known_types", {"action_types": ["pay"]}),
        ("rate_limit", {"max_actions": 1}),
        ("webhook_check", {"url": "https://x.invalid"}),
    ],
)
def test_a_policy_that_cannot_explore_is_refused_a_share(kind: str, rules: dict[str, Any]) -> None:
    read = parse_rules(kind, rules)
    check_explore(read, 0.0)
    with pytest.raises(PolicyError, match="explore"):
        check_explore(read, 0.02)
