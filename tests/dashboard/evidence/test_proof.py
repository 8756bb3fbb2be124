"""The page Proof, with a real service behind it."""

from __future__ import annotations

import json
from collections.abc import Callable

import httpx
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from assent.contract.file import File
from assent.contract.problems import Code
from assent.errors import ApiError, ConnectionFailed, Forbidden, Unavailable
from assent.proof.note import read_checkpoint, sign_checkpoint
from assent.proof.verify import verify
from assent_dashboard.views.proof import data as proof_data
from assent_dashboard.views.proof.data import examine
from tests.dashboard.evidence.ledger_page import LedgerPage, Look
from tests.dashboard.evidence.proof_page import ProofPage
from tests.live import WAIT
from tests.stories.tenant import Tenant
from tests.tiers import deep

Open = Callable[..., ProofPage]


@pytest.fixture
def proof(look: Look, house: Tenant) -> Open:
    return lambda **address: ProofPage.of(look, house, **address)


@pytest.fixture
def paid(house: Tenant) -> str:
    """A payment that was asked about, believed to be right, approved and completed."""
    action_id = house.create("pay", declared_goal="Pay invoice 7", agent_id="payer", systems_touched=["bank"])
    believed = {"action_id": action_id, "assumption": "The invoice is right", "basis": "The supplier said so"}
    house.call("POST", "/api/assumptions", believed, key="agent")
    house.call("POST", f"/api/actions/{action_id}/approve", {"decision": "allow", "reasoning": "Seen."}, key="operator")
    house.call("PATCH", f"/api/actions/{action_id}", {"status": "completed", "output_summary": "Paid 50 EUR"})
    return action_id


def bundle(tenant: Tenant, action_id: str | None = None, since: int | None = None) -> bytes:
    with tenant.client("operator", None) as client:
        return client.export_proof(action_id, since=since).data


def test_a_deep_link_shows_the_whole_proof(proof: Open, house: Tenant, paid: str) -> None:
    page = proof(action=paid)
    assert page.verdict == "**This proof holds**  \n13 checks made, none failed\\."
    for said in (
        "Pay invoice 7",
        ":green-badge[completed]",
        "**Signature** :gray[here · service]",
        "**Tables as they are now** :gray[service]",
        "**Log only grew** :gray[not checked]",
        "5 of 5 expected receipts are there",
        "**Approved** by **the operator**",
        "> Seen.",
        "**Completed**: Paid 50 EUR",
        "`bank`",
        "sha256:",
        "The invoice is right",
        ":green-badge[active]",
        f"assent.local/{house.org_id}",
    ):
        assert said in page.said, said
    assert f"[In the ledger](/ledger?action_id={paid})" in page.said


@deep("a page's main ways are in the quick tier")
def test_the_page_offers_the_very_file_that_it_checked(proof: Open, house: Tenant, paid: str) -> None:
    page = proof(action=paid)
    offered = {"proof_bundle", "proof_jwks", "proof_keep", "proof_checks_csv", "proof_checks_parquet"}
    assert {each.key for each in page.page.download_button} == offered
    session = page.page.session_state["assent_session"]
    found = proof_data.load(session.client, house.org_id, paid, None)
    assert verify(found.examination.file.data, keys=found.jwks).ok
    assert found.examination.there is not None
    assert found.examination.file.filename.startswith(f"proof-{paid}")


def test_the_organization_is_proven_where_nothing_else_is_asked_for(proof: Open, house: Tenant) -> None:
    page = proof()
    assert page.verdict.startswith("**This proof holds**")
    assert "No action was recorded yet" in page.said
    assert "**Certificate made again** :gray[here · service]" in page.said
    assert "`organization.created`" in page.said
    assert f"`{house.org_id}`" in page.said


@deep("a page's main ways are in the quick tier")
def test_an_action_is_chosen_from_the_newest_or_typed(proof: Open, house: Tenant, paid: str) -> None:
    page = proof()
    assert page.choose_proof(paid).address == {"action": paid}
    assert "Pay invoice 7" in page.said
    page.choose_proof("act_typed")
    assert page.address == {"action": "act_typed"}
    assert "no action `act_typed`" in page.said
    assert page.choose_proof("organization").address == {}


@pytest.mark.parametrize(
    "action_id",
    [
        "act_nobody",
        "../x",
        "`![x](http://192.0.2.1)`",
        *(pytest.param(each, marks=deep("three are in the quick tier")) for each in ["a b", "ä" * 200, "%00"]),
    ],
)
def test_an_unknown_action_is_told_in_words(proof: Open, action_id: str) -> None:
    page = proof(action=action_id)
    assert page.verdict == ""
    assert "This organization has no action" in page.said
    assert not page.page.download_button


def test_the_action_of_another_organization_is_an_unknown_one(proof: Open, house: Tenant) -> None:
    with httpx.Client(timeout=WAIT, trust_env=False) as http:
        theirs = Tenant(house.service, http).create("look")
    assert "This organization has no action" in proof(action=theirs).said


