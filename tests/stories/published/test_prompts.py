"""Prompts of published clients: all three have all twelve methods, and all of them reach the service."""

from __future__ import annotations

from typing import Any

import pytest

from tests.stories.published.client import PublishedClient, PublishedError


def begun(boss: PublishedClient, *contents: str, name: str = "Greeting") -> tuple[str, list[str]]:
    """A new prompt's id, and those of its versions."""
    template_id = boss.create_prompt_template(name)["id"]
    return template_id, [boss.create_prompt_version(template_id, content)["id"] for content in contents]


def test_a_prompt_and_its_versions(agent: PublishedClient, boss: PublishedClient) -> None:
    template = boss.create_prompt_template("Greeting", "says hello", "mail")
    template_id = template["id"]
    assert (template["description"], template["category"], template["active_version"]) == ("says hello", "mail", None)
    one = boss.create_prompt_version(template_id, "Hi {{ name }}", "small", ["name"], "first")
    assert (one["version"], one["is_active"], one["model_hint"], one["parameters"], one["changelog"]) == (
        1,
        False,
        "small",
        ["name"],
        "first",
    )
    two = boss.create_prompt_version(template_id, "Hello {{ name }}")
    assert (two["version"], two["parameters"], two["placeholders"]) == (2, [], ["name"])
    assert boss.activate_prompt_version(template_id, one["id"])["is_active"] is True
    assert boss.activate_prompt_version(template_id, two["id"])["version"] == 2
    listed = agent.list_prompt_versions(template_id)["versions"]
    assert [(each["version"], each["is_active"]) for each in listed] == [(2, True), (1, False)]
    assert agent.get_prompt_version(template_id, one["id"])["content"] == "Hi {{ name }}"
    assert agent.get_prompt_template(template_id)["active_version"] == 2
    assert boss.update_prompt_template(template_id, name="Hello")["name"] == "Hello"
    assert [each["name"] for each in agent.list_prompt_templates("mail")["templates"]] == ["Hello"]
    assert agent.list_prompt_templates("other")["templates"] == []
    assert len(agent.list_prompt_templates()["templates"]) == 1


def test_rendering(agent: PublishedClient, boss: PublishedClient) -> None:
    template_id, (one, two) = begun(boss, "Hi {{ name }}, {{ more }}", "draft {{ name }}")
    boss.activate_prompt_version(template_id, one)
    found = agent.render_prompt(template_id=template_id, variables={"name": "{{ more }}"})
    assert (found["rendered"], found["version"], found["version_id"]) == ("Hi {{ more }}, {{ more }}", 1, one)
    assert (found["parameters"], found["missing"], found["run_id"]) == (["name", "more"], ["more"], None)
    assert agent.render_prompt(version_id=two, variables={"name": 7})["rendered"] == "draft 7"


def test_runs_and_stats(agent: PublishedClient, boss: PublishedClient) -> None:
    template_id, (one,) = begun(boss, "Hi {{ name }}")
    boss.activate_prompt_version(template_id, one)
    action_id = agent.create_action("mail", "Say hello")["action_id"]
    said: dict[str, Any] = {"variables": {"name": "Ann"}, "action_id": action_id, "agent_id": "bot", "record": True}
    rendered = agent.render_prompt(template_id, **said)
    (run,) = agent.list_prompt_runs(template_id=template_id)["runs"]
    assert (run["id"], run["version_id"], run["action_id"], run["agent_id"]) == (
        rendered["run_id"],
        one,
        action_id,
        "bot",
    )
    assert run["variables"] == ["name"]
    assert agent.list_prompt_runs(version_id=one, limit=1)["runs"] == [run]
    assert agent.list_prompt_runs(template_id="pt_nobody")["runs"] == []
    stats = agent.get_prompt_stats()
    assert (stats["overall"]["total_runs"], stats["by_template"][0]["template_name"]) == (1, "Greeting")
    assert agent.get_prompt_stats(template_id)["versions_used"] == 1


def test_what_is_not_there(agent: PublishedClient, boss: PublishedClient) -> None:
    template_id, _ = begun(boss, "Hi")
    calls: list[tuple[PublishedClient, str, tuple[str, ...], int]] = [
        (agent, "render_prompt", (), 400),
        (agent, "render_prompt", (template_id,), 404),
        (agent, "get_prompt_version", (template_id, "pv_nobody"), 404),
        (agent, "create_prompt_template", ("mine",), 403),
        (boss, "create_prompt_version", (template_id, ""), 400),
    ]
    for client, name, args, status in calls:
        with pytest.raises(PublishedError) as refused:
            getattr(client, name)(*args)
        assert refused.value.members["status"] == status, name
    assert boss.delete_prompt_template(template_id)["deleted"] is True
    with pytest.raises(PublishedError) as gone:
        agent.get_prompt_template(template_id)
    assert gone.value.members["status"] == 404
