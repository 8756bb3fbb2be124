"""Webhooks of published clients, and a receiver that they lead to, on a service that may deliver to loopback."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.live import LiveService, start_service
from tests.stories.postbox import Postbox, postbox
from tests.stories.published.client import PublishedClient, PublishedError


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveService]:
    home = tmp_path_factory.mktemp("webhooks") / "home"
    home.mkdir()
    (home / "assent.toml").write_text("webhooks_to_private_addresses = true\n")
    with start_service(home) as running:
        yield running


@pytest.fixture
def box() -> Iterator[Postbox]:
    with postbox() as made:
        yield made


def test_a_webhook_from_its_making_to_its_end(boss: PublishedClient, agent: PublishedClient, box: Postbox) -> None:
    made = boss.create_webhook(box.url, events=["action.created", "repeated_failures"])
    webhook = made["webhook"]
    webhook_id = webhook["id"]
    assert webhook_id.startswith("wh_")
    assert (webhook["url"], webhook["active"]) == (box.url, True)
    assert webhook["events"] == ["action.created", "repeated_failures"]
    assert webhook["secret"].startswith("whsec_")
    assert "not shown again" in made["secret_warning"]

    (listed,) = boss.get_webhooks()["webhooks"]
    assert listed["id"] == webhook_id
    assert listed["secret"] != webhook["secret"]
    assert listed["secret"].startswith("whsec_...")

    tested = boss.test_webhook(webhook_id)
    assert (tested["success"], tested["delivery"]["response_status"]) == (True, 204)
    action_id = agent.create_action("deploy", "Ship it")["action_id"]
    first, second = box.letters(2)
    assert (first.said["type"], second.said["type"]) == ("webhook.test", "action.created")
    assert second.said["event"] == "action.created"
    assert second.said["data"]["action_id"] == action_id
    assert first.signed_by(webhook["secret"])
    assert second.signed_by(webhook["secret"])

    assert boss.delete_webhook(webhook_id) == {"success": True, "deleted": True, "webhook_id": webhook_id}
    assert boss.get_webhooks() == {"webhooks": []}
    with pytest.raises(PublishedError) as refused:
        boss.test_webhook(webhook_id)
    assert refused.value.members["status"] == 404


def test_its_deliveries(boss: PublishedClient, box: Postbox) -> None:
    box.status = 500
    webhook_id = boss.create_webhook(box.url)["webhook"]["id"]
    assert boss.test_webhook(webhook_id)["success"] is False
    box.status = 200
    assert boss.test_webhook(webhook_id)["success"] is True
    newest, oldest = boss.get_webhook_deliveries(webhook_id)["deliveries"]
    assert (newest["status"], newest["event"], newest["response_status"]) == ("delivered", "webhook.test", 200)
    assert (oldest["status"], oldest["error"]) == ("failed", "it answered with status 500")
    assert [each.id for each in box.letters(2)] == [oldest["id"], newest["id"]]


def test_what_is_refused(boss: PublishedClient) -> None:
    for url, events in (("ftp://example.com/", None), ("https://example.com/", ["nonsense"]), ("", None)):
        with pytest.raises(PublishedError) as refused:
            boss.create_webhook(url, events=events)
        assert refused.value.members["status"] == 400, (url, events)
    assert boss.get_webhooks() == {"webhooks": []}


def test_agents_may_not(agent: PublishedClient) -> None:
    for call in (agent.get_webhooks, lambda: agent.create_webhook("https://example.com/")):
        with pytest.raises(PublishedError) as refused:
            call()
        assert refused.value.members["status"] == 403