@deep("a page's main ways are in the quick tier")
def test_what_never_ran_is_proven_not_to_have_run(proof: Open, house: Tenant) -> None:
    house.send("POST", "/api/actions", {"action_type": "wipe", "agent_id": "bot"}, key="agent")
    (blocked,) = house.call("GET", "/api/actions?status=blocked")["actions"]
    page = proof(action=blocked["action_id"])
    assert "**Guard blocked it, so it never ran**" in page.said
    assert "No goal was declared" in page.said


def test_an_erased_action_is_still_proven(proof: Open, house: Tenant, paid: str) -> None:
    house.call("POST", f"/api/actions/{paid}/erase", {"reason": "Ticket 12"})
    page = proof(action=paid)
    assert page.verdict.startswith("**This proof holds**")
    assert "**The content was erased**" in page.said
    assert "Ticket 12" in page.said
    assert "still proven" in page.said
    assert "invoice" not in page.said


def test_what_agents_wrote_does_nothing_on_the_page(proof: Open, house: Tenant) -> None:
    goal = "![x](http://192.0.2.1/a.png) :red[urgent] <b>now</b>"
    page = proof(action=house.create("look", declared_goal=goal, reasoning=goal))
    drawn = [str(each.value) for each in (*page.page.header, *page.page.markdown)]
    assert not any("![" in text or ":red[urgent" in text or "<b>" in text for text in drawn)
    assert ":red[urgent]" in page.said.replace("\N{WORD JOINER}", "")


@deep("a page's main ways are in the quick tier")
def test_a_head_that_was_kept_shows_that_the_log_only_grew(proof: Open, house: Tenant, paid: str) -> None:
    head = str(json.loads(bundle(house))["checkpoint"])
    house.create("look")
    page = proof(action=paid).paste("proof_since", "  " + head.replace("\n", "\r\n"))
    assert page.verdict.startswith("**This proof holds**")
    assert "**Log only grew** :gray[here · service]" in page.said


def test_the_head_of_another_history_fails(proof: Open, house: Tenant, paid: str) -> None:
    checkpoint = read_checkpoint(json.loads(bundle(house))["checkpoint"])[0]
    foreign = sign_checkpoint(checkpoint, Ed25519PrivateKey.generate())
    page = proof(action=paid).paste("proof_since", foreign)
    assert page.verdict.startswith("**This proof does not hold**")
    assert "**Log only grew** :red[fails]" in page.said
    for nonsense in ("hello", "a\n" * 100, foreign.replace("\n", " ")):
        assert ":red[fails]" in page.paste("proof_since", nonsense).said


@deep("a page's main ways are in the quick tier")
def test_a_key_that_was_revoked_is_shown_and_a_new_one_signs(proof: Open, house: Tenant, paid: str) -> None:
    old = bundle(house, paid)
    (key,) = house.call("GET", "/api/signing-keys")["keys"]
    house.call("POST", f"/api/signing-keys/{key['kid']}/revoke", {"reason": "It leaked"})
    page = proof(action=paid)
    assert page.verdict.startswith("**This proof holds**")
    assert ":red-badge[revoked]" in page.said
    assert "It leaked" in page.said
    assert ":green-badge[active]" in page.said
    older = proof(view="verify").upload(old)
    assert older.verdict.startswith("**This proof does not hold**")
    assert "**Signing keys** :red[fails]" in older.said


# A bundle that somebody holds


def test_a_bundle_is_checked_here_and_by_the_service(proof: Open, house: Tenant, paid: str) -> None:
    page = proof(view="verify")
    assert page.verdict == ""
    page.upload(bundle(house, paid))
    assert page.verdict.startswith("**This proof holds**")
    assert "Paid 50 EUR" in page.said
    assert "**Log as it is now** :gray[service]" in page.said


@deep("a page's main ways are in the quick tier")
def test_a_bundle_of_the_organization_can_be_uploaded(proof: Open, house: Tenant) -> None:
    page = proof(view="verify").upload(bundle(house))
    assert page.verdict.startswith("**This proof holds**")
    assert "What the log holds" in page.said


def test_a_tampered_bundle_names_what_fails_and_shows_nothing_of_what_it_says(
    proof: Open, house: Tenant, paid: str
) -> None:
    page = proof(view="verify").upload(bundle(house, paid).replace(b"Paid 50 EUR", b"Paid 90 EUR"))
    assert page.verdict.startswith("**This proof does not hold**")
    assert "**Events in the log** :red[fails] :gray[here · service] `inclusion`" in page.said
    assert "90 EUR" not in page.said
    assert "Nothing is proven" in page.said


