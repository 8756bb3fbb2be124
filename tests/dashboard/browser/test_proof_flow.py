"""A proof is read, taken away, and brought back: as it was, and with one word changed."""

from __future__ import annotations

from pathlib import Path

import msgspec
from playwright.sync_api import FilePayload, expect

from assent.contract.evidence.proofs import BUNDLE_LIMIT
from assent.contract.evidence.wallet import Jwks
from assent.proof.verify import verify
from tests.dashboard.browser.dashboard import Operator
from tests.stories.tenant import Tenant
from tests.tiers import deep


def upload(desk: Operator, content: bytes) -> None:
    given = FilePayload(name="bundle.json", mimeType="application/json", buffer=content)
    desk.page.set_input_files(".st-key-proof_file input[type=file]", files=given)


def verdict(desk: Operator, text: str) -> None:
    expect(desk.page.locator(".st-key-proof_verdict")).to_contain_text(text)


def download(desk: Operator, key: str) -> bytes:
    with desk.page.expect_download() as coming:
        desk.page.locator(f".st-key-{key} button").locator("visible=true").first.click()
    return Path(coming.value.path()).read_bytes()


def test_a_proof_is_taken_away_and_brought_back(desk: Operator, tenant: Tenant) -> None:
    tenant.governed()
    action_id = tenant.create("pay", declared_goal="Pay invoice 7", agent_id="payer", risk_score=10)
    tenant.call("POST", f"/api/actions/{action_id}/approve", {"decision": "allow", "reasoning": "Ok"}, key="operator")
    tenant.call("PATCH", f"/api/actions/{action_id}", {"status": "completed", "output_summary": "Paid 50 EUR"})
    desk.sign_in(tenant.keys["operator"], f"/proof?action={action_id}")
    desk.heading("Pay invoice 7")
    verdict(desk, "This proof holds")
    desk.is_at(f"action={action_id}")
    for check in ("signature", "inclusion", "approval_receipt", "database_row"):
        expect(desk.page.locator(f".st-key-proof_check_{check}")).to_be_visible()
    expect(desk.page.locator(".st-key-proof_tree canvas, .st-key-proof_tree svg").first).to_be_visible()
    bundle, jwks, head = (download(desk, key) for key in ("proof_bundle", "proof_jwks", "proof_keep"))
    found = verify(bundle, keys=_jwks(jwks), since=head.decode())
    assert found.ok, found.checks
    assert found.action_id == action_id

    desk.page.get_by_text("Verify a bundle").click()
    upload(desk, bundle)
    verdict(desk, "This proof holds")
    desk.sees("Paid 50 EUR")

    desk.open("/proof?view=verify")
    upload(desk, bundle.replace(b"Paid 50 EUR", b"Paid 90 EUR"))
    verdict(desk, "This proof does not hold")
    failing = desk.page.locator(".st-key-proof_check_inclusion")
    expect(failing).to_contain_text("Events in the log")
    expect(failing).to_contain_text("fails")
    expect(desk.page.get_by_text("Paid 90 EUR")).to_have_count(0)


@deep("each page has one flow in the quick tier")
def test_a_bad_proof_is_told_to_be_one(desk: Operator, tenant: Tenant) -> None:
    tenant.create("look", declared_goal="Find the lost parcel")
    bundle = tenant.http.get(
        f"{tenant.service.base_url}/api/governance/proof/export", headers={"x-api-key": tenant.keys["operator"]}
    ).content
    desk.sign_in(tenant.keys["operator"], "/proof?view=verify")
    desk.sees("Whoever was given a bundle")

    signed = msgspec.json.decode(bundle)
    signature = signed["attestation"]["signatures"][0]
    signature["sig"] = ("A" if signature["sig"][0] != "A" else "B") + signature["sig"][1:]
    upload(desk, msgspec.json.encode(signed))
    verdict(desk, "This proof does not hold")
    expect(desk.page.locator(".st-key-proof_check_signature")).to_contain_text("fails")

    upload(desk, b"\x89PNG\r\n\x1a\n not a bundle at all")
    verdict(desk, "This is no bundle")
    expect(desk.page.locator(".stException")).to_have_count(0)


@deep("each page has one flow in the quick tier")
def test_a_file_that_is_too_large_is_not_taken(desk: Operator, tenant: Tenant, tmp_path: Path) -> None:
    large = tmp_path / "large.json"
    with large.open("wb") as file:
        file.truncate(BUNDLE_LIMIT + 1)
    desk.sign_in(tenant.keys["operator"], "/proof?view=verify")
    desk.sees("Whoever was given a bundle")
    desk.page.set_input_files(".st-key-proof_file input[type=file]", files=large)
    refused = desk.page.locator(".st-key-proof_file").get_by_role("alert")
    expect(refused).to_contain_text("File must be 50.0MB or smaller")
    expect(desk.page.locator(".st-key-proof_verdict")).to_have_count(0)


@deep("each page has one flow in the quick tier")
def test_the_ledger_leads_to_the_proof_and_back(desk: Operator, tenant: Tenant) -> None:
    action_id = tenant.create("look", declared_goal="Find the lost parcel")
    desk.sign_in(tenant.keys["operator"], f"/ledger?action_id={action_id}")
    desk.page.get_by_role("link", name="Proof of this action").click()
    verdict(desk, "This proof holds")
    expect(desk.page).to_have_url(f"{desk.address}/proof?action={action_id}")
    desk.page.get_by_role("link", name="In the ledger").click()
    desk.heading("Find the lost parcel")
    expect(desk.page.get_by_role("link", name="Proof of this action")).to_be_visible()


def _jwks(content: bytes) -> Jwks:
    return msgspec.json.decode(content, type=Jwks)
