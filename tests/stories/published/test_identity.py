"""Published clients that pair and sign: with their own code, over HTTP, in every form that their JSON takes."""

from __future__ import annotations

import time
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

from assent.proof.private_key import new_private_key, private_pem
from assent.proof.public_key import fingerprint, pem_of
from assent.proof.signing import PrivateKey
from tests.live import WAIT, LiveService, start_service
from tests.stories.published.client import Processes, PublishedClient, PublishedError
from tests.stories.tenant import Tenant

RSA = "RSASSA-PKCS1-v1_5"
METADATA: dict[str, Any] = {
    "whole float": 1.0,
    "tiny": 1e-7,
    "large": 1e16,
    "third": 0.1 + 0.2,
    "minus nothing": -0.0,
    "none": None,
    "yes": True,
    "words": 'Grüße, 世界 🎉 \u2028 </script> "quoted" \\ \x7f \n\t',
    "nested": {"é": [1, 2.50, {"b": [], "a": {}}], "Z": 1, "z": 2, "\U0001f600": 1, "\ufb33": 2},
}


@pytest.fixture(scope="module")
def own_key() -> PrivateKey:
    return new_private_key(RSA)


@pytest.fixture(scope="module")
def key_file(tmp_path_factory: pytest.TempPathFactory, own_key: PrivateKey) -> Path:
    file = tmp_path_factory.mktemp("agent") / "agent.pem"
    file.write_bytes(private_pem(own_key))
    return file


@pytest.fixture(scope="module")
def public_pem(own_key: PrivateKey) -> str:
    return pem_of(own_key.public_key())


@pytest.fixture
def signing(asking: Tenant, version: str, processes: Processes, key_file: Path) -> Iterator[PublishedClient]:
    """An agent with a private key."""
    with processes.client(version, asking.service.base_url, asking.keys["agent"], "bot", key_file) as client:
        yield client


@pytest.fixture(scope="module")
def hasty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveService]:
    """A service whose pairings last for a third of a second."""
    home = tmp_path_factory.mktemp("hasty") / "home"
    home.mkdir()
    (home / "assent.toml").write_text("pairing_minutes = 0.005\n")
    with start_service(home) as service:
        yield service


def test_a_pairing_from_asking_to_approval(
    asking: Tenant, agent: PublishedClient, boss: PublishedClient, public_pem: str, own_key: PrivateKey
) -> None:
    created = agent.create_pairing(public_pem, agent_name="The bot")
    pairing = created["pairing"]
    assert pairing["id"] == pairing["pairing_id"]
    assert pairing["id"].startswith("pair_")
    assert (pairing["agent_id"], pairing["agent_name"], pairing["algorithm"]) == ("bot", "The bot", RSA)
    assert pairing["status"] == "pending"
    assert pairing["fingerprint"] == fingerprint(own_key.public_key())
    assert pairing["id"] in created["pairing_url"]
    found = agent.get_pairing(pairing["id"])["pairing"]
    assert (found["status"], found["expires_at"]) == ("pending", pairing["expires_at"])
    assert "public_key" not in found
    agent.send("wait_for_pairing", pairing["id"], timeout=WAIT, interval=0.05)
    time.sleep(0.2)  # it waits; an approval that comes before is seen at its first look, which is tested below
    asking.call("POST", f"/api/pairings/{pairing['id']}/approve")
    approved = agent.receive()
    assert (approved["id"], approved["status"], approved["agent_id"]) == (pairing["id"], "approved", "bot")
    assert agent.wait_for_pairing(pairing["id"], timeout=1)["status"] == "approved"
    (identity,) = boss.get_identities()["identities"]
    assert (identity["agent_id"], identity["algorithm"], identity["revoked_at"]) == ("bot", RSA, None)
    assert identity["pairing_id"] == pairing["id"]


def test_a_pairing_from_a_private_jwk(agent: PublishedClient, own_key: PrivateKey) -> None:
    pairing = agent.create_pairing_from_private_jwk(_jwk(own_key), agent_name="From a JWK")["pairing"]
    assert (pairing["agent_name"], pairing["status"]) == ("From a JWK", "pending")
    # The private half stayed where it was: what came over is the public half.
    assert pairing["fingerprint"] == fingerprint(own_key.public_key())


