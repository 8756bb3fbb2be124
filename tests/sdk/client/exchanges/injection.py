"""The scan for prompt injections: what is sent and answered."""

from __future__ import annotations

from typing import Any

from tests.sdk.client import samples
from tests.sdk.client.case import Case

DIGEST = "sha256:" + "0" * 64
FINDING: dict[str, Any] = {
    "pattern": "override_prior",
    "category": "role_override",
    "severity": "critical",
    "says": "tells the reader to drop what it was told before",
    "matched": "Ignore all previous instructions",
    "position": 0,
    "end": 32,
    "via": ["base64"],
    "weight": 6.0,
}
SCAN: dict[str, Any] = {
    "clean": False,
    "risk_level": "critical",
    "recommendation": "block",
    "findings_count": 1,
    "critical_count": 1,
    "categories": ["role_override"],
    "findings": [FINDING],
    "source": "user_input",
    "score": 6.0,
    "text_digest": DIGEST,
    "allowed": False,
    "version": "0123456789ab",
    "scan_id": "inj_1",
    "unread": False,
}
RECORDED: dict[str, Any] = {
    **{name: value for name, value in SCAN.items() if name != "clean"},
    "org_id": "org_1",
    "subject_kind": "guard_decision",
    "subject_id": "dec_1",
    "action_id": None,
    "agent_id": "agent-7",
    "field": "declared_goal",
    "length": 33,
    "created_by": "key_1",
    "created_at": samples.NOW,
}
ALLOWED: dict[str, Any] = {
    "org_id": "org_1",
    "allowed_id": "alw_1",
    "text_digest": DIGEST,
    "reason": "ours",
    "allowed_by": "Ada",
    "created_at": samples.NOW,
    "removed_by": None,
    "removed_at": None,
}
COUNTS = {"allow": 0, "warn": 0, "block": 1}

CASES = [
    # What is the default of the wire is not sent.
    Case(
        "scan_prompt_injection",
        "POST",
        "/api/security/prompt-injection",
        {"text": "a text", "agent_id": "agent-7"},
        SCAN,
        ("a text",),
    ),
    Case(
        "scan_prompt_injection",
        "POST",
        "/api/security/prompt-injection",
        {"text": "a text", "source": "tool_output", "agent_id": "other", "store": False},
        SCAN,
        ("a text", "tool_output"),
        {"agent_id": "other", "store": False},
        same=" of a tool, not kept",
    ),
    Case(
        "get_injection_scans",
        "GET",
        "/api/security/prompt-injection?limit=50",
        answer={"scans": [RECORDED], "total": 1, "by_recommendation": COUNTS, "next_cursor": None},
    ),
    Case(
        "get_injection_scans",
        "GET",
        "/api/security/prompt-injection?agent_id=bot&subject_kind=message&subject_id=msg_1&action_id=act_1"
        "&recommendation=warn&days=7&limit=3&offset=2&cursor=c",
        answer={"scans": [], "total": 0, "by_recommendation": COUNTS, "next_cursor": None},
        kwargs={
            "agent_id": "bot",
            "subject_kind": "message",
            "subject_id": "msg_1",
            "action_id": "act_1",
            "recommendation": "warn",
            "days": 7,
            "limit": 3,
            "offset": 2,
            "cursor": "c",
        },
        same=" by everything",
    ),
    Case(
        "allow_text",
        "POST",
        "/api/security/allowed-texts",
        {"text": "a text", "reason": "ours"},
        {"allowed_text": ALLOWED, "text_digest": DIGEST, "allowed": True},
        ("a text",),
        {"reason": "ours"},
        201,
    ),
    Case(
        "allow_text",
        "POST",
        "/api/security/allowed-texts",
        {"text_digest": DIGEST, "reason": "ours"},
        {"allowed_text": ALLOWED, "text_digest": DIGEST, "allowed": True},
        kwargs={"text_digest": DIGEST, "reason": "ours"},
        same=" by digest",
    ),
    Case(
        "get_allowed_texts",
        "GET",
        "/api/security/allowed-texts",
        answer={"allowed_texts": [ALLOWED], "total": 1},
    ),
    Case(
        "remove_allowed_text",
        "DELETE",
        "/api/security/allowed-texts/sha256%3A" + "0" * 64,
        answer={"allowed_text": None, "text_digest": DIGEST, "allowed": False},
        args=(DIGEST,),
    ),
]
