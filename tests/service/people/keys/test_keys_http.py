"""Keys over HTTP: shown once, hashed at rest, revoked at once, apart by role and organization."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.service.evidence.events.serving import Live, live


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Live]:
    with live(tmp_path / "home") as running:
        yield running


def make(service: Live, **body: Any) -> dict[str, Any]:
    made = service.call("POST", "/api/keys", service.admin, {"name": "k", **body})
    assert made.status_code == 201, made.text
    return dict(made.json())


def test_a_key_is_shown_once_and_listed_without_its_secret(service: Live) -> None:
    made = make(service, name="bot key", role="agent", agent_id="bot")
    key = made["key"]
    assert (key["name"], key["role"], key["agent_id"], key["revoked_at"]) == ("bot key", "agent", "bot", None)
    assert made["api_key"].endswith(key["hint"])
    assert len(key["hint"]) == 4
    listing = service.call("GET", "/api/keys", service.admin)
    assert key in listing.json()["keys"]
    assert len(listing.json()["keys"]) == 2
    assert made["api_key"] not in listing.text
    assert "fingerprint" not in listing.text


def test_the_secret_is_nowhere_in_the_data_folder(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with live(home) as service:
        made = make(service)
        secrets = [made["api_key"], service.admin]
        hint = made["key"]["hint"]
    files = [file for file in home.rglob("*") if file.is_file()]
    assert files
    held = b"".join(file.read_bytes() for file in files)
    assert made["key"]["key_id"].encode() in held, "the key itself is recorded there"
    for secret in secrets:
        assert secret.encode() not in held
        assert secret.removeprefix("assent_").encode() not in held
        assert secret[:24].encode() not in held
    assert hint.encode() in held


def test_a_revoked_key_is_refused_by_the_next_request(service: Live) -> None:
    made = make(service, role="auditor")
    assert service.call("GET", "/api/halt", made["api_key"]).status_code == 200
    revoked = service.call("DELETE", f"/api/keys/{made['key']['key_id']}", service.admin)
    assert (revoked.status_code, revoked.json()["revoked"]) == (200, True)
    refused = service.call("GET", "/api/halt", made["api_key"])
    assert (refused.status_code, refused.json()["code"]) == (401, "unauthorized")
    again = service.call("DELETE", f"/api/keys/{made['key']['key_id']}", service.admin)
    assert again.json() == revoked.json(), "the first revocation is the one that counts"
    listed = {key["key_id"]: key for key in service.call("GET", "/api/keys", service.admin).json()["keys"]}
    assert listed[made["key"]["key_id"]]["revoked_at"] is not None


def test_a_revoked_key_stays_revoked_after_a_restart(tmp_path: Path) -> None:
    with live(tmp_path) as service:
        admin, made = service.admin, make(service, role="auditor")
        service.call("DELETE", f"/api/keys/{made['key']['key_id']}", service.admin)
        kept = make(service, role="auditor")
    with live(tmp_path) as service:
        assert service.admin == "", "there is no second first start"
        assert service.call("GET", "/api/halt", made["api_key"]).status_code == 401
        assert service.call("GET", "/api/halt", kept["api_key"]).status_code == 200
        assert len(service.call("GET", "/api/keys", admin).json()["keys"]) == 3


def test_the_last_admin_key_cannot_be_revoked(service: Live) -> None:
    [first] = service.call("GET", "/api/keys", service.admin).json()["keys"]
    refused = service.call("DELETE", f"/api/keys/{first['key_id']}", service.admin)
    assert (refused.status_code, refused.json()["code"]) == (409, "last_admin_key")
    second = make(service, role="admin")
    assert service.call("DELETE", f"/api/keys/{first['key_id']}", service.admin).status_code == 200
    refused = service.call("DELETE", f"/api/keys/{second['key']['key_id']}", second["api_key"])
    assert refused.json()["code"] == "last_admin_key"
    assert service.call("GET", "/api/keys", service.admin).status_code == 401


@pytest.mark.parametrize("role", ["agent", "operator", "auditor"])
def test_other_roles_neither_make_nor_see_nor_revoke_keys(service: Live, role: str) -> None:
    made = make(service, role=role)
    calls = [("POST", "/api/keys"), ("GET", "/api/keys"), ("DELETE", f"/api/keys/{made['key']['key_id']}")]
    for method, path in calls:
        refused = service.call(method, path, made["api_key"], {"name": "x"} if method == "POST" else None)
        assert (refused.status_code, refused.json()["code"]) == (403, "forbidden"), (method, path)
    assert len(service.call("GET", "/api/keys", service.admin).json()["keys"]) == 2


def test_another_organizations_keys_are_not_there(service: Live) -> None:
    theirs = service.call("POST", "/api/orgs", service.admin, {"name": "b", "slug": "b"}).json()["api_key"]
    made = make(service)
    assert made["key"]["key_id"] not in service.call("GET", "/api/keys", theirs).text
    refused = service.call("DELETE", f"/api/keys/{made['key']['key_id']}", theirs)
    assert (refused.status_code, refused.json()["code"]) == (404, "key_not_found")
    assert service.call("GET", "/api/halt", made["api_key"]).status_code == 200


@pytest.mark.parametrize("key", [None, "assent_", "assent_" + "A" * 43, "' OR 1=1 --", "x" * 5000])
def test_no_key_or_an_unknown_one_is_refused(service: Live, key: str | None) -> None:
    refused = service.call("GET", "/api/keys", key)
    assert (refused.status_code, refused.json()["code"]) == (401, "unauthorized")


@pytest.mark.parametrize("body", [{}, {"name": ""}, {"name": "x", "role": "root"}, {"name": "x", "agent_id": 5}])
def test_a_key_that_makes_no_sense_is_not_made(service: Live, body: dict[str, object]) -> None:
    refused = service.call("POST", "/api/keys", service.admin, body)
    assert (refused.status_code, refused.json()["code"]) == (400, "invalid_body")
    assert len(service.call("GET", "/api/keys", service.admin).json()["keys"]) == 1
