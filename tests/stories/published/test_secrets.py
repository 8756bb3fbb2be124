"""The scan for secrets, by published clients of every version."""

from __future__ import annotations

from tests.stories.published.client import PublishedClient
from tests.stories.tenant import Tenant

KEY = "ghp" + "_" + "Ab3" * 12
TEXT = f"Deploy with {KEY} and password=" + "hunter" + "2"


def test_a_text_is_scanned(asking: Tenant, agent: PublishedClient) -> None:
    before = asking.recorded()
    found = agent.scan_content(TEXT, "#ops")
    assert (found["clean"], found["findings_count"], found["critical_count"]) == (False, 2, 2)
    assert [each["pattern"] for each in found["findings"]] == ["github_token", "password"]
    assert found["redacted_text"] == "Deploy with [REDACTED:github_token] and password=[REDACTED:password]"
    assert (found["destination"], found["scan_id"]) == ("#ops", None)
    assert KEY not in str(found)
    assert agent.scan_content("The disk is full.")["clean"] is True
    assert asking.recorded() == before


def test_a_finding_is_reported(asking: Tenant, agent: PublishedClient) -> None:
    found = agent.report_security_finding(TEXT)
    logs = asking.call("GET", "/api/activity?action=secrets.found")["logs"]
    assert [each["resource_id"] for each in logs] == [found["scan_id"]]
    assert agent.report_security_finding("The disk is full.")["scan_id"] is None
