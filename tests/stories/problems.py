"""What every refusal looks like, whatever it refuses."""

from __future__ import annotations

import re

from assent.contract.problems import PROBLEM_JSON, Code
from tests.stories.tenant import Reply

MEMBERS = {"type", "title", "status", "detail", "instance", "code", "errors", "error", "details"}
MORE = {"decision", "action", "approval"}
# What an error must never show: a trace, a place in the code, a query, what a key begins with.
INSIDE = re.compile(
    r"Traceback|File \"|\.py\b|line \d+, in|msgspec|duckdb|SELECT |0x[0-9a-f]{6}|assent_[\w-]{20}", re.I
)
LONGEST = 20_000


def refused(reply: Reply, status: int, code: str | None = None, place: str | None = None) -> None:
    """`reply` is a problem with this status and code, and names `place`, in the one shape of all errors."""
    assert reply.status == status, reply.content[:500]
    assert reply.headers["content-type"] == PROBLEM_JSON
    assert reply.headers["cache-control"] == "no-store"
    body = reply.body
    assert MEMBERS <= set(body) <= MEMBERS | MORE
    assert body["status"] == status == Code(body["code"]).status
    assert body["type"] == f"urn:assent:problem:{body['code']}"
    assert body["detail"]
    assert body["error"] == body["detail"]
    assert body["details"] == [f"{error['place']}: {error['message']}" for error in body["errors"]]
    assert not INSIDE.search(reply.content.decode()), reply.content[:500]
    assert len(reply.content) < LONGEST
    if code is not None:
        assert body["code"] == code, reply.content[:500]
    if place is not None:
        assert [error["place"] for error in body["errors"]] == [place], reply.content[:500]
        assert place in body["detail"]
