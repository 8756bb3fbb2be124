"""Erasing an action over HTTP: nothing that was said about it is left anywhere, and everything else is as it was."""

from __future__ import annotations

import json
import subprocess
import sys
from base64 import b64decode, b64encode
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import duckdb
import httpx
import pytest

from assent.contract.analysis.data import DataTable
from assent.errors import Gone
from assent_service import rebuild
from tests.live import WAIT, LiveService, start_service
from tests.stories.tenant import Tenant
from tests.tiers import deep

LISTS = (
    "/api/actions?limit=200",
    "/api/guard?limit=200",
    "/api/assumptions?limit=200",
    "/api/actions/loops?limit=200",
    "/api/actions/signals",
    "/api/messages?limit=200",
    "/api/feedback?limit=200",
    "/api/evaluations?limit=200",
    "/api/activity?limit=200",
    "/api/webhooks",
)


@pytest.fixture
def own(tmp_path: Path, http: httpx.Client) -> Iterator[tuple[LiveService, Tenant]]:
    """A service that this test alone uses, and may stop."""
    service = start_service(tmp_path / "home")
    try:
        tenant = Tenant(service, http)
        tenant.governed()
        yield service, tenant
    finally:
        tenant.service.stop()


def live_through(tenant: Tenant, word: str) -> dict[str, Any]:
    """An action with `word` in everything that can be said about it; its id, and those of what belongs to it."""
    key = f"key of {word}"
    made = tenant.send(
        "POST",
        "/api/actions",
        {
            "action_type": "pay",
            "agent_id": "bot",
            "declared_goal": f"goal {word}",
            "agent_name": f"name {word}",
            "reasoning": f"reasoning {word}",
            "authorization_scope": f"scope {word}",
            "trigger": f"trigger {word}",
            "systems_touched": [f"system {word}"],
            "input_summary": f"input {word}",
            "metadata": {f"member {word}": [f"value {word}"]},
            "context_note": f"context {word}",
        },
        key="agent",
        idempotency_key=key,
    )
    assert made.status == 202, made.content
    action_id = made.body["action_id"]
    about = {"action_id": action_id}
    belief = tenant.call("POST", "/api/assumptions", {**about, "assumption": f"belief {word}", "basis": word})
    tenant.call(
        "PATCH",
        f"/api/assumptions/{belief['assumption_id']}",
        {"validated": False, "invalidated_reason": f"wrong {word}"},
    )
    tenant.call("POST", "/api/actions/loops", {**about, "loop_type": "question", "description": f"loop {word}"})
    file = {"filename": f"{word}.txt", "mime_type": "text/plain", "data": b64encode(f"file {word}".encode()).decode()}
    message = tenant.call(
        "POST",
        "/api/messages",
        {**about, "from_agent_id": "bot", "subject": f"s {word}", "body": f"b {word}", "attachments": [file]},
        key="agent",
    )
    tenant.call(
        "POST", f"/api/approvals/{action_id}", {"decision": "allow", "reasoning": f"allowed {word}"}, key="operator"
    )
    tenant.call("POST", "/api/feedback", {**about, "comment": f"comment {word}", "rating": 2})
    tenant.call(
        "POST", "/api/evaluations", {**about, "scorer_name": "people", "score": 0.5, "reasoning": f"judged {word}"}
    )
    tenant.call("PATCH", f"/api/actions/{action_id}", {"status": "failed", "error_message": f"error {word}"})
    tenant.call("PATCH", f"/api/actions/{action_id}", {"status": "completed", "output_summary": f"output {word}"})
    return {
        "action_id": action_id,
        "decision_id": tenant.action(action_id)["decision_id"],
        "assumption_id": belief["assumption_id"],
        "attachment_id": message["message"]["attachments"][0]["id"],
        "key": key,
        "file": sha256(f"file {word}".encode()).hexdigest(),
    }


