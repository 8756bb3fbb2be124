"""Our own client pairs and signs over real HTTP; what goes wrong on the way is said and leaks nothing."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import pytest

from assent import Client, Conflict, Gone, InvalidRequest, NotFound, Unauthorized
from assent.errors import PairingExpiredError, PairingTimeoutError
from assent.proof.private_key import Signer, new_private_key, private_pem
from tests import node
from tests.live import WAIT, LiveService, start_service
from tests.stories.agents import NodeAgent, Raised, node_process
from tests.stories.tenant import Tenant
from tests.tiers import deep

SOON = 20.0
"""Seconds. It would look again only after ten minutes."""


@pytest.fixture(params=["Ed25519", "RSASSA-PKCS1-v1_5"])
def signer(request: pytest.FixtureRequest) -> tuple[Signer, bytes]:
    pem = private_pem(new_private_key(str(request.param)))
    return Signer(pem), pem


def test_pair_wait_sign_revoke(tenant: Tenant, signer: tuple[Signer, bytes]) -> None:
    own, pem = signer
    with tenant.client(private_key=pem) as agent, tenant.client("admin", "boss") as boss:
        _pair_wait_sign_revoke(agent, boss, own)


def _pair_wait_sign_revoke(agent: Client, boss: Client, own: Signer) -> None:
    waiting = agent.create_pairing(own.public_pem, own.algorithm, "The bot").pairing
    assert [each.pairing_id for each in boss.get_pairings().pairings] == [waiting.pairing_id]
    approved_at: list[float] = []

    def approve() -> None:
        time.sleep(0.3)  # the agent listens
        boss.approve_pairing(waiting.pairing_id)
        approved_at.append(time.monotonic())

    admin = threading.Thread(target=approve)
    admin.start()
    # It would not look again for ten minutes: the stream tells it.
    approved = agent.wait_for_pairing(waiting.pairing_id, timeout=WAIT, interval=600.0)
    woken = time.monotonic()
    admin.join()
    assert approved.status == "approved"
    assert woken - approved_at[0] < SOON
    metadata: dict[str, Any] = {"float": 1.0, "large": 1e16, "none": None, "ü": ["世界", {"b": 0.1, "a": -0.0}]}
    for _ in range(2):
        made = agent.create_action("look", "Grüße 🎉", risk_score=1.0, metadata=metadata, context={"ticket": 7}).action
        assert (made.verified, made.verification) == (True, "verified")
    with pytest.raises(Conflict, match="approved already"):
        boss.approve_pairing(waiting.pairing_id)
    assert boss.revoke_identity("bot").identity.revoked_at is not None
    assert agent.create_action("look", "again").action.verification == "revoked"
    with pytest.raises(NotFound):
        boss.revoke_identity("nobody")


@deep("one story of each kind is in the quick tier")
async def test_an_awaiting_client_does_the_same(tenant: Tenant, signer: tuple[Signer, bytes]) -> None:
    own, pem = signer
    async with tenant.async_client(private_key=pem) as agent, tenant.async_client("admin", "boss") as boss:
        pairing = (await agent.create_pairing(own.public_pem, own.algorithm)).pairing
        with pytest.raises(PairingTimeoutError):
            await agent.wait_for_pairing(pairing.pairing_id, timeout=0.2)
        await boss.approve_pairing(pairing.pairing_id)
        assert (await agent.wait_for_pairing(pairing.pairing_id, timeout=WAIT)).status == "approved"
        assert (await agent.create_action("look")).action.verified


@deep("one story of each kind is in the quick tier")
def test_anybody_who_knows_the_id_sees_how_it_stands_and_no_more(tenant: Tenant) -> None:
    own = Signer(new_private_key("Ed25519"))
    body = {"agentId": "bot", "publicKeyPem": own.public_pem, "algorithm": "Ed25519"}
    id_ = tenant.call("POST", "/api/pairings", body, key="agent")["pairing"]["id"]
    reply = tenant.send("GET", f"/api/pairings/{id_}", key=None)
    assert (reply.status, reply.body["pairing"]["status"]) == (200, "pending")
    for secret in (tenant.org_id, "PUBLIC KEY", "sha256", tenant.key_ids["agent"]):
        assert secret not in reply.content.decode()
    assert tenant.send("GET", "/api/pairings/pair_nobody", key=None).code == "pairing_not_found"


def test_a_private_key_sent_by_mistake_is_kept_nowhere(service: LiveService, tenant: Tenant) -> None:
    pem = private_pem(new_private_key("RSASSA-PKCS1-v1_5")).decode()
    line = pem.splitlines()[3]
    for path in ("/api/pairings", "/api/identities"):
        reply = tenant.send("POST", path, {"agent_id": "bot", "public_key": pem})
        assert (reply.status, reply.code, reply.places) == (400, "invalid_public_key", ["public_key"])
        assert "private key" in reply.body["detail"]
        assert line not in reply.content.decode()
    assert line not in service.output
    for file in Path(service.home).rglob("*"):
        assert not file.is_file() or line.encode() not in file.read_bytes(), file


def test_an_action_of_another_agent_s_key_is_refused(tenant: Tenant) -> None:
    mine, theirs = new_private_key(), new_private_key()
    with tenant.client("admin", "boss") as boss, tenant.client(private_key=theirs) as thief:
        boss.register_identity("bot", Signer(mine).public_pem, "Ed25519")
        with pytest.raises(Unauthorized, match="signature_invalid"):
            thief.create_action("look")
        assert thief.get_actions().total == 0
        with pytest.raises(InvalidRequest, match="invalid_public_key"):
            boss.register_identity("bot", Signer(mine).public_pem)


@deep("one story of each kind is in the quick tier")
def test_pairings_expire_and_signatures_may_be_required(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "assent.toml").write_text("pairing_minutes = 0.01\nrequire_signatures = true\n")
    with start_service(home) as service:
        key = new_private_key()
        own = Signer(key)
        agent = Client(service.base_url, service.admin_key, "bot", private_key=key, say=lambda _: None)
        unsigned = Client(service.base_url, service.admin_key, "bot", say=lambda _: None)
        with agent, unsigned:
            pairing = agent.create_pairing(own.public_pem, own.algorithm).pairing
            # Over the stream again: it would not look for a minute.
            with pytest.raises(PairingExpiredError):
                agent.wait_for_pairing(pairing.pairing_id, timeout=WAIT, interval=600.0)
            with pytest.raises(Gone):
                agent.approve_pairing(pairing.pairing_id)
            assert unsigned.create_action("look").action.verification == "unsigned"
            agent.register_identity("bot", own.public_pem, own.algorithm)
            assert agent.create_action("look").action.verified
            with pytest.raises(Unauthorized, match="signature_required"):
                unsigned.create_action("look")


@deep("packs and installs the Node client")
def test_an_agent_in_node_signs_what_it_sends(
    tenant: Tenant, signer: tuple[Signer, bytes], tmp_path_factory: pytest.TempPathFactory
) -> None:
    own, pem = signer
    action: dict[str, Any] = {
        "action_type": "look",
        "declared_goal": "Grüße 🎉",
        "risk_score": 1.0,
        "metadata": {"float": 1.5, "none": None, "ü": ["世界", {"b": 0.1, "a": -0.0, "large": 1e21}]},
    }
    with tenant.client("admin", "boss") as boss, node_process(node.installed(tmp_path_factory)) as process:
        boss.register_identity("bot", own.public_pem, own.algorithm)
        agent = NodeAgent(process, tenant.service.base_url, tenant.keys["agent"])
        for _ in range(2):
            made = agent.do("sign", pem.decode(), action)["action"]
            assert (made["verified"], made["verification"]) == (True, "verified")
        other = private_pem(new_private_key("Ed25519")).decode()
        with pytest.raises(Raised) as refused:
            agent.do("sign", other, action)
        assert (refused.value.name, refused.value.members["code"]) == ("Unauthorized", "signature_invalid")
        assert agent.do("create_action", action)["action"]["verified"] is False
