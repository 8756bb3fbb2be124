"""The key-encryption key is gone: nothing can be signed, everything else goes on, and a rotation helps."""

from __future__ import annotations

from pathlib import Path

import httpx

from tests.live import start_service
from tests.stories.problems import refused
from tests.stories.proving import PROOF, VERIFY, bundle_of, failing, offline, published_keys, whole_action
from tests.stories.tenant import Tenant
from tests.tiers import deep

pytestmark = deep("many starts")


def test_a_lost_wallet_key(tmp_path: Path, http: httpx.Client) -> None:
    home = tmp_path / "home"
    with start_service(home) as service:
        tenant = Tenant(service, http)
        tenant.governed()
        action_id = whole_action(tenant)
        old = bundle_of(tenant, action_id)
        old_kid = tenant.call("GET", "/api/log/head")["kid"]
    (home / "wallet.key").unlink()
    with start_service(home) as service:
        tenant.service = service
        for path in (
            f"{PROOF}?action_id={action_id}",
            f"{PROOF}?format=bundle",
            f"{PROOF}/export?action_id={action_id}",
            "/api/log/head",
            "/api/log/inclusion?n=0",
            "/api/log/consistency?from=1",
        ):
            reply = tenant.send("GET", path)
            refused(reply, 503, "wallet_unavailable")
            assert "wallet.key in the data folder is missing" in reply.body["detail"]
            assert "Restore it from a backup" in reply.body["detail"]
            assert "rotate" in reply.body["detail"]
            assert reply.headers["retry-after"] == "1"
        refused(tenant.send("POST", VERIFY, {"action_id": action_id}), 503, "wallet_unavailable")
        # What was signed needs no private key to be checked, and what was given out is still there.
        assert failing(tenant.call("POST", VERIFY, {"bundle": old})) == set()
        assert tenant.call("GET", f"{PROOF}/export?bundle_id={old['bundle_id']}") == old
        assert tenant.call("POST", "/api/guard", {"action_type": "look"}, key="agent")["decision"] == "allow"
        later = tenant.create()
        assert service.call("GET", "/health", key=None)[0] == 200
        status, ready = service.call("GET", "/ready", key=None)
        (wallet,) = [check for check in ready["checks"] if check["name"] == "wallet"]
        assert (status, wallet["status"], wallet["code"]) == (503, "fail", "wallet_unavailable")
        assert "wallet.key in the data folder is missing" in wallet["detail"]
        assert tenant.org_id not in wallet["detail"]
        assert tenant.call("GET", "/api/readiness", key="operator")["checks"]
        assert not (home / "wallet.key").exists(), "a new one would open nothing"
        kid = tenant.call("POST", "/api/signing-keys/rotate", {"reason": "wallet.key was lost"})["key"]["kid"]
        assert (home / "wallet.key").exists()
        assert service.call("GET", "/ready", key=None)[0] == 200
        keys = published_keys(service, tenant.org_id)
        assert [key.kid for key in keys.keys] == [old_kid, kid]
        for about in (action_id, later, None):
            found = offline(bundle_of(tenant, about), keys)
            assert (failing(found), found["signer"]) == (set(), "trusted")
        assert failing(offline(old, keys)) == set()
        assert failing(tenant.call("POST", VERIFY, {"bundle": old})) == set()
    assert "Traceback" not in service.output


def test_a_stop_without_the_wallet_key_is_a_stop(tmp_path: Path, http: httpx.Client) -> None:
    home = tmp_path / "home"
    with start_service(home) as service:
        tenant = Tenant(service, http)
        tenant.call("GET", "/api/log/head")
    (home / "wallet.key").unlink()
    with start_service(home) as service:
        tenant.service = service
        tenant.create()
        service.stop()
        assert not service.alive
    assert "no tree head could be signed" in service.output
    assert "Traceback" not in service.output
