"""Proof for a stranger: a file, a key set that anybody can fetch, an old tree head, and no service any more."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import httpx
import pytest

from assent import Forbidden, InvalidRequest, NotFound
from assent.contract.evidence.log import LogHead
from assent.contract.evidence.proofs import ProofBundle, ProofSnapshot
from tests.live import WAIT, start_service
from tests.stories.proving import assent, bundle_of, checks, failing, offline, published_keys, whole_action
from tests.stories.tenant import Tenant
from tests.tiers import deep

ALL_PASS = {
    "schema", "bundle_id", "key", "checkpoint", "signature", "digest", "inclusion", "certificate",
    "checkpoint_coverage", "policy_replay", "approval_receipt", "consistency",
}  # fmt: skip


def test_a_stranger_checks_an_action_when_the_service_is_gone(tmp_path: Path) -> None:
    exported, keys, head = tmp_path / "proof.json", tmp_path / "jwks.json", tmp_path / "old-head.note"
    with start_service(tmp_path / "home") as service, httpx.Client(timeout=WAIT, trust_env=False) as http:
        tenant = Tenant(service, http)
        tenant.governed()
        with tenant.client("auditor") as auditor:
            head.write_text(auditor.get_log_head().checkpoint, encoding="utf-8")
            action_id = whole_action(tenant)
            old = int(head.read_text(encoding="utf-8").splitlines()[1])
            exported.write_bytes(auditor.export_proof(action_id, since=old).data)
        with urlopen(f"{service.base_url}/.well-known/jwks.json?org_id={tenant.org_id}", timeout=WAIT) as answer:
            keys.write_bytes(answer.read())
    good = assent("verify", exported, "--key", keys, "--head", head, "--json")
    assert good.returncode == 0, good.stderr
    found = json.loads(good.stdout)
    assert checks(found) == dict.fromkeys(ALL_PASS, "pass")
    assert (found["ok"], found["signer"], found["action_id"]) == (True, "trusted", action_id)
    told = found["certificate"]
    assert told["approval"]["reasoning"] == "Seen the invoice."
    assert told["approval"]["conditions"] == ["Before noon"]
    assert [each["assumption"] for each in told["assumptions"]] == ["The invoice is real"]
    value = json.loads(exported.read_bytes())
    body = value["events"][-1]["body"]
    value["events"][-1]["body"] = body.replace("paid", "Paid")
    assert value["events"][-1]["body"] != body
    tampered = tmp_path / "tampered.json"
    tampered.write_text(json.dumps(value))
    table = assent("verify", tampered, "--key", keys)
    assert table.returncode == 1
    assert "NOT verified: bundle_id, inclusion" in table.stderr
    assert "inclusion\tfail\t" in table.stdout
    bad = assent("verify", tampered, "--key", keys, "--json")
    assert bad.returncode == 1
    assert failing(json.loads(bad.stdout)) == {"bundle_id", "inclusion"}


@pytest.fixture(scope="module")
def done(shared_tenant: Tenant) -> str:
    shared_tenant.governed()
    return whole_action(shared_tenant)


def test_the_forms_of_a_proof(shared_tenant: Tenant, done: str) -> None:
    org_id = shared_tenant.org_id
    with shared_tenant.client("auditor") as auditor:
        of_org, of_action = auditor.get_governance_proof(), auditor.get_governance_proof(done)
        org_bundle = auditor.get_governance_proof(format="bundle")
        action_bundle = auditor.get_governance_proof(done, format="bundle")
    assert isinstance(of_org, ProofSnapshot)
    assert isinstance(of_action, ProofSnapshot)
    assert isinstance(org_bundle, ProofBundle)
    assert isinstance(action_bundle, ProofBundle)
    assert [(each.kind, each.org_id, each.action_id) for each in (of_org, of_action, org_bundle, action_bundle)] == [
        ("organization", org_id, None),
        ("action", org_id, done),
        ("organization", org_id, None),
        ("action", org_id, done),
    ]
    assert of_org.ok
    assert of_action.ok
    assert of_action.summary == f"The proof of action {done} holds, under a signed log of {of_action.head.size} events."
    assert of_action.digest == action_bundle.digest
    assert {check.name.value: check.status.value for check in of_action.checks} == {
        **dict.fromkeys(ALL_PASS, "pass"), "consistency": "not_checked", "log": "pass", "database_row": "pass",
    }  # fmt: skip
    keys = published_keys(shared_tenant.service, org_id)
    for bundle in (org_bundle, action_bundle):
        found = offline(bundle, keys)
        assert failing(found) == set()
        assert found["signer"] == "trusted"
    # The snapshot says what the bundle certifies.
    assert offline(action_bundle, keys)["certificate"] == of_action.certificate
    assert of_action.certificate["outcome"]["status"] == "completed"


def test_verifying_by_action_and_by_bundle(shared_tenant: Tenant, done: str) -> None:
    with shared_tenant.client("auditor") as auditor:
        bundle = auditor.get_governance_proof_bundle(done)
        by_action = auditor.verify_governance_proof(done)
        by_bundle = auditor.verify_governance_proof(bundle=bundle)
        of_org = auditor.verify_governance_proof(bundle=auditor.get_governance_proof_bundle())
        with pytest.raises(InvalidRequest):
            auditor.verify_governance_proof()
        with pytest.raises(InvalidRequest):
            auditor.verify_governance_proof(done, bundle)
        with pytest.raises(NotFound):
            auditor.verify_governance_proof("act_nobody")
    assert by_action.ok
    assert by_bundle.ok
    assert of_org.ok
    assert by_action.digest == by_bundle.digest == bundle.digest
    assert by_action.checks == by_bundle.checks


@deep("one story of each kind is in the quick tier")
def test_exports(shared_tenant: Tenant, done: str) -> None:
    with shared_tenant.client("auditor") as auditor:
        of_action = auditor.export_proof(done)
        value = json.loads(of_action.data)
        again = auditor.export_proof(bundle_id=value["bundle_id"])
        of_org = auditor.export_proof()
        with pytest.raises(NotFound):
            auditor.export_proof(bundle_id="sha256:" + 64 * "0")
        with pytest.raises(InvalidRequest):
            auditor.export_proof(done, value["bundle_id"])
    # The first proof makes the key that it is signed with.
    keys = published_keys(shared_tenant.service, shared_tenant.org_id)
    assert again == of_action
    assert of_action.mime_type == "application/vnd.svc.proof.v1+json"
    assert of_action.filename == f"proof-{done}-{value['bundle_id'][7:19]}.json"
    for file, kind in ((of_action, "action"), (of_org, "organization")):
        found = offline(file.data, keys)
        assert (failing(found), found["kind"]) == (set(), kind)


def test_an_agent_has_its_actions_and_not_the_organization(shared_tenant: Tenant, done: str) -> None:
    shared_tenant.add_key("payers", "agent", "payer")
    shared_tenant.add_key("others", "agent", "another")
    with shared_tenant.client("payers", "payer") as payer, shared_tenant.client("others", "another") as other:
        assert payer.verify_governance_proof(bundle=json.loads(payer.export_proof(done).data)).ok
        for asks in (payer.get_governance_proof, payer.export_proof):
            with pytest.raises(Forbidden):
                asks()
        for foreign in (other.get_governance_proof, other.export_proof, other.verify_governance_proof):
            with pytest.raises(NotFound):
                foreign(done)


@deep("one story of each kind is in the quick tier")
async def test_an_awaiting_client_does_the_same(shared_tenant: Tenant, done: str) -> None:
    async with shared_tenant.async_client("auditor") as auditor:
        snapshot = await auditor.get_governance_proof(done)
        bundle = await auditor.get_governance_proof(done, format="bundle")
        head = await auditor.get_log_head()
        assert isinstance(snapshot, ProofSnapshot)
        assert isinstance(bundle, ProofBundle)
        assert isinstance(head, LogHead)
        assert (await auditor.verify_governance_proof(done, since=head.checkpoint)).ok
        assert (await auditor.verify_governance_proof(bundle=bundle)).ok
        file = await auditor.export_proof(done)
        assert json.loads((await auditor.export_proof(bundle_id=bundle.bundle_id)).data)["digest"] == bundle.digest
        included = await auditor.get_inclusion_proof(0)
        grown = await auditor.get_consistency_proof(1, head.size)
    assert snapshot.ok
    assert failing(offline(file.data, published_keys(shared_tenant.service, shared_tenant.org_id))) == set()
    assert (included.n, included.head.checkpoint) == (0, head.checkpoint)
    assert (grown.first.size, grown.second.root) == (1, head.root)


@deep("one story of each kind is in the quick tier")
def test_a_head_that_somebody_kept_is_shown_to_be_the_beginning(tenant: Tenant) -> None:
    kept = tenant.call("GET", "/api/log/head")
    action_id = tenant.create()
    keys = published_keys(tenant.service, tenant.org_id)
    with_step: dict[str, Any] = bundle_of(tenant, action_id, since=kept["size"])
    assert checks(offline(with_step, keys, kept["checkpoint"]))["consistency"] == "pass"
    without = offline(bundle_of(tenant, action_id), keys, kept["checkpoint"])
    assert failing(without) == {"consistency"}
    (check,) = [each for each in without["checks"] if each["name"] == "consistency"]
    assert f"export it again with since={kept['size']}" in check["detail"]
