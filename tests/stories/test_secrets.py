"""A secret in whatever an agent sends: none is stored, shown, exported or sent on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from msgspec import inspect

from assent.contract.analysis.data import DataTable
from assent.contract.endpoint import AnyEndpoint
from assent.contract.operations import ENDPOINTS
from assent.proof.private_key import Signer, new_private_key
from tests.live import WAIT, LiveService, start_service
from tests.sdk.secrets.samples import HELD, Sample
from tests.stories.proving import VERIFY, bundle_of
from tests.stories.tenant import Tenant
from tests.stories.test_authorization import ask
from tests.tiers import deep

FIRST = {sample.pattern: sample for sample in reversed(HELD)}
SAMPLES = tuple(FIRST.values())
WRITING = [each for each in ENDPOINTS if each.request is not None and each.roles is not None]
OF_PURPOSE = {
    # What the endpoint keeps as it is: where a secret goes in, and is meant to stay as it is or is not stored.
    "create_webhook": ("url",),
    "update_webhook": ("url",),
    "send_message": ("attachments",),
}


@pytest.fixture(scope="module")
def owner(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tenant]:
    home = tmp_path_factory.mktemp("secrets") / "home"
    with start_service(home) as service, httpx.Client(timeout=WAIT, trust_env=False) as http:
        yield Tenant(service, http)


def text_members(endpoint: AnyEndpoint[Any]) -> Iterator[tuple[str, str, int]]:
    """Members of the request that take a text, or anything, and how long it may be."""
    described = inspect.type_info(endpoint.request) if endpoint.request is not None else None
    assert isinstance(described, inspect.StructType)
    for field in described.fields:
        kinds = field.type.types if isinstance(field.type, inspect.UnionType) else (field.type,)
        for kind in kinds:
            if field.encode_name in OF_PURPOSE.get(endpoint.operation, ()):
                continue
            if isinstance(kind, inspect.StrType):
                yield field.encode_name, "text", kind.max_length or 100_000
            elif isinstance(kind, inspect.DictType | inspect.AnyType):
                yield field.encode_name, "object", 100_000
            elif isinstance(kind, inspect.ListType) and isinstance(kind.item_type, inspect.StrType | inspect.AnyType):
                length = kind.item_type.max_length if isinstance(kind.item_type, inspect.StrType) else None
                yield field.encode_name, "list", length or 100_000


def planted(kind: str, longest: int, turn: int) -> tuple[Any, list[Sample]]:
    """A value with as many secrets in it as it may hold."""
    sample = SAMPLES[turn % len(SAMPLES)]
    texts = [each.text for each in SAMPLES if not each.text.startswith("-----")]
    if kind == "object":
        named = {"password": FIRST["password"].secret, "deep": [{"clientSecret": FIRST["secret"].secret}]}
        return {"note": "\n".join(texts), sample.text: 1, **named}, list(SAMPLES)
    if longest > 4000 and kind == "text":
        return "\n".join([*texts, FIRST["private_key"].text]), list(SAMPLES)
    fitting = [each for each in SAMPLES[turn % len(SAMPLES) :] + SAMPLES if len(each.text) <= longest]
    return ([fitting[0].text] if kind == "list" else fitting[0].text), fitting[:1]


@pytest.mark.parametrize("endpoint", WRITING, ids=lambda each: each.operation)
def test_no_operation_gives_back_what_was_planted(owner: Tenant, endpoint: AnyEndpoint[Any]) -> None:
    asked = ask(endpoint.operation, owner)
    right = asked.body if isinstance(asked.body, dict) else {}
    for turn, (name, kind, longest) in enumerate(text_members(endpoint)):
        if name in endpoint.keeps_secrets or "*" in endpoint.keeps_secrets:
            continue
        value, samples = planted(kind, longest, turn)
        reply = owner.send(endpoint.method, asked.path, {**right, name: value})
        assert reply.status < 500, reply.content
        for sample in samples:
            assert sample.secret.encode() not in reply.content, (name, sample.pattern)
            assert json.dumps(sample.secret)[1:-1].encode() not in reply.content, (name, sample.pattern)
    if endpoint.operation == "halt":
        owner.call("DELETE", "/api/halt")


def held_in(content: bytes) -> list[str]:
    forms = ((sample, (sample.secret, json.dumps(sample.secret)[1:-1])) for sample in SAMPLES)
    return [sample.pattern for sample, texts in forms if any(text.encode() in content for text in texts)]


def test_none_is_in_what_is_served_as_tables(owner: Tenant) -> None:
    rows = 0
    for table in DataTable:
        reply = owner.send("GET", f"/api/data/{table.value}?format=ndjson")
        assert reply.status == 200
        assert held_in(reply.content) == [], table
        rows += reply.content.count(b"[REDACTED:")
    assert rows > 100


def test_none_is_on_the_disk(owner: Tenant) -> None:
    files = [file for file in Path(owner.service.home).rglob("*") if file.is_file()]
    found = {str(file): held_in(file.read_bytes()) for file in files}
    assert {name: patterns for name, patterns in found.items() if patterns} == {}
    assert held_in(owner.service.output.encode()) == []


@deep("one story of each kind is in the quick tier")
def test_escapes_do_not_get_around_it(tenant: Tenant) -> None:
    password = "hunter" + "2"
    spelled = "".join(f"\\u{ord(letter):04x}" for letter in "password=")
    for text in (f"{spelled}{password}", f"postgres:\\/\\/app:{password}@db\\/orders"):
        body = f'{{"action_type": "look", "declared_goal": "{text}"}}'.encode()
        reply = tenant.send("POST", "/api/actions", body)
        assert reply.status == 201
        assert password.encode() not in reply.content
        assert "[REDACTED:" in reply.body["action"]["declared_goal"]


def test_an_id_that_is_a_secret_is_refused_by_name(tenant: Tenant) -> None:
    key = FIRST["github_token"].secret
    before = tenant.recorded()
    for name in ("agent_id", "session_id", "action_id", "idempotency_key"):
        reply = tenant.send("POST", "/api/actions", {"action_type": "look", name: key})
        assert (reply.status, reply.code, reply.places) == (400, "invalid_body", [name])
        assert key.encode() not in reply.content
    reply = tenant.send("POST", "/api/actions", {"action_type": "look"}, idempotency_key=key)
    assert (reply.status, reply.places) == (400, ["Idempotency-Key"])
    assert tenant.recorded() == before


def test_a_policy_with_a_secret_is_refused_and_one_that_looks_for_them_is_kept(tenant: Tenant) -> None:
    def rules(pattern: str) -> dict[str, Any]:
        return {"when": {"field": "declared_goal", "op": "matches", "value": pattern}, "action": "block"}

    draft = {"name": "no passwords", "policy_type": "condition", "rules": rules(r"password=\S+|\[REDACTED:")}
    reply = tenant.send("POST", "/api/policies", draft)
    assert reply.status == 201, reply.content
    refused = tenant.send("POST", "/api/policies", {**draft, "name": FIRST["stripe_key"].text})
    assert (refused.status, refused.places) == (400, ["name"])
    blocked = tenant.send(
        "POST", "/api/actions", {"action_type": "look", "declared_goal": "password=" + "hunter" + "2"}
    )
    assert (blocked.status, blocked.code) == (403, "action_blocked")


@deep("one story of each kind is in the quick tier")
def test_an_approval_is_for_one_password_and_no_other(tenant: Tenant) -> None:
    tenant.governed()
    said = {"action_type": "pay", "declared_goal": "Pay", "systems_touched": ["bank"], "agent_id": "payer"}
    secret, other = {"password": "hunter" + "2"}, {"password": "hunter" + "3"}
    action_id = str(tenant.call("POST", "/api/actions", {**said, "parameters": secret}, key="agent")["action_id"])
    tenant.call("POST", f"/api/actions/{action_id}/approve", {"decision": "allow"}, key="operator")
    act = {name: value for name, value in said.items() if name != "agent_id"}
    wrong = tenant.send("POST", f"/api/actions/{action_id}/claim", {**act, "parameters": other}, key="agent")
    assert (wrong.status, wrong.code) == (409, "receipt_mismatch"), wrong.content
    right = tenant.send("POST", f"/api/actions/{action_id}/claim", {**act, "parameters": secret}, key="agent")
    assert right.status == 200, right.content


@deep("one story of each kind is in the quick tier")
def test_a_signed_creation_is_verified_as_it_was_sent_and_proven_as_it_is_kept(tenant: Tenant) -> None:
    key = new_private_key("Ed25519")
    with tenant.client("admin", "boss") as boss, tenant.client("agent", "bot", private_key=key) as agent:
        boss.register_identity("bot", Signer(key).public_pem, "Ed25519")
        sample = FIRST["aws_access_key"]
        created = agent.create_action("look", f"Read with {sample.text}", metadata={"password": "hunter" + "2"})
    assert created.action.verification == "verified"
    assert sample.secret not in str(created)
    assert created.action.metadata == {"password": "[REDACTED:password]"}
    bundle = bundle_of(tenant, created.action_id)
    assert sample.secret not in json.dumps(bundle)
    found = tenant.call("POST", VERIFY, {"bundle": bundle})
    assert found["ok"] is True
    assert sample.secret not in json.dumps(found)
    again = tenant.call("POST", VERIFY, {"action_id": created.action_id})
    assert again["ok"] is True


def test_a_text_that_grew_past_its_member_is_cut(tenant: Tenant) -> None:
    goal = "password=" + "hunter" + "2" + " " + "a" * (2000 - 17)
    made = tenant.call("POST", "/api/actions", {"action_type": "look", "declared_goal": goal})["action"]
    assert made["declared_goal"].startswith("password=[REDACTED:password] aaa")
    assert len(made["declared_goal"]) == 2000


@deep("one story of each kind is in the quick tier")
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda each: each.pattern)
def test_the_risk_stays_what_it_was(tenant: Tenant, sample: Sample) -> None:
    def risk(goal: str) -> float:
        return float(tenant.call("POST", "/api/guard", {"action_type": "look", "declared_goal": goal})["risk_score"])

    # The same goal with a word in the secret's place that is none.
    assert risk(sample.text) == risk(sample.text.replace(sample.secret, "x"))


@deep("test_kill has one in the quick tier")
def test_a_service_that_is_killed_has_none_on_its_disk(tmp_path: Path) -> None:
    with start_service(tmp_path / "home") as service, httpx.Client(timeout=WAIT, trust_env=False) as http:
        tenant = Tenant(service, http)
        for sample in SAMPLES:
            tenant.create(declared_goal=sample.text, metadata={"said": sample.text, sample.text: 1})
        service.kill()
        files = [file for file in Path(service.home).rglob("*") if file.is_file()]
        assert [held_in(file.read_bytes()) for file in files] == [[] for _ in files]


@deep("one story of each kind is in the quick tier")
def test_history_of_others_goes_through_the_same_door(service: LiveService, tenant: Tenant) -> None:
    said = {"actions": [{"action_type": "look", "declared_goal": FIRST["jwt"].text}], "agent_id": "bot"}
    found = tenant.call("POST", "/api/sync", said)
    assert found["total_errors"] == 0
    rows = tenant.send("GET", "/api/data/actions?format=ndjson").content
    assert b"[REDACTED:jwt]" in rows
    assert held_in(rows) == []
