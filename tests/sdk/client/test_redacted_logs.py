"""No secret gets into a program's log or an error's words by way of this client."""

from __future__ import annotations

import asyncio
import logging

import httpx
import pytest

from assent import AssentError, AsyncClient, Client, UnboundAnswer

SECRET = "ghp_" + "a1B2" * 9
KEY = "assent_" + "q7Zt1LmX0vRb9KpN4sYc8WdH2eJu6GfA5iTo3BxQhVk"
URL = "http://assent.test"


def refused(request: httpx.Request) -> httpx.Response:
    said = {"code": KEY, "detail": f"no {KEY}", "errors": [{"place": KEY, "message": KEY}]}
    return httpx.Response(400, json=said, headers={"x-request-id": request.headers["x-request-id"]})


def test_httpx_tells_addresses_of_ours_without_secrets_and_others_as_they_are(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "httpx")
    transport = httpx.MockTransport(refused)

    async def ask() -> None:
        async with AsyncClient(URL, KEY, http=httpx.AsyncClient(transport=transport)) as client:
            await client.get_actions(agent_id=SECRET)

    with pytest.raises(AssentError), Client(URL, KEY, http=httpx.Client(transport=transport)) as client:
        client.get_actions(agent_id=SECRET)
    with pytest.raises(AssentError):
        asyncio.run(ask())
    told = [record.getMessage() for record in caplog.records if record.name == "httpx"]
    assert len(told) == 2
    assert all(f"HTTP Request: GET {URL}/api/actions?agent_id=[REDACTED:github_token]" in each for each in told)
    with httpx.Client(transport=transport) as other:
        other.get(URL, params={"q": SECRET}, headers={"x-request-id": "1"})
    assert SECRET in caplog.records[-1].getMessage()


def test_what_a_service_echoes_is_no_words_of_an_error() -> None:
    with Client(URL, KEY, http=httpx.Client(transport=httpx.MockTransport(refused))) as client:
        with pytest.raises(AssentError) as caught:
            client.get_actions()
        assert KEY not in f"{caught.value} {caught.value!r} {vars(caught.value)['code']} {vars(caught.value)['errors']}"

    echoing = httpx.MockTransport(lambda _: httpx.Response(200, json={}, headers={"x-request-id": KEY}))
    with Client(URL, KEY, http=httpx.Client(transport=echoing), retries=0) as client:
        with pytest.raises(UnboundAnswer) as unbound:
            client.get_actions()
        assert KEY not in f"{unbound.value} {unbound.value.answered}"