def test_waiting_ends_with_the_client_s_own_errors(agent: PublishedClient, public_pem: str) -> None:
    waiting = agent.create_pairing(public_pem)["pairing"]["id"]
    with pytest.raises(PublishedError, match="Timed out waiting") as late:
        agent.wait_for_pairing(waiting, timeout=0.1, interval=0.02)
    assert late.value.type == "TimeoutError"
    with pytest.raises(PublishedError) as unknown:
        agent.get_pairing("pair_nobody")
    assert unknown.value.members["status"] == 404
    with pytest.raises(PublishedError) as wrong:
        agent.create_pairing("not a key")
    assert (wrong.value.members["status"], "PEM" in wrong.value.text) == (400, True)


def test_a_pairing_that_expires_while_it_waits(
    hasty: LiveService, version: str, processes: Processes, public_pem: str
) -> None:
    with processes.client(version, hasty.base_url, hasty.admin_key, "bot") as agent:
        pairing = agent.create_pairing(public_pem)["pairing"]["id"]
        with pytest.raises(PublishedError, match="Pairing expired"):
            agent.wait_for_pairing(pairing, timeout=WAIT, interval=0.05)
        status, refused = hasty.call("POST", f"/api/pairings/{pairing}/approve")
        assert (status, refused["code"]) == (410, "pairing_expired")


def test_identities_are_an_admin_s(agent: PublishedClient, boss: PublishedClient, public_pem: str) -> None:
    assert boss.get_identities() == {"identities": []}
    registered = boss.register_identity("bot", public_pem)["identity"]
    assert (registered["agent_id"], registered["algorithm"]) == ("bot", RSA)
    assert boss.register_identity("bot", public_pem)["identity"] == registered
    assert boss.get_identities()["identities"] == [registered]
    with pytest.raises(PublishedError) as refused:
        agent.register_identity("bot", public_pem)
    assert refused.value.members["status"] == 403
    with pytest.raises(PublishedError) as refused:
        agent.get_identities()
    assert refused.value.members["status"] == 403


def test_what_it_signs_is_verified(
    asking: Tenant, signing: PublishedClient, boss: PublishedClient, public_pem: str
) -> None:
    before = signing.create_action("look", "Nobody knows the key yet")["action"]
    assert (before["verified"], before["verification"]) == (False, "unknown_key")
    boss.register_identity("bot", public_pem)
    plain = signing.create_action("look", "See")["action"]
    assert (plain["verified"], plain["verification"]) == (True, "verified")
    full = signing.create_action(
        "look", "Grüße 🎉", risk_score=1.0, confidence=40, cost_estimate=1e-05, metadata=METADATA, reasoning=None
    )["action"]
    assert (full["verified"], full["verification"]) == (True, "verified")
    assert full["metadata"] == METADATA
    again = signing.create_action("look", "See")["action"]
    assert (again["verified"], again["verification"]) == (False, "replayed")
    asking.call("DELETE", "/api/identities/bot")
    revoked = signing.create_action("look", "See once more")["action"]
    assert (revoked["verified"], revoked["verification"]) == (False, "revoked")


def test_what_somebody_else_signs_is_refused_and_not_recorded(
    signing: PublishedClient, agent: PublishedClient, boss: PublishedClient
) -> None:
    boss.register_identity("bot", pem_of(new_private_key("Ed25519").public_key()), "Ed25519")
    with pytest.raises(PublishedError) as refused:
        signing.create_action("look", "Not my key")
    assert refused.value.members["status"] == 401
    assert agent.get_actions()["total"] == 0
    # Without a signature it is an ordinary action, unless the service requires one.
    assert agent.create_action("look", "See")["action"]["verification"] == "unsigned"


def _jwk(key: object) -> dict[str, str]:
    """A private JWK (RFC 7518, section 6.3) with what the clients read of it."""
    assert isinstance(key, RSAPrivateKey)
    numbers = key.private_numbers()
    public = numbers.public_numbers
    parts = {
        "n": public.n,
        "e": public.e,
        "d": numbers.d,
        "p": numbers.p,
        "q": numbers.q,
        "dp": numbers.dmp1,
        "dq": numbers.dmq1,
        "qi": numbers.iqmp,
    }
    return {"kty": "RSA"} | {name: _base64(number) for name, number in parts.items()}


def _base64(number: int) -> str:
    return urlsafe_b64encode(number.to_bytes((number.bit_length() + 7) // 8, "big")).rstrip(b"=").decode()
