"""Proofs asked for in every wrong way over HTTP: each has its exact answer, and nothing is recorded."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from assent.proof.note import Checkpoint, sign_checkpoint
from tests.stories.problems import refused
from tests.stories.proving import PROOF, VERIFY, bundle_of, checks, failing, whole_action
from tests.stories.tenant import Reply, Tenant
from tests.tiers import deep
from tests.vectors.sealing import KEY

Value = dict[str, Any]


@pytest.fixture(scope="module")
def owner(shared_tenant: Tenant) -> Tenant:
    shared_tenant.governed()
    return shared_tenant


@pytest.fixture(scope="module")
def action_id(owner: Tenant) -> str:
    return whole_action(owner)


@pytest.fixture(scope="module")
def good(owner: Tenant, action_id: str) -> Value:
    return bundle_of(owner, action_id)


@pytest.fixture(autouse=True)
def nothing_recorded(owner: Tenant, good: Value) -> Iterator[None]:
    before = owner.recorded()
    yield
    assert owner.recorded() == before


def verified(owner: Tenant, bundle: Any, **members: Any) -> Value:
    return owner.call("POST", VERIFY, {"bundle": bundle, **members}, key="auditor")


def detail(found: Value, name: str) -> str:
    (check,) = [each for each in found["checks"] if each["name"] == name]
    return str(check["detail"])


SIZE = 10**6
QUERIES = {
    f"{PROOF}?action_id=act_nobody": (404, "action_not_found", None),
    f"{PROOF}?action_id=act_nobody&format=bundle": (404, "action_not_found", None),
    f"{PROOF}/export?action_id=act_nobody": (404, "action_not_found", None),
    f"{PROOF}?action_id=../x": (400, "invalid_query", "action_id"),
    f"{PROOF}?format=xyz": (400, "invalid_query", "format"),
    f"{PROOF}?format=bundle&since=0": (400, "invalid_query", "since"),
    f"{PROOF}?format=bundle&since=-1": (400, "invalid_query", "since"),
    f"{PROOF}?format=bundle&since=1.5": (400, "invalid_query", "since"),
    f"{PROOF}?format=bundle&since=x": (400, "invalid_query", "since"),
    f"{PROOF}?format=bundle&since=9007199254740993": (400, "invalid_query", "since"),
    f"{PROOF}?format=bundle&since={SIZE}": (400, "invalid_query", "size"),
    f"{PROOF}/export?since={SIZE}": (400, "invalid_query", "size"),
    f"{PROOF}/export?bundle_id=sha256:{'0' * 64}": (404, "bundle_not_found", None),
    f"{PROOF}/export?bundle_id=sha256:{'A' * 64}": (400, "invalid_query", "bundle_id"),
    f"{PROOF}/export?bundle_id=../../wallet.key": (400, "invalid_query", "bundle_id"),
    "/api/log/head?size=0": (400, "invalid_query", "size"),
    "/api/log/head?size=-5": (400, "invalid_query", "size"),
    f"/api/log/head?size={SIZE}": (400, "invalid_query", "size"),
    "/api/log/inclusion": (400, "invalid_query", None),
    "/api/log/inclusion?n=-1": (400, "invalid_query", "n"),
    f"/api/log/inclusion?n={SIZE}": (400, "invalid_query", None),
    "/api/log/inclusion?n=5&size=5": (400, "invalid_query", "n"),
    "/api/log/inclusion?n=999999999999999999999": (400, "invalid_query", "n"),
    "/api/log/consistency": (400, "invalid_query", None),
    "/api/log/consistency?from=0": (400, "invalid_query", "from"),
    "/api/log/consistency?from=3&to=2": (400, "invalid_query", "from"),
    f"/api/log/consistency?from=1&to={SIZE}": (400, "invalid_query", "size"),
    f"/api/log/consistency?from={SIZE}": (400, "invalid_query", "size"),
}


@deep("bad input of each kind is in the quick tier")
@pytest.mark.parametrize("path", QUERIES)
def test_queries(owner: Tenant, path: str) -> None:
    status, code, place = QUERIES[path]
    reply = owner.send("GET", path, key="auditor")
    refused(reply, status, code)
    if place is not None:
        assert reply.places == [place]


@deep("bad input of each kind is in the quick tier")
def test_a_since_of_the_whole_log_and_an_empty_one(owner: Tenant, action_id: str) -> None:
    size = owner.recorded()
    assert bundle_of(owner, action_id, since=size)["consistency"] == []
    reply = owner.send("GET", f"{PROOF}?format=bundle&since={size + 1}")
    refused(reply, 400, "invalid_query")
    assert f"has {size} events" in reply.body["detail"]
    assert owner.send("GET", f"{PROOF}?action_id={action_id}&format=").body["schema"] == "svc.proof.snapshot.v1"


BODIES: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "invalid_body"),
    "neither": (b"{}", "invalid_body"),
    "both": (b'{"action_id":"a","bundle":{}}', "invalid_body"),
    "a bundle as text": (b'{"bundle":"{}"}', "invalid_body"),
    "a bundle as a list": (b'{"bundle":[]}', "invalid_body"),
    "an action as a number": (b'{"action_id":7}', "invalid_body"),
    "a since that is no text": (b'{"action_id":"a","since":7}', "invalid_body"),
    "a since that is too long": (b'{"action_id":"a","since":"' + b"x" * 4001 + b'"}', "invalid_body"),
    "no JSON": (b"bundle", "invalid_json"),
    "NaN": (b'{"bundle":{"a":NaN}}', "invalid_json"),
    "Infinity": (b'{"bundle":{"a":-Infinity}}', "invalid_json"),
    "a number of 5000 digits": (b'{"bundle":{"a":' + b"1" * 5000 + b"}}", "invalid_json"),
    "no UTF-8": (b'{"bundle":{"a":"\xff"}}', "invalid_json"),
    "a lone surrogate": (b'{"bundle":{"a":"\\ud800"}}', "invalid_json"),
    "a byte order mark": (b'\xef\xbb\xbf{"bundle":{}}', "invalid_json"),
    "ten thousand objects in one another": (b'{"bundle":' + b'{"a":' * 10_000 + b"1" + b"}" * 10_001, "invalid_json"),
    "ten thousand lists in one another": (
        b'{"bundle":{"a":' + b"[" * 10_000 + b"]" * 10_000 + b"}}",
        "invalid_json",
    ),
}


@deep("bad input of each kind is in the quick tier")
@pytest.mark.parametrize("name", BODIES)
def test_bodies(owner: Tenant, name: str) -> None:
    body, code = BODIES[name]
    refused(owner.send("POST", VERIFY, body, key="auditor"), 400, code)


def changed(path: str, value: Any) -> Callable[[Value], None]:
    """Sets one member, `drop` leaves it out."""

    def change(bundle: Value) -> None:
        *steps, last = [int(step) if step.isdigit() else step for step in path.split(".")]
        inner: Any = bundle
        for step in steps:
            inner = inner[step]
        if value == "drop":
            del inner[last]
        else:
            inner[last] = value

    return change


SCHEMAS = {
    "another schema": (changed("schema", "svc.proof.v2"), "its schema is 'svc.proof.v2'"),
    "a schema that is no text": (changed("schema", 1), "its schema is 1"),
    "no schema": (changed("schema", "drop"), "its schema is None"),
    "a member that is missing": (changed("checkpoint", "drop"), "missing required field `checkpoint`"),
    "a member that nobody knows": (changed("note", "hello"), "$.note is not a member that a bundle has"),
    "one deep inside": (changed("events.1.note", 1), "$.events[1].note is not a member"),
    "one in the envelope": (changed("attestation.signatures.0.cert", "x"), "$.attestation.signatures[0].cert"),
    "a number for a text": (changed("digest", 7), "$.digest"),
    "a text for a list": (changed("events", "x"), "$.events"),
    "null for a text": (changed("checkpoint", None), "$.checkpoint"),
    "another kind": (changed("kind", "agent"), "$.kind"),
    "no events": (changed("events", []), "$.events is empty"),
    "an action without its id": (changed("action_id", None), "$.action_id is null"),
    "too many keys": (changed("keys", [{"kty": "", "crv": "", "x": "", "kid": ""}] * 65), "$.keys has 65 entries"),
    "too many hashes": (changed("events.0.inclusion", ["00"] * 65), "a path has 65 hashes"),
    "too many events": (
        changed("events", [{"header": "", "body": None, "inclusion": []}] * 10_001),
        "$.events has 10001 entries",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_bundle_that_is_none(owner: Tenant, good: Value, name: str) -> None:
    change, said = SCHEMAS[name]
    bundle = copy.deepcopy(good)
    change(bundle)
    found = verified(owner, bundle)
    assert failing(found) == {"schema"}
    assert said in detail(found, "schema")
    assert found["certificate"] is None
    assert checks(found) == {"schema": "fail", "log": "not_checked", "database_row": "not_checked"}


HEADERS = ["", "not json", "[]", "1", "{}", '{"n":-1}', '{"n":"x"}', '{"n":99999999}', '{"n":1e999}', "{" * 5000]


@deep("bad input of each kind is in the quick tier")
@pytest.mark.parametrize("header", HEADERS, ids=range(len(HEADERS)))
def test_an_event_that_is_none(owner: Tenant, good: Value, header: str) -> None:
    bundle = copy.deepcopy(good)
    bundle["events"][0]["header"] = header
    assert failing(verified(owner, bundle)) == {"bundle_id", "inclusion", "log"}


@deep("bad input of each kind is in the quick tier")
def test_an_event_in_another_place(owner: Tenant, good: Value) -> None:
    bundle = copy.deepcopy(good)
    header = json.loads(bundle["events"][0]["header"])
    for n, said in ((10**9, "Event 1000000000 is not in the log."), (0, "Event 0 of the log is another one.")):
        bundle["events"][0]["header"] = json.dumps(header | {"n": n}, separators=(",", ":"))
        found = verified(owner, bundle)
        assert failing(found) == {"bundle_id", "inclusion", "log"}
        assert detail(found, "log") == said


def spelled(good: Value, what: str, instead: str) -> bytes:
    text = json.dumps({"bundle": good}, separators=(",", ":"))
    assert text.count(what) == 1, (what, text.count(what))
    return text.replace(what, instead).encode()


def twice(good: Value) -> dict[str, tuple[str, str]]:
    """Names that stand twice, at every depth: what is replaced by what."""
    sig, key = good["attestation"]["signatures"][0], good["keys"][0]
    inclusion = f'"inclusion":{json.dumps(good["events"][0]["inclusion"], separators=(",", ":"))}'
    return {
        "the bundle": ('{"bundle":{', '{"bundle":{},"bundle":{'),
        "the schema": ('"schema":"svc.proof.v1"', '"schema":"svc.proof.v1","schema":"svc.proof.v1"'),
        "the envelope's type": ('"payloadType":', '"payloadType":"x","payloadType":'),
        "a signature": (f'"sig":"{sig["sig"]}"', f'"sig":"","sig":"{sig["sig"]}"'),
        "a key": (f'"x":"{key["x"]}"', f'"x":"","x":"{key["x"]}"'),
        "a path": (inclusion, f'"inclusion":[],{inclusion}'),
        "a policy": ('"policies":[{', '"policies":[{"name":1,'),
        "spelled with an escape": ('"schema":', '"\\u0073chema":"svc.proof.v1","schema":'),
    }


@deep("bad input of each kind is in the quick tier")
@pytest.mark.parametrize(
    "name",
    ["the bundle", "the schema", "the envelope's type", "a signature", "a key", "a path", "a policy",
     "spelled with an escape"],
)  # fmt: skip
def test_a_name_that_stands_twice(owner: Tenant, good: Value, name: str) -> None:
    reply = owner.send("POST", VERIFY, spelled(good, *twice(good)[name]), key="auditor")
    assert reply.status == 200, reply.content[:500]
    assert failing(reply.body) == {"schema"}
    assert "stands twice" in detail(reply.body, "schema")


@deep("bad input of each kind is in the quick tier")
@pytest.mark.parametrize("number", ["9007199254740993", "-9007199254740992", "1" + "0" * 30])
def test_a_number_that_others_would_round(owner: Tenant, good: Value, number: str) -> None:
    reply = owner.send("POST", VERIFY, spelled(good, '"policies":[{', f'"policies":[{{"big":{number},'), key="auditor")
    assert (reply.status, failing(reply.body)) == (200, {"schema"}), reply.content[:300]
    assert "2**53 - 1" in detail(reply.body, "schema")


@deep("bad input of each kind is in the quick tier")
def test_a_thousandfold_nesting_that_the_door_lets_pass(owner: Tenant, good: Value) -> None:
    deep = '"policies":[{"deep":' + "[" * 400 + "]" * 400 + ","
    reply = owner.send("POST", VERIFY, spelled(good, '"policies":[{', deep), key="auditor")
    assert (reply.status, failing(reply.body)) == (200, {"schema"})
    assert "nested deeper than 128" in detail(reply.body, "schema")


@deep("bad input of each kind is in the quick tier")
def test_the_bundle_of_another_organization(owner: Tenant, new_tenant: Callable[[], Tenant], good: Value) -> None:
    other = new_tenant()
    other.create()
    foreign = bundle_of(other, other.create())
    found = verified(owner, foreign)
    assert failing(found) == {"key"}
    assert (checks(found)["log"], found["signer"]) == ("not_checked", "unknown")
    assert failing(other.call("POST", VERIFY, {"bundle": foreign})) == set()
    for path in (f"{PROOF}?action_id={good['action_id']}", f"{PROOF}/export?action_id={good['action_id']}"):
        refused(other.send("GET", path), 404, "action_not_found")
    refused(other.send("GET", f"{PROOF}/export?bundle_id={good['bundle_id']}"), 404, "bundle_not_found")
    refused(other.send("POST", VERIFY, {"action_id": good["action_id"]}), 404, "action_not_found")
    for name, value in (("org_id", other.org_id), ("action_id", "act_nobody")):
        assert {"bundle_id", "signature" if name == "action_id" else "checkpoint"} <= failing(
            verified(owner, good | {name: value})
        )


def heads(owner: Tenant) -> dict[str, tuple[str, str]]:
    """Heads that were not kept from here, and what is said about each."""
    own = owner.call("GET", "/api/log/head")
    size, at = own["size"], datetime(2026, 11, 20, tzinfo=UTC)
    forged = sign_checkpoint(
        Checkpoint(origin=own["origin"], size=size, root=bytes.fromhex(own["root"]), signed_at=at), KEY
    )
    other = sign_checkpoint(Checkpoint(origin="elsewhere/org_x", size=size, root=bytes(32), signed_at=at), KEY)
    lines = own["checkpoint"].splitlines()
    return {
        "garbage": ("hello", "not a checkpoint of the form"),
        "nothing": ("", "not a checkpoint of the form"),
        "another origin": (other, "the note names key"),
        "another key": (forged, "the note names key"),
        "another size": (own["checkpoint"].replace(f"\n{size}\n", f"\n{size - 1}\n"), "the signature is not that"),
        "a far larger size": (own["checkpoint"].replace(f"\n{size}\n", f"\n{10**15}\n"), "the signature is not that"),
        "no last newline": (own["checkpoint"][:-1], "not a checkpoint of the form"),
        "one more line": ("\n".join([*lines[:4], "more", *lines[4:], ""]), "not a checkpoint of the form"),
        "two signatures": (own["checkpoint"] + lines[-1] + "\n", "not a checkpoint of the form"),
    }


@deep("bad input of each kind is in the quick tier")
def test_a_head_that_is_none_of_ours(owner: Tenant, good: Value, action_id: str) -> None:
    for name, (note, said) in heads(owner).items():
        for body in ({"action_id": action_id}, {"bundle": good}):
            found: Reply = owner.send("POST", VERIFY, body | {"since": note}, key="auditor")
            assert found.status == 200, (name, found.content[:300])
            assert failing(found.body) == {"consistency"}, name
            assert said in detail(found.body, "consistency"), name
