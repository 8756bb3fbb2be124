"""Published clients on compliance, activity and organizations; all three can send these."""

from __future__ import annotations

import json

import pytest

from tests.stories.published.client import Processes, PublishedClient, PublishedError
from tests.stories.tenant import Tenant


def test_compliance(agent: PublishedClient, boss: PublishedClient) -> None:
    created = agent.create_action("look", "See")
    assert {each["framework"] for each in boss.list_frameworks()["frameworks"]} == {"soc2", "eu-ai-act"}
    mapped = boss.map_compliance("eu-ai-act")
    assert mapped["summary"]["total_controls"] == len(mapped["controls"]) > 10
    (recording,) = [each for each in mapped["controls"] if each["control_id"] == "Art. 12(1)"]
    found = {each["evidence"]: each["record_ids"] for each in recording["evidence"]}
    assert found["actions"] == [created["action_id"]]
    assert boss.analyze_gaps("soc2")["total_gaps"] > 0
    assert json.loads(boss.get_compliance_report("soc2")["report"])["framework"] == "soc2"
    evidence = boss.get_compliance_evidence("7d")
    assert (evidence["window_days"], evidence["evidence"]["guard_decisions_total"]) == (7, 1)
    assert "Nobody wipes" in boss.get_proof_report("md")["report"]
    with pytest.raises(PublishedError, match="soc2") as unknown:
        boss.map_compliance("no such")
    assert unknown.value.members["status"] == 404


def test_activity(agent: PublishedClient, boss: PublishedClient) -> None:
    created = agent.create_action("look", "See")
    logs = boss.get_activity_logs(action="action.created", limit=5)
    assert (logs["logs"][0]["resource_id"], logs["stats"]["total"]) == (created["action_id"], 1)
    with pytest.raises(PublishedError) as refused:
        agent.get_activity_logs()
    assert refused.value.members["status"] == 403


def test_organizations(asking: Tenant, boss: PublishedClient) -> None:
    (own,) = boss.get_org()["organizations"]
    assert own["org_id"] == asking.org_id
    assert boss.get_org_by_id(asking.org_id)["organization"]["slug"] == own["slug"]
    assert boss.update_org(asking.org_id, name="Renamed")["organization"]["name"] == "Renamed"
    assert boss.get_org()["organizations"][0]["name"] == "Renamed"
    keys = boss.get_org_keys(asking.org_id)["keys"]
    assert {each["role"] for each in keys} == {"agent", "operator", "auditor", "admin"}
    assert asking.keys["agent"] not in json.dumps(keys)
    with pytest.raises(PublishedError) as refused:
        boss.create_org("Another", "another-one")
    assert refused.value.members["status"] == 403


def test_an_organization_is_made_by_an_admin_of_the_first_one(
    asking: Tenant, version: str, processes: Processes
) -> None:
    name = f"made by {version}, {asking.org_id}"
    slug = f"made-by-{asking.org_id.replace('_', '-').lower()}"
    base_url = asking.service.base_url
    with processes.client(version, base_url, asking.service.admin_key, "boss") as first:
        made = first.create_org(name, slug)
    assert (made["organization"]["name"], made["organization"]["slug"]) == (name, slug)
    with processes.client(version, base_url, made["api_key"], "boss") as its_admin:
        assert [each["org_id"] for each in its_admin.get_org()["organizations"]] == [made["organization"]["org_id"]]


def test_policies_are_tested(boss: PublishedClient) -> None:
    tested = boss.test_policies()
    assert (tested["success"], tested["failed"]) == (True, 0)
