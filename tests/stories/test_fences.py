"""What operations hold while they record is what they declare, and what they are overtaken by: each is called once as
it is meant to be, and those that hold more on certain conditions under these, on a service that writes down what it
holds and records. All that they record is overtaken once, by an event that another process might have recorded, so
every operation runs at least twice and has to come to what it comes to when nobody is faster."""

from __future__ import annotations

import itertools
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from assent.contract.endpoint import AnyEndpoint
from assent.contract.operations import ENDPOINTS
from assent_service.core.route import RECORDS_NOTHING
from tests.every import every
from tests.live import WAIT, start_service
from tests.stories.ask import Ask
from tests.stories.asks.grants import body as grant_body
from tests.stories.asks.messages import FILE
from tests.stories.asks.webhooks import NOWHERE
from tests.stories.tenant import Reply, Tenant
from tests.stories.test_authorization import BY_NAME, ask, send
from tests.tiers import deep

RARE = {"record_purchase": {"record"}}
"""A provider that somebody else notes down between looking for it and noting it down."""


COUNTED = {"rate", "key_rate", "signature"}
"""What memory counts before it is recorded: nobody waits for these."""
RULES = {
    *("policy.created", "policy.updated", "risk_template.created", "risk_template.updated", "halt.changed"),
    *("triage_plan.created", "triage_plan.stopped"),
    *("key.created", "key.revoked", "identity.created", "identity.updated", "evidence.erased"),
    *("allowed_text.created", "allowed_text.updated"),
}
"""What guard and the door rest on."""


BESIDE = {"webhook_delivery.updated"}
"""What a service records by itself, at any time: it stands in one append with whatever is written just then."""


@dataclass
class Declared:
    holds: set[str]
    unfenced: str
    effects: str


@dataclass
class Append:
    """What one append recorded, the fences held then, and what the log was told that it rests on and moves."""

    types: list[str]
    held: set[str]
    rests: set[str]
    moves: set[str]


@dataclass
class Happened:
    """`held` of all calls, `records` what each call recorded."""

    held: set[str] = field(default_factory=set)
    records: dict[int, list[Append]] = field(default_factory=dict)


@dataclass
class Findings:
    declared: dict[str, Declared] = field(default_factory=dict)
    happened: dict[str, Happened] = field(default_factory=dict)
    replies: dict[str, Reply] = field(default_factory=dict)

    def read(self, lines: list[dict[str, Any]]) -> None:
        for line in lines:
            operation = line["operation"]
            if "holds" in line:
                self.declared[operation] = Declared(set(line["holds"]), line["unfenced"], line["effects"])
                continue
            happened = self.happened.setdefault(operation, Happened())
            happened.held |= set(line["held"])
            if types := [each for each in line["types"] if each not in BESIDE]:
                append = Append(types, set(line["held"]), set(line["rests"]), set(line["moves"]))
                happened.records.setdefault(line["call"], []).append(append)


def under_conditions(owner: Tenant) -> None:
    """What is held only by some requests: with ids and keys of one's own, about what is there already, about files."""

    def said(operation: str, body: dict[str, Any], **headers: str) -> dict[str, Any]:
        endpoint = BY_NAME[operation]
        reply = owner.send(endpoint.method, endpoint.path, body, **headers)
        assert reply.status < 300, (operation, reply.content)
        return reply.body

    action_id, mail = owner.create(), {"from_agent_id": "bot", "body": "hello", "attachments": [FILE]}
    said(
        "register_open_loop", {"action_id": action_id, "loop_type": "other", "description": "d", "loop_id": "loop_own"}
    )
    said("record_assumption", {"action_id": action_id, "assumption": "it is so", "assumption_id": "asm_own"})
    decision = said("guard", {"action_type": "look"}, idempotency_key="the same")
    said("create_action", {"action_type": "look"}, idempotency_key="the same")
    said("create_action", {"action_type": "look", "action_id": "act_own"})
    said("create_action", {"action_type": "look", "decision_id": decision["decision_id"]})
    said("send_message", {**mail, "thread_id": said("create_message_thread", {"name": "a thread"})["thread_id"]})
    done = owner.create(status="completed")
    said("create_webhook", {"url": NOWHERE, "events": ["message.created"]})
    said("send_message", {**mail, "action_id": done})
    reply = owner.send("POST", BY_NAME["erase_action"].path.replace("{action_id}", done), {"reason": "asked for"})
    assert reply.status < 300, reply.content
    asking = {"action_type": "ask first", "agent_id": "bot"}
    said(
        "create_policy",
        {"name": "Ask first", "policy_type": "require_approval", "rules": {"action_types": ["ask first"]}},
    )
    said(
        "create_grant",
        {**grant_body(), "agent_ids": ["bot"], "action_type": "ask first", "max_risk": 100, "max_uses": 9},
    )
    through = said("create_action", asking)["action_id"]
    claim = BY_NAME["claim_action"].path.replace("{action_id}", through)
    assert owner.send("POST", claim, {"action_type": "ask first"}).status == 200
    said("set_triage", {"action_types": ["ask second"], "alpha": 0.2})
    said(
        "create_policy",
        {"name": "Ask second", "policy_type": "require_approval", "rules": {"action_types": ["ask second"]}},
    )
    second = {"action_type": "ask second", "reversible": True}
    said("create_action", {**second, "agent_id": "a quiet one"})
    said("sync_state", {"agent_id": "a quiet one", "actions": [second]})
    decision = said("guard", {"action_type": "look", "agent_id": "bot"})
    look = {"action_type": "look", "status": "completed"}
    sections = {
        "actions": [
            {**look, "idempotency_key": "an item"},
            {**look, "decision_id": decision["decision_id"]},
            {"action_type": "ask first"},
        ],
        "connections": [{"provider": "mail"}],
        "handoffs": [{"summary": "s"}],
        "context_points": [{"content": "c"}],
        "context_threads": [{"name": "n"}],
        "goals": [{"title": "t"}],
    }
    for _ in range(2):
        result = said("sync_state", {"agent_id": "bot", **sections})
        assert not any(each.get("errors") for each in result["results"].values()), result
        said("create_thread", {"name": "one thread"})
        said("save_shared_doc", {"name": "one document", "content": "c"})
        said("save_snippet", {"name": "one snippet", "code": "c"})
        said("record_preference", {"type": "preference", "preference": "short answers"})
        said("record_purchase", ask("record_purchase", owner).body)
        asked = ask("add_agent_capability", owner)
        for _ in range(2):
            owner.send("POST", asked.path, asked.body)


