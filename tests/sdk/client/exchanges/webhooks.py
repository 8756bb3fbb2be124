"""What the operations of webhooks send and are answered."""

from __future__ import annotations

from typing import Any

from tests.sdk.client.case import Case
from tests.sdk.client.samples import NOW


def webhook(**changed: Any) -> dict[str, Any]:
    return {
        "id": "wh_1",
        "org_id": "org_1",
        "webhook_id": "wh_1",
        "url": "https://example.com/hook",
        "description": None,
        "events": ["all"],
        "active": True,
        "secret": "whsec_...abcd",
        "retrying": 0,
        "failing_since": None,
        "disabled_at": None,
        "disabled_reason": None,
        "rotated_at": None,
        "created_at": NOW,
        "created_by": "key_1",
        "updated_at": NOW,
        "notice": False,
        "quiet_from": "",
        "quiet_until": "",
        "time_zone": "",
        "digest_minutes": 0,
        **changed,
    }


DELIVERY: dict[str, Any] = {
    "id": "wd_1",
    "org_id": "org_1",
    "delivery_id": "wd_1",
    "webhook_id": "wh_1",
    "event": "action.created",
    "event_n": 7,
    "status": "retrying",
    "attempts": 2,
    "response_status": 500,
    "response_excerpt": "no luck",
    "error": "it answered with status 500",
    "duration_ms": 12,
    "next_attempt_at": NOW,
    "created_at": NOW,
    "updated_at": NOW,
    "first_n": None,
}
CREATED = {"webhook": webhook(secret="whsec_c2VjcmV0"), "secret_warning": "Keep it."}

CASES: list[Case] = [
    Case(
        "create_webhook",
        "POST",
        "/api/webhooks",
        {"url": "https://example.com/hook"},
        CREATED,
        ("https://example.com/hook",),
        status=201,
    ),
    Case(
        "create_webhook",
        "POST",
        "/api/webhooks",
        {"url": "https://example.com/hook", "events": ["halt.changed", "stale_loop"], "description": "pager"},
        CREATED,
        ("https://example.com/hook", ("halt.changed", "stale_loop")),
        {"description": "pager"},
        status=201,
        same=" for some events",
    ),
    Case(
        "create_webhook",
        "POST",
        "/api/webhooks",
        {
            "url": "jsons://chat.invalid/x",
            "quiet_from": "22:00",
            "quiet_until": "07:00",
            "time_zone": "Europe/Berlin",
            "digest_minutes": 30,
        },
        CREATED,
        ("jsons://chat.invalid/x",),
        {"quiet_from": "22:00", "quiet_until": "07:00", "time_zone": "Europe/Berlin", "digest_minutes": 30},
        status=201,
        same=" for a notice",
    ),
    Case(
        "open_notice",
        "POST",
        "/api/notices/open",
        {"link": "wh_1.7.1790000000.c2ln"},
        {"action_id": "act_1", "event": "approval.requested", "opened_at": NOW},
        ("wh_1.7.1790000000.c2ln",),
    ),
    Case("get_webhooks", "GET", "/api/webhooks", answer={"webhooks": [webhook()]}),
    Case(
        "update_webhook",
        "PATCH",
        "/api/webhooks/wh_1",
        {"active": True, "events": ["all"]},
        {"webhook": webhook()},
        ("wh_1",),
        {"active": True, "events": ["all"], "url": None},
    ),
    Case(
        "delete_webhook",
        "DELETE",
        "/api/webhooks/wh_1",
        answer={"success": True, "deleted": True, "webhook_id": "wh_1"},
        args=("wh_1",),
    ),
    Case("rotate_webhook_secret", "POST", "/api/webhooks/wh_1/secret", answer=CREATED, args=("wh_1",)),
    Case(
        "test_webhook",
        "POST",
        "/api/webhooks/wh_1/test",
        answer={"success": False, "delivery": DELIVERY},
        args=("wh_1",),
    ),
    Case(
        "get_webhook_deliveries",
        "GET",
        "/api/webhooks/wh_1/deliveries?status=failed&limit=5",
        answer={"deliveries": [DELIVERY], "next_cursor": None},
        args=("wh_1",),
        kwargs={"status": "failed", "limit": 5},
    ),
]