def said(tenant: Tenant) -> bytes:
    """Everything that the organization can read in lists, as data, and from the beginning of its stream."""
    answers = [tenant.send("GET", path) for path in LISTS]
    answers += [tenant.send("GET", f"/api/data/{table}?format=ndjson&window=90d") for table in DataTable]
    assert all(reply.status == 200 for reply in answers), [
        reply.content[:200] for reply in answers if reply.status > 200
    ]
    return b"".join([*(reply.content for reply in answers), stream_of(tenant)])


def stream_of(tenant: Tenant) -> bytes:
    """The stream, resumed after its first event, up to now."""
    lines: list[str] = []
    headers = {"x-api-key": tenant.keys["admin"], "last-event-id": "0"}
    with tenant.http.stream("GET", f"{tenant.service.base_url}/api/stream", headers=headers, timeout=WAIT) as response:
        for line in response.iter_lines():
            lines.append(line)
            if line == "event: connected":
                return "\n".join(lines).encode()
    raise AssertionError("the stream ended without a word")


def files_with(home: Path, word: str, *, tables: bool) -> list[str]:
    """Files of the data folder that hold the word; those of DuckDB only when `tables`."""
    return [
        str(path.relative_to(home))
        for path in sorted(home.rglob("*"))
        if path.is_file() and (tables or "duckdb" not in path.name) and word.encode() in path.read_bytes()
    ]


def rows_with(home: Path, word: str) -> list[str]:
    """Tables of a stopped service that hold the word in any column of any row."""
    found = []
    with duckdb.connect(str(home / "tables.duckdb"), read_only=True) as connection:
        for (table,) in connection.execute("SELECT table_name FROM information_schema.tables").fetchall():
            ((count,),) = connection.execute(
                f'SELECT count(*) FROM "{table}" AS t WHERE contains(t::VARCHAR, $1)', [word]
            ).fetchall()
            found += [str(table)] if count else []
    return found


def leaves(home: Path) -> list[bytes]:
    lines = b"".join(path.read_bytes() for path in sorted((home / "log").glob("*.log"))).splitlines()
    return [line.split(b" ", 3)[2] for line in lines]


def test_nothing_is_left_and_all_else_is_as_it_was(own: tuple[LiveService, Tenant]) -> None:
    service, tenant = own
    gone, kept = live_through(tenant, "xylomarker"), live_through(tenant, "quartzmarker")
    before = said(tenant)
    assert before.count(b"xylomarker") > 20
    kept_before = tenant.send("GET", f"/api/actions/{kept['action_id']}").content
    leaves_before = leaves(service.home)

    erased = tenant.call("POST", f"/api/actions/{gone['action_id']}/erase", {"reason": "ticket 7"})
    assert erased["erased_by_key"] == tenant.key_ids["admin"]
    assert (erased["action_id"], erased["decision_id"]) == (gone["action_id"], gone["decision_id"])
    assert erased["reason"] == "ticket 7"

    assert "xylomarker" not in said(tenant).decode()
    assert files_with(service.home, "xylomarker", tables=False) == []
    assert not (service.home / "blobs" / tenant.org_id / gone["file"]).exists()
    assert leaves(service.home)[: len(leaves_before)] == leaves_before
    log = b"".join(path.read_bytes() for path in (service.home / "log").glob("*.log")).splitlines()
    assert sum(not line.split(b" ", 4)[4].strip() for line in log) == erased["events"] >= 12
    _answers_are_right(tenant, gone, kept, kept_before)

    service.stop()
    assert rows_with(service.home, "xylomarker") == []
    assert "actions" in rows_with(service.home, "quartzmarker")
    tenant.service = again = start_service(service.home)
    assert "xylomarker" not in said(tenant).decode()
    _answers_are_right(tenant, gone, kept, kept_before)
    again.stop()

    rebuild.run(service.home)
    assert files_with(service.home, "xylomarker", tables=True) == []
    assert rows_with(service.home, "xylomarker") == []
    tenant.service = start_service(service.home)
    after = said(tenant)
    assert "xylomarker" not in after.decode()
    assert after.count(b"quartzmarker") > 20
    _answers_are_right(tenant, gone, kept, kept_before)
    assert tenant.create("look", key="agent")


