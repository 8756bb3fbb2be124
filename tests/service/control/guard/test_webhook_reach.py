"""Where a webhook may lead: urls, names, addresses and certificates."""

from __future__ import annotations

import httpx
import pytest

from assent_service.control.guard.webhook import WebhookSettings, ask, open_client
from tests.service.control.guard.hook import ALLOW, SNAPSHOT, Listen, ask_one, check, failure, reply, use_resolver


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http://127.0.0.1:{port}/", "must start with https, not http"),
        ("ftp://127.0.0.1:{port}/", "must start with https, not ftp"),
        ("127.0.0.1/hook", "must start with https"),
        ("https:///hook", "names no valid host and port"),
        ("https://127.0.0.1:99999/", "names no valid host and port"),
        ("https://127.0.0.1:{port}\0/", "cannot be parsed"),
    ],
)
async def test_urls_that_are_refused(listen: Listen, trusting: WebhookSettings, url: str, said: str) -> None:
    hook = await listen(reply(ALLOW))
    assert said in await failure(check(0, url=url.format(port=hook.port)), trusting)
    assert hook.connections == 0


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "2130706433", "[::1]", "[::ffff:127.0.0.1]"])
async def test_private_addresses_are_refused_before_connecting(
    listen: Listen, trusting: WebhookSettings, host: str
) -> None:
    hook = await listen(reply(ALLOW))
    settings = WebhookSettings(verify=trusting.verify)
    reason = await failure(check(0, url=f"https://{host}:{hook.port}/"), settings)
    assert "is at an address that is not public (" in reason
    assert hook.connections == 0


async def test_the_metadata_service_behind_a_name_is_refused_and_not_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    use_resolver(monkeypatch, {"a.hooks.test": [["1.1.1.1", "169.254.169.254"]] * 2})
    reason = await failure(check(0, url="https://a.hooks.test/"), WebhookSettings())
    assert "its host a.hooks.test is at an address that is not public (link-local)" in reason
    assert "169.254" not in reason


async def test_an_unknown_name(monkeypatch: pytest.MonkeyPatch) -> None:
    use_resolver(monkeypatch, {"a.hooks.test": [[], []]})
    reason = await failure(check(0, url="https://a.hooks.test/"), WebhookSettings())
    assert "its host a.hooks.test could not be resolved" in reason


async def test_the_name_is_resolved_once_a_call_and_the_connection_goes_to_what_was_checked(
    monkeypatch: pytest.MonkeyPatch, listen: Listen, trusting: WebhookSettings
) -> None:
    hook = await listen(reply(ALLOW))
    one = check(0, url=f"https://a.hooks.test:{hook.port}/")
    # Whoever looked the name up again within a call would take the next call's answer, which leads elsewhere.
    asked = use_resolver(monkeypatch, {"a.hooks.test": [["127.0.0.1"], ["127.0.0.1"]]})
    for calls in (1, 2):
        assert (await ask_one(one, trusting)).decision == "allow"
        assert asked == ["a.hooks.test"] * calls
    assert {(request.headers["host"], request.server_name) for request in hook.requests} == {
        (f"a.hooks.test:{hook.port}", "a.hooks.test")
    }


async def test_a_name_that_turns_private_is_refused_at_the_next_call(monkeypatch: pytest.MonkeyPatch) -> None:
    use_resolver(monkeypatch, {"a.hooks.test": [["10.0.0.1"], ["127.0.0.1"]]})
    assert "(private)" in (await ask_one(check(0, url="https://a.hooks.test/"), WebhookSettings())).reasons[0]
    assert "(loopback)" in (await ask_one(check(0, url="https://a.hooks.test/"), WebhookSettings())).reasons[0]


async def test_the_certificate_must_be_for_the_name_not_for_the_address(
    monkeypatch: pytest.MonkeyPatch, listen: Listen, trusting: WebhookSettings
) -> None:
    hook = await listen(reply(ALLOW))
    use_resolver(monkeypatch, {"other.example": [["127.0.0.1"]] * 2})
    reason = await failure(check(0, url=f"https://other.example:{hook.port}/"), trusting)
    assert "connecting failed" in reason
    assert "not valid for 'other.example'" in reason
    assert hook.requests == []


async def test_a_certificate_from_nowhere_is_refused(listen: Listen) -> None:
    hook = await listen(reply(ALLOW))
    reason = await failure(check(hook.port), WebhookSettings(allow_private=True))
    assert "CERTIFICATE_VERIFY_FAILED" in reason
    assert hook.requests == []


async def test_the_next_address_is_used_when_the_first_takes_no_connection(
    monkeypatch: pytest.MonkeyPatch, listen: Listen, trusting: WebhookSettings
) -> None:
    hook = await listen(reply(ALLOW))  # nobody connects to a multicast group
    use_resolver(monkeypatch, {"a.hooks.test": [["224.0.0.1", "127.0.0.1"]]})
    assert (await ask_one(check(0, url=f"https://a.hooks.test:{hook.port}/"), trusting)).decision == "allow"
    assert len(hook.requests) == 1


async def test_names_at_one_address_share_neither_connections_nor_cookies(
    monkeypatch: pytest.MonkeyPatch, listen: Listen, trusting: WebhookSettings
) -> None:
    hook = await listen(reply(ALLOW, "200 OK", "set-cookie: seen=1; Path=/"))
    use_resolver(monkeypatch, {"a.hooks.test": [["127.0.0.1"]], "b.hooks.test": [["127.0.0.1"]]})
    async with open_client(trusting) as client:
        for name in ("a", "b"):
            one = check(0, url=f"https://{name}.hooks.test:{hook.port}/")
            (answer,) = await ask([one], SNAPSHOT, client=client, settings=trusting, new_id=lambda: "msg_1")
            assert answer.decision == "allow"
    assert hook.connections == 2
    assert [request.server_name for request in hook.requests] == ["a.hooks.test", "b.hooks.test"]
    assert not any("cookie" in request.headers for request in hook.requests)


async def test_a_client_that_reads_proxies_from_the_environment_is_turned_away() -> None:
    async with httpx.AsyncClient() as client:
        with pytest.raises(ValueError, match="trust_env=False; use open_client"):
            await ask([], SNAPSHOT, client=client, settings=WebhookSettings(), new_id=lambda: "msg_1")


async def test_proxies_of_the_environment_are_not_used(
    monkeypatch: pytest.MonkeyPatch, listen: Listen, trusting: WebhookSettings
) -> None:
    hook = await listen(reply(ALLOW))
    for variable in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY"):
        monkeypatch.setenv(variable, "http://127.0.0.1:1")
    assert (await ask_one(check(hook.port), trusting)).decision == "allow"