@deep("a page's main ways are in the quick tier")
def test_a_bundle_with_a_head_that_it_does_not_lead_to_says_what_to_do(proof: Open, house: Tenant) -> None:
    old = json.loads(bundle(house))["checkpoint"]
    size = read_checkpoint(old)[0].size
    later = house.create("look")
    page = proof(view="verify").upload(bundle(house, later)).paste("proof_file_since", old)
    assert page.verdict.startswith("**This proof does not hold**")
    assert f"export it again with since={size}." in page.said
    page.upload(bundle(house, later, size))
    assert "**Log only grew** :gray[here · service]" in page.said


@deep("a page's main ways are in the quick tier")
def test_a_bundle_of_another_organization_is_told_to_be_one(proof: Open, house: Tenant) -> None:
    with httpx.Client(timeout=WAIT, trust_env=False) as http:
        other = Tenant(house.service, http)
        theirs = bundle(other, other.create("look", declared_goal="Their secret"))
    page = proof(view="verify").upload(theirs)
    assert f"of another organization: `{other.org_id}`" in page.said
    assert page.verdict.startswith("**This proof does not hold**")
    assert "Their secret" not in page.said


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "no JSON"),
        pytest.param(b"hello", "no JSON", marks=deep("one file of each kind is in the quick tier")),
        pytest.param(b"[1, 2]", "a bundle is a JSON object", marks=deep("one file of each kind is in the quick tier")),
        (b'{"schema": "svc.proof.v2"}', "this program reads svc.proof.v1"),
        (b'{"schema": "svc.proof.v1", "schema": "svc.proof.v1"}', "schema"),
        pytest.param(
            b'{"a": 9007199254740993}', "9007199254740993", marks=deep("one file of each kind is in the quick tier")
        ),
        (b"\xff\xfe", "UTF-8"),
        pytest.param(
            b"[" * 5000, "cannot be read as a bundle", marks=deep("one file of each kind is in the quick tier")
        ),
    ],
)
def test_a_file_that_is_no_bundle_is_told_in_words(proof: Open, content: bytes, why: str) -> None:
    page = proof(view="verify").upload(content)
    assert page.verdict.startswith("**This is no bundle**")
    assert why in page.said or "cannot be read as a bundle" in page.said


def test_a_file_that_two_readers_read_differently_is_not_sent_on(house: Tenant, paid: str) -> None:
    """A member twice: the service would be sent one of the two."""
    doubled = bundle(house, paid).replace(b'"kind":"action"', b'"kind":"organization","kind":"action"')
    with house.client("operator", None) as client:
        found = examine(client, _file(doubled), client.get_jwks(house.org_id), None)
    assert not found.here.ok
    assert found.there is None
    assert found.unasked is not None


# When the service cannot


def test_a_wallet_that_cannot_be_used_is_told_in_words(proof: Open, paid: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proof_data, "load", _raising(_refusal(Unavailable, Code.WALLET_UNAVAILABLE, "Set the key.")))
    page = proof(action=paid)
    assert page.verdict.startswith("**The signing key cannot be used")
    assert "Set the key." in page.said
    assert "bundles that were given out still hold" in page.said


def test_a_service_that_is_busy_is_left_to_the_pages_own_way_of_waiting(
    proof: Open, paid: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proof_data, "load", _raising(_refusal(Unavailable, Code.READ_ONLY, "The disk is full.")))
    with pytest.raises(AssertionError, match="The disk is full"):
        proof(action=paid)


def test_a_key_that_may_not_read_it_is_told_so(proof: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proof_data, "load", _raising(_refusal(Forbidden, Code.FORBIDDEN, "Operators and up.")))
    page = proof()
    assert "Your key may not read this proof. Operators and up." in page.said


@deep("a page's main ways are in the quick tier")
def test_what_the_service_did_not_check_is_checked_here(
    proof: Open, house: Tenant, paid: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = bundle(house, paid)
    page = proof(view="verify")
    client = page.page.session_state["assent_session"].client
    monkeypatch.setattr(
        client, "verify_governance_proof", _raising(ConnectionFailed(url="http://127.0.0.1:1", reason="it is gone"))
    )
    page.upload(content)
    assert page.verdict.startswith("**This proof holds, as far as it can be told here**")
    assert "it is gone" in page.said
    assert "**Signature** :gray[here]" in page.said


@deep("a page's main ways are in the quick tier")
def test_the_actions_page_in_the_ledger_leads_here(look: Look, house: Tenant, paid: str) -> None:
    page = LedgerPage.of(look, house, action_id=paid)
    link = page.links.get("Proof of this action")
    assert link == f"action={paid}" or f"(/proof?action={paid})" in page.words


def _file(content: bytes) -> File:
    return File(data=content, filename="bundle.json", mime_type="application/json")


def _refusal(kind: type[ApiError], code: Code, detail: str) -> ApiError:
    return kind(status=503, code=code, detail=detail)


def _raising(error: Exception) -> Callable[..., object]:
    def fail(*_: object, **__: object) -> object:
        raise error

    return fail