def _answers_are_right(tenant: Tenant, gone: dict[str, Any], kept: dict[str, Any], kept_before: bytes) -> None:
    action_id = gone["action_id"]
    path = f"/api/actions/{action_id}"
    for method, where, body in (
        ("GET", path, None),
        ("GET", f"{path}/trace", None),
        ("GET", f"{path}/graph", None),
        ("PATCH", path, {"status": "failed"}),
        ("POST", f"{path}/outcome", {"status": "completed", "summary": "again"}),
        ("POST", f"{path}/erase", {"reason": "again"}),
        ("POST", f"/api/approvals/{action_id}", {"decision": "allow"}),
        ("POST", "/api/assumptions", {"action_id": action_id, "assumption": "late"}),
        ("POST", "/api/actions/loops", {"action_id": action_id, "loop_type": "question", "description": "late"}),
        ("POST", "/api/messages", {"action_id": action_id, "from_agent_id": "bot", "body": "late"}),
        ("POST", "/api/feedback", {"action_id": action_id, "comment": "late"}),
        ("POST", "/api/evaluations", {"action_id": action_id, "scorer_name": "people", "score": 0.1}),
        ("POST", "/api/actions", {"action_type": "look", "action_id": action_id}),
    ):
        reply = tenant.send(method, where, body)
        assert (reply.status, reply.code) == (410, "action_erased"), (method, where, reply.content)
        assert "the admin" in reply.body["detail"] or "key" in reply.body["detail"], reply.body
    repeated = tenant.send(
        "POST", "/api/actions", {"action_type": "look", "agent_id": "bot"}, key="agent", idempotency_key=gone["key"]
    )
    assert (repeated.status, repeated.code) == (410, "action_erased")
    for where, code in (
        (f"/api/assumptions/{gone['assumption_id']}", "assumption_not_found"),
        (f"/api/messages/attachments?id={gone['attachment_id']}", "attachment_not_found"),
    ):
        reply = tenant.send("GET", where)
        assert (reply.status, reply.code) == (404, code), (where, reply.content)
    assert tenant.send("GET", f"/api/actions/{kept['action_id']}").content == kept_before
    file = tenant.send("GET", f"/api/messages/attachments?id={kept['attachment_id']}")
    assert file.content == b"file quartzmarker"


@deep("one story of each kind is in the quick tier")
def test_its_proof_stays_valid_and_says_so(own: tuple[LiveService, Tenant], tmp_path: Path) -> None:
    service, tenant = own
    gone, kept = live_through(tenant, "xylomarker"), live_through(tenant, "quartzmarker")
    proof = f"/api/governance/proof?format=bundle&action_id={gone['action_id']}"
    export = f"/api/governance/proof/export?action_id={kept['action_id']}"
    old = tmp_path / "kept.json"
    old.write_bytes(tenant.send("GET", export).content)
    assert b"xylomarker" in tenant.send("GET", f"/api/governance/proof/export?action_id={gone['action_id']}").content
    assert files_with(service.home / "bundles", "xylomarker", tables=True)
    tenant.call("POST", f"/api/actions/{gone['action_id']}/erase", {"reason": "ticket 7"})
    assert files_with(service.home / "bundles", "xylomarker", tables=True) == []

    bundle = tenant.call("GET", proof)
    assert "xylomarker" not in json.dumps(bundle)
    again = tenant.send("GET", f"/api/governance/proof/export?bundle_id={bundle['bundle_id']}")
    assert (again.status, json.loads(again.content)) == (200, bundle)
    fresh = tmp_path / "gone.json"
    fresh.write_bytes(tenant.send("GET", f"/api/governance/proof/export?action_id={gone['action_id']}").content)
    checked = tenant.call("POST", "/api/governance/proof/verify", {"action_id": gone["action_id"]})
    assert [each for each in checked["checks"] if each["status"] == "fail"] == []
    assert checked["ok"]
    certificate = json.loads(b64decode(bundle["attestation"]["payload"]))["predicate"]
    assert certificate["erasure"]["erased_by_key"] == tenant.key_ids["admin"]
    service.stop()
    for file in (fresh, old):
        said = assent("verify", str(file), "--json")
        assert said.returncode == 0, said.stdout + said.stderr
    said = assent("log", "verify", "--home", str(service.home), "--tables", "--json")
    assert said.returncode == 0, said.stdout + said.stderr


