"""What the service knows wins over what was sent under the same name."""

from assent_service.control.guard.context import gather


def test_every_sent_member_is_kept_for_policies() -> None:
    facts = gather({"tool": {"name": "bash"}, "x": None}, action_type="api", agent_id="a")
    assert facts.fields == {
        "tool": {"name": "bash"},
        "x": None,
        "action_type": "api",
        "agent_id": "a",
        "systems_touched": [],
        "destructive": False,
    }


def test_forged_and_misspelt_members_are_replaced() -> None:
    sent: dict[str, object] = {"action_type": "x", "agent_id": "root", "reversible": True, "declared_goal": "y"}
    facts = gather(sent, action_type="deploy", reversible=False, systems_touched=("crm",))
    assert facts.fields == {
        "action_type": "deploy",
        "reversible": False,
        "systems_touched": ["crm"],
        "destructive": False,
    }
    assert sent["agent_id"] == "root", "what was received is not touched"


def test_whether_a_goal_destroys_is_told_by_the_table_and_not_by_the_agent() -> None:
    facts = gather({"destructive": False}, action_type="api", declared_goal="delete all customer data")
    assert (facts.destructive, facts.fields["destructive"]) == (True, True)
    facts = gather({"destructive": True}, action_type="api", declared_goal="delete the draft")
    assert (facts.destructive, facts.fields["destructive"]) == (False, False)
