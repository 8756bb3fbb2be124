"""What the service knows wins over what was sent under the same name."""

from assent_service.guard.context import gather


def test_every_sent_member_is_kept_for_policies() -> None:
    facts = gather({"tool": {"name": "bash"}, "x": None}, action_type="api", agent_id="a")
    assert facts.fields == {
        "tool": {"name": "bash"},
        "x": None,
        "action_type": "api",
        "agent_id": "a",
        "systems_touched": [],
    }


def test_forged_and_misspelt_members_are_replaced() -> None:
    sent: dict[str, object] = {"action_type": "x", "agent_id": "root", "reversible": True, "declared_goal": "y"}
    facts = gather(sent, action_type="deploy", reversible=False, systems_touched=("crm",))
    assert facts.fields == {"action_type": "deploy", "reversible": False, "systems_touched": ["crm"]}
    assert sent["agent_id"] == "root", "what was received is not touched"
