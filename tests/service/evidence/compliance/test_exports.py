"""Exports and their schedules on the service's own tables, with a clock that the test moves."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from assent.contract.evidence.compliance import ComplianceMap, Presence, ReportFormat
from assent.contract.evidence.compliance_exports import EXPORT_PAYLOAD, MOST_SCHEDULES, ComplianceTrend
from assent.contract.evidence.proofs import Envelope, EnvelopeSignature
from assent.contract.evidence.wallet import Jwk
from assent.proof.canonical import canonical
from assent.proof.dsse import DsseError, open_envelope
from assent.proof.jwk import load_jwk
from assent_service.base.problem import Refusal
from assent_service.evidence.compliance import reports
from assent_service.evidence.compliance.evidence import SHOWN, EvidenceRecords
from assent_service.evidence.compliance.exports import TRENDS_SHOWN, points
from assent_service.evidence.compliance.frameworks import frameworks
from assent_service.evidence.compliance.mapping import CAVEAT, counted, mapped
from assent_service.evidence.compliance.schedules import Schedules
from tests.service.control.actions.world import DAY, HOUR, World, opened

EXPORTS, SCHEDULES, TRENDS = "/api/compliance/exports", "/api/compliance/schedules", "/api/compliance/trends"
LARGEST = 512_000
"""Bytes of the longest report that there can be."""


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with opened(tmp_path / "home") as found:
        yield found


async def call(world: World, method: str, path: str, body: Any = None) -> dict[str, Any]:
    answer = await world.http(method, path, body)
    assert answer.status_code < 300, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def export(world: World, **members: Any) -> dict[str, Any]:
    found: dict[str, Any] = (await call(world, "POST", EXPORTS, {"frameworks": ["soc2"], **members}))["export"]
    return found


async def schedule(world: World, **members: Any) -> dict[str, Any]:
    body = {"frameworks": ["soc2"], "cron_expression": "0 6 * * *", **members}
    found: dict[str, Any] = (await call(world, "POST", SCHEDULES, body))["schedule"]
    return found


def found_in(controls: list[dict[str, Any]]) -> dict[str, tuple[int, list[str]]]:
    """What was found of each kind; each request of these tests has a key of its own, which the log has too."""
    found = {each["evidence"]: (each["n"], each["record_ids"]) for control in controls for each in control["evidence"]}
    return {kind: value for kind, value in found.items() if kind not in ("log", "keys")}


async def changes(world: World) -> int:
    """How often a schedule was recorded anew."""
    rows = await world.service.ledger.read("SELECT count(*) FROM events WHERE type = 'compliance_schedule.updated'")
    return int(str(rows[0][0]))


async def test_an_export_is_what_the_map_was_and_stays_that(world: World) -> None:
    action = await world.act()
    whole = await call(world, "GET", "/api/compliance/map?framework=eu-ai-act&window=7d")
    made = await export(world, frameworks=["EU-AI-Act", "eu-ai-act"], format="json", window_days=7)
    assert made["frameworks"] == ["eu-ai-act"]
    (shown,) = json.loads(made["report"])["frameworks"]
    assert found_in(shown["controls"]) == found_in(whole["controls"])
    assert [each["control_id"] for each in shown["controls"]] == [each["control_id"] for each in whole["controls"]]
    (counts,) = made["counts"]
    assert {name: counts[name] for name in shown["summary"]} == shown["summary"]
    kinds = {found["evidence"]: found["n"] for each in shown["controls"] for found in each["evidence"]}
    assert counts["records"] == sum(kinds.values()) > 0
    content = made["report"].encode()
    assert (made["report_bytes"], made["report_digest"]) == (len(content), f"sha256:{sha256(content).hexdigest()}")
    assert action.action_id in made["report"]
    since, until = (datetime.fromisoformat(made[name]) for name in ("since", "until"))
    assert until - since == timedelta(days=7)
    await world.act()
    again = (await call(world, "GET", f"{EXPORTS}/{made['export_id']}"))["export"]
    assert again == made


async def test_what_a_report_leaves_out(world: World) -> None:
    action = await world.act()
    whole = (await export(world, frameworks=["eu-ai-act"]))["report"]
    assert action.action_id in whole
    assert "\n- Have a policy require approval" in whole
    bare = await export(world, frameworks=["eu-ai-act"], include_evidence=False, include_remediation=False)
    assert action.action_id not in bare["report"]
    assert "\n- " not in bare["report"]
    assert bare["counts"][0]["records"] > 0
    advice = (await export(world, frameworks=["eu-ai-act"], include_evidence=False))["report"]
    assert "\n\n- Have a policy require approval" in advice


async def test_a_trend_is_what_exports_counted_and_says_what_it_rests_on(world: World) -> None:
    assert (await call(world, "GET", TRENDS))["trends"] == []
    first = await export(world, frameworks=["soc2", "eu-ai-act"], window_days=7)
    await world.act()
    world.clock.turn(DAY)
    second = await export(world, frameworks=["soc2"], window_days=7, include_trends=True)
    assert "| 7d |" in second["report"]
    assert first["export_id"] in second["report"]
    found = await call(world, "GET", f"{TRENDS}?framework=soc2")
    assert [each["export_id"] for each in found["trends"]] == [first["export_id"], second["export_id"]]
    assert (found["framework"], found["exports"]) == ("soc2", 2)
    before, after = found["trends"]
    assert before["covered"] + before["partial"] + before["gaps"] == before["total_controls"] > 10
    assert before["records"] < after["records"]
    assert {"framework_version", "window_days", "since", "until", "schedule_id"} <= before.keys()
    assert "same framework_version and window_days" in found["caveat"]
    every = await call(world, "GET", f"{TRENDS}?limit=2")
    assert (len(every["trends"]), every["framework"]) == (2, None)
    await call(world, "DELETE", f"{EXPORTS}/{first['export_id']}")
    left = await call(world, "GET", f"{TRENDS}?framework=soc2")
    assert [each["export_id"] for each in left["trends"]] == [second["export_id"]]
    assert (await world.http("GET", f"{TRENDS}?framework=iso9001")).json()["code"] == "framework_not_found"


async def test_a_bundle_is_signed_by_the_organization_and_says_so_offline(world: World) -> None:
    made = await export(world)
    bundle = await call(world, "GET", f"{EXPORTS}/{made['export_id']}/download")
    assert bundle["payload"] == made
    given = await call(world, "GET", "/.well-known/jwks.json")
    trusted = {each["kid"]: load_jwk(Jwk(**each)) for each in given["keys"]}
    said = bundle["attestation"]
    envelope = Envelope(
        payload=said["payload"],
        payloadType=said["payloadType"],
        signatures=[EnvelopeSignature(**each) for each in said["signatures"]],
    )
    assert open_envelope(envelope, trusted, payload_type=EXPORT_PAYLOAD) == canonical(bundle["payload"])
    assert {each["kid"] for each in bundle["keys"]} <= trusted.keys()
    with pytest.raises(DsseError):
        open_envelope(envelope, trusted)  # never taken for a proof


async def test_a_deleted_export_is_gone_with_its_text(world: World) -> None:
    made = await export(world)
    place = f"{EXPORTS}/{made['export_id']}"
    assert await call(world, "DELETE", place) == {"deleted": True, "export_id": made["export_id"]}
    for method, path in (("GET", place), ("GET", f"{place}/download"), ("DELETE", place)):
        refused = await world.http(method, path)
        assert (refused.status_code, refused.json()["code"]) == (404, "compliance_export_not_found")
    ((report,),) = await world.service.ledger.read("SELECT report FROM compliance_exports")
    assert report == ""
    assert (await call(world, "GET", EXPORTS))["exports"] == []


async def test_pages_have_no_texts(world: World) -> None:
    ids = [(await export(world))["export_id"] for _ in range(3)]
    first = await call(world, "GET", f"{EXPORTS}?limit=2")
    assert [each["export_id"] for each in first["exports"]] == ids[:0:-1]
    assert (first["total"], "report" in first["exports"][0]) == (3, False)
    rest = await call(world, "GET", f"{EXPORTS}?limit=2&cursor={first['next_cursor']}")
    assert ([each["export_id"] for each in rest["exports"]], rest["next_cursor"]) == ([ids[0]], None)


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ({"frameworks": []}, "frameworks"),
        ({"frameworks": "soc2"}, "frameworks"),
        ({"frameworks": ["soc2"] * 21}, "frameworks"),
        ({"frameworks": ["soc2"], "window_days": 0}, "window_days"),
        ({"frameworks": ["soc2"], "window_days": 3651}, "window_days"),
        ({"frameworks": ["soc2"], "format": "pdf"}, "format"),
        ({"frameworks": ["soc2"], "name": ""}, "name"),
        ({}, "frameworks"),
    ],
)
async def test_what_is_no_request_for_an_export(world: World, body: dict[str, Any], place: str) -> None:
    refused = await world.http("POST", EXPORTS, body)
    assert (refused.status_code, refused.json()["code"]) == (400, "invalid_body")
    assert place in refused.text
    unknown = await world.http("POST", EXPORTS, {"frameworks": ["soc2", "iso9001"]})
    assert unknown.json()["code"] == "framework_not_found"
    assert (await call(world, "GET", EXPORTS))["total"] == 0


def test_a_report_has_a_bound() -> None:
    """Every framework, every control with ten records of the longest ids that there are, and the longest trend."""
    at = datetime(2026, 3, 2, tzinfo=UTC)
    ids = ["i" * 128] * SHOWN
    maps = []
    for framework in frameworks().values():
        found = {name: EvidenceRecords(10**9, ids) for control in framework.controls for name in control.evidence}
        controls = [mapped(control, found, ids) for control in framework.controls]
        assert {control.status for control in controls} == {Presence.PRESENT}
        maps.append((framework, controls))

    whole = [
        ComplianceMap(
            framework=framework.framework,
            title=framework.title,
            framework_version=framework.version,
            source=framework.source,
            project="\u00e9" * 256,
            window="3650d",
            since=at,
            until=at,
            generated_at=at,
            summary=counted(controls),
            controls=controls,
            caveat=CAVEAT,
        )
        for framework, controls in maps
    ]
    trend = [
        ComplianceTrend(
            framework="eu-ai-act",
            framework_version="v" * 64,
            records=10**9,
            total_controls=99,
            covered=99,
            partial=99,
            gaps=99,
            coverage_percentage=100,
            export_id="i" * 128,
            schedule_id="i" * 128,
            created_at=at,
            window_days=3650,
            since=at,
            until=at,
        )
    ] * TRENDS_SHOWN
    trends = {each.framework: trend for each in whole}
    for chosen in ReportFormat:
        assert 10_000 < len(reports.of_export("n" * 256, whole, trends, chosen).encode()) < LARGEST
    assert points([], None, 5) == []


async def turns(world: World) -> int:
    return await world.service.schedules.take_turns()


async def test_a_schedule_makes_an_export_at_its_turn_and_no_earlier(world: World) -> None:
    """The clock begins on Monday, 2 March 2026, at 9."""
    made = await schedule(world, name="Each morning", window_days=14, format="json")
    place = f"{SCHEDULES}/{made['schedule_id']}"
    assert made["next_run_at"] == "2026-03-03T06:00:00Z"
    world.clock.turn(20 * HOUR)
    assert await turns(world) == 0
    world.clock.turn(2 * HOUR)
    assert await turns(world) == 1
    assert await turns(world) == 0
    after = (await call(world, "GET", place))["schedule"]
    assert (after["next_run_at"], after["last_error"]) == ("2026-03-04T06:00:00Z", None)
    assert after["last_run_at"].startswith("2026-03-03T07:00")
    (listed,) = (await call(world, "GET", f"{EXPORTS}?schedule_id={made['schedule_id']}"))["exports"]
    assert listed["export_id"] == after["last_export_id"]
    assert (listed["name"], listed["window_days"], listed["format"]) == ("Each morning", 14, "json")
    assert (listed["created_by"], listed["schedule_id"]) == ("system", made["schedule_id"])
    (point,) = (await call(world, "GET", TRENDS))["trends"]
    assert point["schedule_id"] == made["schedule_id"]


async def test_turns_that_were_missed_are_one(world: World) -> None:
    await schedule(world)
    world.clock.turn(10 * DAY)
    assert await turns(world) == 1
    assert await turns(world) == 0
    assert (await call(world, "GET", EXPORTS))["total"] == 1


async def test_two_that_think_it_is_their_turn_make_one_export(world: World) -> None:
    await schedule(world)
    world.clock.turn(DAY)
    assert sum(await asyncio.gather(turns(world), turns(world), turns(world))) == 1


async def test_a_schedule_that_is_off_or_deleted_makes_nothing(world: World) -> None:
    off, gone = await schedule(world), await schedule(world)
    changed = await call(world, "PATCH", f"{SCHEDULES}/{off['schedule_id']}", {"enabled": False})
    assert (changed["schedule"]["enabled"], changed["schedule"]["next_run_at"]) == (False, None)
    await call(world, "DELETE", f"{SCHEDULES}/{gone['schedule_id']}")
    world.clock.turn(2 * DAY)
    assert await turns(world) == 0
    on = await call(world, "PATCH", f"{SCHEDULES}/{off['schedule_id']}", {"enabled": True})
    assert on["schedule"]["next_run_at"] == "2026-03-05T06:00:00Z"
    listed = (await call(world, "GET", SCHEDULES))["schedules"]
    assert [each["schedule_id"] for each in listed] == [off["schedule_id"]]
    for method in ("GET", "DELETE"):
        refused = await world.http(method, f"{SCHEDULES}/{gone['schedule_id']}")
        assert refused.json()["code"] == "compliance_schedule_not_found"


async def test_a_turn_that_makes_nothing_says_why_and_the_next_one_tries_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = await schedule(world)
    world.clock.turn(DAY)
    with monkeypatch.context() as patched:
        patched.setattr("assent_service.evidence.compliance.frameworks.frameworks", dict)
        assert await turns(world) == 0
    after = (await call(world, "GET", f"{SCHEDULES}/{made['schedule_id']}"))["schedule"]
    assert "There is no framework 'soc2'" in after["last_error"]
    assert (after["last_export_id"], after["next_run_at"]) == (None, "2026-03-04T06:00:00Z")
    world.clock.turn(DAY)
    assert await turns(world) == 1
    healed = (await call(world, "GET", f"{SCHEDULES}/{made['schedule_id']}"))["schedule"]
    assert (healed["last_error"], healed["last_export_id"] is None) == (None, False)


async def test_changing_a_schedule(world: World) -> None:
    made = await schedule(world)
    place = f"{SCHEDULES}/{made['schedule_id']}"
    assert (await call(world, "PATCH", place, {}))["schedule"] == made
    assert (await call(world, "PATCH", place, {"name": made["name"], "format": "md"}))["schedule"] == made
    assert await changes(world) == 0
    sundays = {"cron_expression": "30 12 * * 0", "frameworks": ["SOC2"]}
    changed = (await call(world, "PATCH", place, sundays))["schedule"]
    assert (changed["next_run_at"], changed["frameworks"]) == ("2026-03-08T12:30:00Z", ["soc2"])
    renamed = (await call(world, "PATCH", place, {"name": "Sundays"}))["schedule"]
    assert (renamed["name"], renamed["next_run_at"]) == ("Sundays", "2026-03-08T12:30:00Z")
    for body, code in (
        ({"cron_expression": "* * * * *"}, "invalid_body"),
        ({"cron_expression": "0 0 30 2 *"}, "invalid_body"),
        ({"frameworks": ["iso9001"]}, "framework_not_found"),
        ({"window_days": 0}, "invalid_body"),
    ):
        assert (await world.http("PATCH", place, body)).json()["code"] == code
    assert (await call(world, "GET", place))["schedule"] == renamed
    assert await changes(world) == 2


async def test_there_are_so_many_schedules_and_no_more(world: World) -> None:
    made = [await schedule(world) for _ in range(MOST_SCHEDULES)]
    refused = await world.http("POST", SCHEDULES, {"frameworks": ["soc2"], "cron_expression": "0 6 * * *"})
    assert (refused.status_code, refused.json()["code"]) == (409, "too_many_schedules")
    await call(world, "DELETE", f"{SCHEDULES}/{made[0]['schedule_id']}")
    await schedule(world)


async def test_another_organization_sees_nothing_of_it(world: World) -> None:
    made, planned = await export(world), await schedule(world)
    stranger = await world.stranger()
    schedules: Schedules = world.service.schedules
    with pytest.raises(Refusal) as unseen:
        await schedules.get(stranger, planned["schedule_id"])
    assert unseen.value.code == "compliance_schedule_not_found"
    assert (await schedules.all_of(stranger)).total == 0
    world.clock.turn(DAY)
    assert await turns(world) == 1
    rows = await world.service.ledger.read("SELECT DISTINCT org_id FROM compliance_exports")
    assert rows == [(world.org_id,)]
    assert made["org_id"] == world.org_id


async def test_the_service_takes_turns_by_itself(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assent_service.evidence.compliance.schedules.LOOK_SECONDS", 0.01)
    await schedule(world)
    world.clock.turn(DAY)
    await world.service.schedules.start()
    try:
        for _ in range(500):
            if (await call(world, "GET", EXPORTS))["total"]:
                break
            await asyncio.sleep(0.01)
    finally:
        await world.service.schedules.stop()
    assert (await call(world, "GET", EXPORTS))["total"] == 1
