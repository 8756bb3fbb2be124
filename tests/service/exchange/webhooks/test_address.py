"""Which addresses may be registered."""

from __future__ import annotations

import asyncio

import pytest

from assent.contract.problems import Code
from assent_service.base.problem import Refusal
from assent_service.core import addresses
from assent_service.exchange.webhooks import address
from assent_service.exchange.webhooks.address import check_url
from tests.service.exchange.webhooks.receiver import use_resolver


async def refusal(url: str, *, allow_private: bool = False) -> str:
    with pytest.raises(Refusal) as found:
        await check_url(url, allow_private=allow_private)
    assert found.value.code is Code.INVALID_WEBHOOK
    assert [error.place for error in found.value.errors] == ["url"]
    return found.value.detail


@pytest.mark.parametrize(
    ("host", "kind"),
    [
        ("127.0.0.1", "loopback"),
        ("127.1", "loopback"),
        ("2130706433", "loopback"),
        ("localhost", "loopback"),
        ("[::1]", "loopback"),
        ("[::ffff:127.0.0.1]", "IPv4-mapped"),
        ("[::ffff:a9fe:a9fe]", "IPv4-mapped"),
        ("169.254.169.254", "link-local"),
        ("[fe80::1]", "link-local"),
        ("10.1.2.3", "private"),
        ("172.16.0.1", "private"),
        ("192.168.0.10", "private"),
        ("[fd00::1]", "private"),
        ("0.0.0.0", "unspecified"),
        ("224.0.0.1", "multicast"),
        ("100.64.0.1", "shared address space"),
        ("168.63.129.16", "cloud metadata"),
    ],
)
@pytest.mark.parametrize("port", ["", ":8443"])
async def test_an_address_that_is_not_public(host: str, kind: str, port: str) -> None:
    said = await refusal(f"https://{host}{port}/hook")
    assert "leads to an address that is not public" in said
    assert kind in said


async def test_a_name_that_leads_inside_one_that_leads_out_and_one_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    names: dict[str, list[list[str]]] = {
        "inside.test": [["8.8.8.8", "192.168.1.7"]],
        "outside.test": [["8.8.8.8"]],
        "unknown.test": [[]],
    }
    use_resolver(monkeypatch, names)
    assert "private" in await refusal("https://inside.test/")
    assert "192.168.1.7" not in await refusal("https://inside.test/")
    await check_url("https://outside.test:8443/hook?a=b", allow_private=False)
    await check_url("https://outside.test?to=@me", allow_private=False)
    await check_url("https://outside.test/@me", allow_private=False)
    await check_url("https://unknown.test/", allow_private=False)


async def test_a_name_that_does_not_come_to_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    async def never(*_: object, **__: object) -> None:
        await asyncio.sleep(60)

    monkeypatch.setattr(address, "PATIENCE", 0.05)
    monkeypatch.setattr(addresses, "look_up", never)
    await check_url("https://slow.test/", allow_private=False)


@pytest.mark.parametrize("private", [False, True])
@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("ftp://example.com/", "must start with https://"),
        ("example.com/hook", "must start with https://"),
        ("//example.com/hook", "must start with https://"),
        ("javascript:alert(1)", "must start with https://"),
        ("file:///etc/passwd", "must start with https://"),
        ("https://", "names no host"),
        ("https:///hook", "names no host"),
        ("https:hook", "names no host"),
        ("https://user:pass@example.com/", "must not hold a user name or password"),
        ("https://token@example.com/", "must not hold a user name or password"),
        ("https://@example.com/", "must not hold a user name or password"),
        ("https://example.com/#here", "must not have a fragment"),
        ("https://example.com:0/", "not between 1 and 65535"),
        ("https://example.com:65536/", "p"),
        ("https://example.com:port/", "cannot be parsed"),
        ("https://exa mple.com/", "holds spaces"),
        ("https://example.com/\r\nx: y", "holds spaces"),
        ("https://example.com/\x00", "holds spaces"),
        ("https://bücher.example/", "beyond ASCII"),
        ("https://[::1/", "cannot be parsed"),
    ],
)
async def test_what_is_no_address(url: str, said: str, private: bool) -> None:
    detail = await refusal(url, allow_private=private)
    assert said in detail
    assert "pass@" not in detail
    assert "token@" not in detail


async def test_http_and_private_ones_in_tests_only() -> None:
    assert "must start with https://" in await refusal("http://example.com/")
    await check_url("http://127.0.0.1:8080/hook", allow_private=True)
    await check_url("https://localhost/", allow_private=True)