def assent(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from assent.cli import main; main()", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )


@deep("one story of each kind is in the quick tier")
def test_who_may_know_of_it(tenant: Tenant, new_tenant: Any) -> None:
    """Another organization, and another agent, are told that there is no such action, as ever."""
    tenant.add_key("bot", "agent", "bot")
    tenant.add_key("other", "agent", "other")
    action_id = tenant.create(agent_id="bot", status="completed")
    stranger: Tenant = new_tenant()
    assert stranger.send("POST", f"/api/actions/{action_id}/erase", {"reason": "x"}).code == "action_not_found"
    tenant.call("POST", f"/api/actions/{action_id}/erase", {"reason": "x"})
    path = f"/api/actions/{action_id}"
    assert tenant.send("GET", path, key="bot").code == "action_erased"
    assert tenant.send("GET", path, key="other").code == "action_not_found"
    assert stranger.send("GET", path).code == "action_not_found"
    assert tenant.send("POST", "/api/actions", {"action_type": "look", "action_id": action_id}, key="other").code == (
        "action_exists"
    )


@pytest.mark.parametrize("status", ["running", "pending", "pending_approval"])
def test_an_action_that_goes_on_is_refused(tenant: Tenant, status: str) -> None:
    action_id = tenant.create(status=status)
    before = tenant.recorded()
    reply = tenant.send("POST", f"/api/actions/{action_id}/erase", {"reason": "x"})
    assert (reply.status, reply.code) == (409, "action_open")
    assert status in reply.body["detail"]
    assert tenant.recorded() == before
    assert tenant.action(action_id)["status"] == status


@deep("one story of each kind is in the quick tier")
@pytest.mark.parametrize("reason", [None, "", "   ", "x" * 1001, 7])
def test_a_reason_is_needed(tenant: Tenant, reason: Any) -> None:
    action_id = tenant.create(status="completed")
    body = {} if reason is None else {"reason": reason}
    reply = tenant.send("POST", f"/api/actions/{action_id}/erase", body)
    assert (reply.status, reply.code) == (400, "invalid_body"), reply.content
    assert tenant.action(action_id)["status"] == "completed"


@deep("one story of each kind is in the quick tier")
def test_the_client_erases(tenant: Tenant) -> None:
    action_id = tenant.create(status="failed")
    with tenant.client("admin", None) as boss:
        assert boss.erase_action(action_id, "asked for").events == 2
        with pytest.raises(Gone, match=action_id):
            boss.get_action(action_id)


@deep("one story of each kind is in the quick tier")
def test_the_erasure_itself_is_on_the_stream_and_in_the_data(tenant: Tenant) -> None:
    action_id = tenant.create(status="completed", declared_goal="secret goal")
    tenant.call("POST", f"/api/actions/{action_id}/erase", {"reason": "ticket 9"})
    rows = [json.loads(line) for line in tenant.send("GET", "/api/data/erasures?format=ndjson").content.splitlines()]
    assert [(row["action_id"], row["reason"]) for row in rows] == [(action_id, "ticket 9")]
    found = stream_of(tenant).decode()
    assert "event: evidence.erased" in found
    assert "secret goal" not in found