def look(folder: Path, overtaken: str) -> Findings:
    """Every operation, called on a service of its own."""
    file = folder / "fences.jsonl"
    found = Findings()
    env = {"FENCES": str(file), "OVERTAKEN": overtaken}
    with (
        start_service(folder / "home", module="tests.stories.fenced_service", wait=WAIT, port=None, **env) as running,
        httpx.Client(timeout=WAIT, trust_env=False) as http,
    ):
        owner = Tenant(running, http)
        owner.governed()
        for endpoint in ENDPOINTS:
            asked = ask(endpoint.operation, owner)
            key = running.admin_key if endpoint.operation == "create_org" else "admin"
            reply = found.replies[endpoint.operation] = send(owner, endpoint.operation, asked, key)
            assert reply.status < 300, (endpoint.operation, reply.content)
            if endpoint.operation == "halt":
                send(owner, "resume", Ask(BY_NAME["resume"].path, None), "admin")
        under_conditions(owner)
    found.read([json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()])
    return found


@pytest.fixture(scope="module")
def findings(tmp_path_factory: pytest.TempPathFactory) -> Findings:
    return look(tmp_path_factory.mktemp("fences"), overtaken="1")


@every("endpoint", ENDPOINTS, ids=lambda endpoint: endpoint.operation)
def test_what_an_operation_holds_and_records_is_what_it_declares(
    findings: Findings, endpoint: AnyEndpoint[Any]
) -> None:
    declared = findings.declared[endpoint.operation]
    happened = findings.happened.get(endpoint.operation, Happened())
    assert happened.held <= declared.holds, "it holds what it does not declare"
    if declared.unfenced == RECORDS_NOTHING or not (declared.holds or declared.unfenced):
        assert not happened.records, "it records, and declares nothing of it"
    if not declared.effects:
        assert all(len(appends) == 1 for appends in happened.records.values()), (
            "what it has recorded before it records again is an effect"
        )


@every("endpoint", ENDPOINTS, ids=lambda endpoint: endpoint.operation)
def test_what_an_operation_declares_it_holds_at_some_time(findings: Findings, endpoint: AnyEndpoint[Any]) -> None:
    happened = findings.happened.get(endpoint.operation, Happened())
    assert findings.declared[endpoint.operation].holds == happened.held | RARE.get(endpoint.operation, set())


@every("endpoint", ENDPOINTS, ids=lambda endpoint: endpoint.operation)
def test_what_is_recorded_rests_on_what_is_held_and_on_the_rules(
    findings: Findings, endpoint: AnyEndpoint[Any]
) -> None:
    for append in itertools.chain(*findings.happened.get(endpoint.operation, Happened()).records.values()):
        assert append.rests - COUNTED == append.held | {"rules"}
        rules = {"rules"} if RULES.intersection(append.types) else set[str]()
        assert append.moves == append.held | (append.rests & COUNTED) | rules


@deep("a second service, and every operation once more")
def test_whoever_is_overtaken_answers_and_records_what_others_do(
    findings: Findings, tmp_path_factory: pytest.TempPathFactory
) -> None:
    alone = look(tmp_path_factory.mktemp("alone"), overtaken="")
    for operation, reply in alone.replies.items():
        assert findings.replies[operation].status == reply.status, operation
        if reply.headers.get("content-type") == "application/json":
            assert shape(findings.replies[operation].body) == shape(reply.body), operation
        before, after = (each.happened.get(operation, Happened()).records for each in (alone, findings))
        # Several at once come in any order, and who is overtaken comes later.
        assert [sorted(each.types for each in appends) for appends in after.values()] == [
            sorted(each.types for each in appends) for appends in before.values()
        ], operation


def shape(value: Any) -> Any:
    """What an answer is made of, without its ids, times and numbers, and so without the order of a list: ids order what
    is of one millisecond."""
    if isinstance(value, dict):
        return {name: shape(member) for name, member in value.items()}
    if isinstance(value, list):
        return sorted((shape(member) for member in value), key=json.dumps)
    return type(value).__name__
