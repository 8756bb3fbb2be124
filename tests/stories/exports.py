"""Some of everything that is served as tables, and reading it back."""

from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone
from typing import Any

from tests.stories.tenant import Reply, Tenant

AWKWARD = 'quote " comma , line\r\nbreak =1+1 é 漢 \u2028 {"a": 1}'
SYSTEM = AWKWARD.replace("\u2028 ", "")
"""A name may be as awkward, but for what nobody can see."""
MEDIA_TYPES = {
    "arrow": "application/vnd.apache.arrow.stream",
    "parquet": "application/vnd.apache.parquet",
    "ndjson": "application/x-ndjson",
    "csv": "text/csv",
}
NOT_SERVED = {"org_id", "idempotency_key", "request_digest"}


def work(tenant: Tenant) -> dict[str, str]:
    """Some of everything: an action that ended well, one that failed, one that waits, one that was blocked."""
    tenant.governed()
    ended = tenant.create(
        declared_goal=AWKWARD,
        systems_touched=["db", SYSTEM],
        metadata={"deep": {"list": [1, None, "x"]}, "big": 2**53 - 1},
        agent_id="one",
        risk_score=12.5,
        idempotency_key="once",
    )
    report = {"status": "completed", "output_summary": "", "duration_ms": 17, "cost_estimate": 0.1, "tokens_in": 2}
    assert tenant.send("PATCH", f"/api/actions/{ended}", report, key="agent").status == 200
    began = (datetime.now(timezone(timedelta(hours=2))) - timedelta(hours=3)).replace(microsecond=500_000)
    failed = tenant.create(agent_id="two", timestamp_start=began.isoformat())
    report = {"status": "failed", "error_message": AWKWARD}
    assert tenant.send("PATCH", f"/api/actions/{failed}", report, key="agent").status == 200
    waiting = tenant.create("pay", agent_id="one")
    assert tenant.send("POST", "/api/actions", {"action_type": "wipe", "agent_id": "two"}).status == 403
    belief = {"assumption": AWKWARD, "action_id": ended, "basis": ""}
    assert tenant.send("POST", "/api/assumptions", belief, key="agent").status == 201
    return {"ended": ended, "failed": failed, "waiting": waiting}


def fetch(tenant: Tenant, table: str, query: str = "", key: str = "auditor", **headers: str) -> Reply:
    return tenant.send("GET", f"/api/data/{table}{query}", key=key, **headers)


def rows(tenant: Tenant, table: str, query: str = "", key: str = "auditor") -> list[dict[str, Any]]:
    reply = fetch(tenant, table, f"?format=ndjson{query}", key)
    assert reply.status == 200, reply.content
    return [json.loads(line) for line in reply.content.splitlines()]
