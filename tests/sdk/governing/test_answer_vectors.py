"""A governed call runs by the answers of `tests/vectors/answers.json` that say so, and by no other. The Node client is
held to the same table (`tests/sdk/typescript/test_answers.py`)."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from assent import AssentError, Client, governed
from assent.client import permission
from tests.vectors.answers import ANSWERS, CASES, changed


class Service:
    """Answers as the case says: a creation that is allowed, approved or waits; a look; a claim."""

    def __init__(self, case: dict[str, Any]) -> None:
        self._case = case
        self._creation = case["of"] if case["of"] in ("allowed", "approved", "waits") else "waits"
        self._sent: dict[str, str] = {}
        self.reported: list[str] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        path, status = request.url.path, 200
        if path == "/api/stream":
            return httpx.Response(404)
        if path == "/api/actions":
            body = json.loads(request.content)
            self._sent = {"$digest": body["parameters_digest"], "$key": request.headers["idempotency-key"]}
            name, status = self._creation, 202 if self._creation == "waits" else 201
        elif request.method == "PATCH":
            self.reported.append(json.loads(request.content)["status"])
            name = "read"
        elif path.endswith("/withdraw"):
            self.reported.append("withdrawn")
            name = "read"
        else:
            name = "claim" if path.endswith("/claim") else "read"
        answer = changed(name, self._case["change"] if name == self._case["of"] else {}, self._sent)
        return httpx.Response(status, json=answer, headers={"x-request-id": request.headers["x-request-id"]})


def told(case: dict[str, Any]) -> str:
    return f"{case['of']}: {json.dumps(case['change'])}"


@pytest.mark.parametrize("case", CASES, ids=told)
def test_a_call_runs_by_its_own_answers_alone(case: dict[str, Any]) -> None:
    ran: list[int] = []
    service = Service(case)
    http = httpx.Client(transport=httpx.MockTransport(service))
    client = Client("http://assent.test", "sk", "bot", http=http, say=str, retries=0)

    @governed("pay", client=client, session_id="run-7")
    def pay(amount: int) -> None:
        ran.append(amount)

    if case["runs"]:
        pay(5)
        assert (ran, service.reported) == ([5], ["completed"])
    else:
        with pytest.raises(AssentError):
            pay(5)
        assert ran == []


def test_each_member_that_is_held_stands_in_the_table() -> None:
    held = {f"action.{name}" for name in permission.OF_ONE_ACTION}
    held |= {f"approval.{name}" for name in (*permission.OF_ITS_APPROVAL, *permission.OF_ONE_APPROVAL)}
    for of in ("read", "claim"):
        assert held <= {name for case in CASES if case["of"] == of and not case["runs"] for name in case["change"]}
    assert set(ANSWERS) == {case["of"] for case in CASES}
