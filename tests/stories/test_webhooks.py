"""Webhooks over a kill: what was on its way arrives after the restart, under the same id, and nothing is missing."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.live import start_service
from tests.stories.postbox import postbox
from tests.stories.tenant import Reply, Tenant
from tests.tiers import deep

PRIVATE = [
    "https://127.0.0.1/",
    "https://localhost/",
    "https://[::1]/",
    "https://[::ffff:127.0.0.1]/",
    "https://169.254.169.254/latest/meta-data/",
    "https://10.0.0.1/",
    "https://0.0.0.0/",
    "http://example.com/",
    "https://user:secret@example.com/",
]


@pytest.mark.parametrize("url", PRIVATE)
def test_an_address_inside_is_refused(tenant: Tenant, url: str) -> None:
    for method, path in (("POST", "/api/webhooks"), ("PATCH", f"/api/webhooks/{_registered(tenant)}")):
        reply: Reply = tenant.send(method, path, {"url": url})
        assert (reply.status, reply.code, reply.places) == (400, "invalid_webhook", ["url"])
        assert "secret@" not in reply.content.decode()


def test_a_foreign_webhook_is_unknown(tenant: Tenant, new_tenant: Any) -> None:
    webhook_id = _registered(tenant)
    stranger: Tenant = new_tenant()
    for method, path, body in (
        ("PATCH", f"/api/webhooks/{webhook_id}", {"active": False}),
        ("DELETE", f"/api/webhooks/{webhook_id}", None),
        ("DELETE", f"/api/webhooks?id={webhook_id}", None),
        ("DELETE", "/api/webhooks", None),
        ("POST", f"/api/webhooks/{webhook_id}/test", None),
        ("POST", f"/api/webhooks/{webhook_id}/secret", None),
        ("GET", f"/api/webhooks/{webhook_id}/deliveries", None),
    ):
        reply = stranger.send(method, path, body)
        assert (reply.status, reply.code) == (404, "webhook_not_found"), path
    assert stranger.call("GET", "/api/webhooks") == {"webhooks": []}
    assert tenant.call("GET", "/api/webhooks")["webhooks"][0]["active"] is True


@deep("test_kill has one in the quick tier")
def test_a_kill_loses_no_delivery(tmp_path: Path, http: httpx.Client) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "assent.toml").write_text("webhooks_to_private_addresses = true\n")
    with postbox() as box:
        service = start_service(home)
        try:
            tenant = Tenant(service, http)
            body = {"url": box.url, "events": ["action.created"]}
            webhook = tenant.call("POST", "/api/webhooks", body)["webhook"]
            before = tenant.create()
            box.letters(1)
            box.open.clear()
            during = [tenant.create() for _ in range(3)]
            box.letters(2)
            service.kill()
            box.open.set()
            service = start_service(home)
            tenant.service = service
            after = tenant.create()
            deliveries = _delivered(tenant, webhook["webhook_id"], 5)
        finally:
            service.kill()
        letters = box.letters(5)
        assert {letter.said["data"]["action_id"] for letter in letters} == {before, *during, after}
        assert len({letter.id for letter in letters}) == 5
        assert {letter.id for letter in letters} == {each["id"] for each in deliveries}
        assert all(letter.signed_by(webhook["secret"]) for letter in letters)


@deep("starts two services")
def test_a_kill_loses_no_notice(tmp_path: Path, http: httpx.Client) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "assent.toml").write_text("webhooks_to_private_addresses = true\n")
    with postbox() as box:
        service = start_service(home)
        try:
            tenant = Tenant(service, http)
            tenant.governed()
            address = box.url.replace("http://", "json://")
            notice = tenant.call("POST", "/api/webhooks", {"url": address})["webhook"]
            box.open.clear()
            tenant.create("pay")
            box.letters(1)
            service.kill()
            box.open.set()
            service = start_service(home)
            tenant.service = service
            (delivery,) = _delivered(tenant, notice["webhook_id"], 1)
        finally:
            service.kill()
        first, second = box.letters(2)
        assert first.said["message"] == second.said["message"], "the same link, too"
        assert (delivery["event"], delivery["attempts"]) == ("approval.requested", 1)


def _registered(tenant: Tenant) -> str:
    body = {"url": "https://receiver.invalid/hook", "events": ["halt.changed"]}
    return str(tenant.call("POST", "/api/webhooks", body)["webhook"]["webhook_id"])


def _delivered(tenant: Tenant, webhook_id: str, count: int) -> list[dict[str, Any]]:
    """The deliveries once all are through; the service that was killed is given the time that it needs."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        found: list[dict[str, Any]] = tenant.call("GET", f"/api/webhooks/{webhook_id}/deliveries")["deliveries"]
        if sum(each["status"] == "delivered" for each in found) >= count:
            return found
        time.sleep(0.05)
    raise AssertionError(f"not delivered within 20 s: {found}")
