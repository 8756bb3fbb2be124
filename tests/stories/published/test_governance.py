"""Published clients on compliance, activity and organizations."""

from __future__ import annotations

import json

import pytest

from tests.stories.published.client import Processes, PublishedClient, PublishedError
from tests.stories.published.versions import NEWEST, OLDEST, only
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


@only(OLDEST, NEWEST)
def test_compliance_over_time(agent: PublishedClient, boss: PublishedClient) -> None:
    """2.9.0 passes method and path of these the wrong way round."""
    created = agent.create_action("look", "See")
    made = boss.create_compliance_export(["eu-ai-act"], name="Audit", window_days=7)["export"]
    assert (made["name"], made["frameworks"], made["format"], made["window_days"]) == ("Audit", ["eu-ai-act"], "md", 7)
    export_id = made["export_id"]
    assert [each["export_id"] for each in boss.list_compliance_exports(limit=5)["exports"]] == [export_id]
    report = boss.get_compliance_export(export_id)["export"]["report"]
    assert report.startswith("# Audit\n")
    assert created["action_id"] in report
    bundle = boss.download_compliance_export(export_id)
    assert bundle["payload"]["report"] == report
    assert len(bundle["attestation"]["signatures"]) == 1
    (point,) = boss.get_compliance_trends("eu-ai-act", limit=5)["trends"]
    assert (point["export_id"], point["window_days"]) == (export_id, 7)
    assert boss.get_compliance_trends("soc2")["trends"] == []
    assert boss.delete_compliance_export(export_id)["deleted"] is True
    assert boss.list_compliance_exports()["total"] == 0
    with pytest.raises(PublishedError, match="There is no compliance export"):
        boss.get_compliance_export(export_id)


@only(OLDEST, NEWEST)
def test_a_schedule_of_compliance_exports(boss: PublishedClient) -> None:
    made = boss.create_compliance_schedule(["soc2"], "30 5 * * 1", name="Mondays", window_days=14)["schedule"]
    schedule_id = made["schedule_id"]
    assert (made["enabled"], made["window_days"], made["next_run_at"][10:16]) == (True, 14, "T05:30")
    changed = boss.update_compliance_schedule(schedule_id, enabled=False, name="Off")["schedule"]
    assert (changed["enabled"], changed["name"], changed["next_run_at"]) == (False, "Off", None)
    assert boss.update_compliance_schedule(schedule_id)["schedule"] == changed
    assert [each["name"] for each in boss.list_compliance_schedules()["schedules"]] == ["Off"]
    assert boss.delete_compliance_schedule(schedule_id)["deleted"] is True
    assert boss.list_compliance_schedules()["schedules"] == []
    with pytest.raises(PublishedError, match="has 1 fields; give five"):
        boss.create_compliance_schedule(["soc2"], "daily")
