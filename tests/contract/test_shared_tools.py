"""Whom it is said of that other flow policies read tools its way, and what."""

from __future__ import annotations

from typing import Any

import pytest

from assent.contract.control.policies import FLOW_ENFORCED, NO_PAST, Mode, Policy, PolicyDraft, once_enforced
from assent.contract.control.shared_tools import all_shared_tools, shared_tools
from tests.dashboard.control.test_policies_lint import stored

PACK = {"pack": {"tools": {"send_email": {"effect": "none"}, "ledger_*": {"answers": "trusted"}}}}


def flow(name: str, rules: dict[str, Any] = PACK, **members: Any) -> Policy:
    return stored(name, "flow", rules, **members)


DECIDES = flow("Decides", {})


@pytest.mark.parametrize(
    ("policy", "others", "begins"),
    [
        (flow("New", mode=Mode.OBSERVE), [DECIDES], "Policy 'New' only observes"),
        (flow("New", agent_ids=["a"]), [DECIDES], "Policy 'New' is for some agents, but"),
        (flow("New", agent_ids=["a"]), [flow("Decides", {}, agent_ids=["A", "b"])], "Policy 'New' is for some agents"),
        (flow("New", agent_ids=["a", "b"]), [flow("Decides", {}, agent_ids=["A"])], None),
        (flow("New"), [DECIDES], None),
        (flow("New", mode=Mode.OBSERVE, active=False), [DECIDES], None),
        (flow("New", {}, mode=Mode.OBSERVE), [DECIDES], None),
        (flow("New", mode=Mode.OBSERVE), [flow("Decides", {}, mode=Mode.OBSERVE)], None),
        (flow("New", mode=Mode.OBSERVE), [flow("Decides", {}, active=False)], None),
        (flow("New", mode=Mode.OBSERVE), [stored("Types", "known_types", {"action_types": ["a"]})], None),
        (flow("New", mode=Mode.OBSERVE), [], None),
    ],
)
def test_a_pack_that_enforced_policies_read_by_or_do_not_is_named(
    policy: Policy, others: list[Policy], begins: str | None
) -> None:
    said = shared_tools(policy, [policy, *others])
    if begins is None:
        assert said is None
    else:
        assert said is not None
        assert said.startswith(begins)
        observes = policy.mode is Mode.OBSERVE
        what = "only once it is enforced, since 'Decides'" if observes else "at once for what 'Decides'"
        assert f"send_email, ledger_* counts {what} decides" in said


def test_it_is_said_from_either_side_and_once() -> None:
    observes = flow("New", mode=Mode.OBSERVE)
    every = [DECIDES, observes]
    assert len(all_shared_tools([observes], every)) == 1
    assert all_shared_tools([DECIDES], every) == all_shared_tools([observes], every) == all_shared_tools(every, every)


def test_a_draft_with_many_tools_names_the_first_ones() -> None:
    rules: dict[str, Any] = {"pack": {"tools": {f"tool_{number}": {} for number in range(12)}}}
    draft = PolicyDraft(name="New", policy_type="flow", rules=rules, mode=Mode.OBSERVE)
    assert "tool_7 and 4 more counts" in str(shared_tools(draft, [DECIDES]))


def test_what_follows_when_a_flow_policy_is_enforced_is_said_of_the_kind_that_it_is() -> None:
    assert once_enforced(flow("Values")) == FLOW_ENFORCED
    assert once_enforced(flow("Exports", {"when": {"not": {"before": {"tool": "verify"}}}})) == NO_PAST
    assert once_enforced(stored("Types", "known_types", {"action_types": ["a"]})) is None
