"""What counts as public, and what a name may resolve to."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Sequence

import pytest

from assent_service.core.addresses import PrivateAddress, UnresolvedHost, refusal, resolve, resolve_public


def answer_with(monkeypatch: pytest.MonkeyPatch, *addresses: str) -> list[tuple[str, int]]:
    """Let the running loop's resolver give these addresses for every name; returns the list of what was asked."""
    asked: list[tuple[str, int]] = []

    async def getaddrinfo(host: str, port: int, **_: object) -> Sequence[tuple[object, ...]]:
        asked.append((host, port))
        return [
            (socket.AF_INET6, socket.SOCK_STREAM, 6, "", (address, port, 0, 0))
            if ":" in address
            else (socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))
            for address in addresses
        ]

    monkeypatch.setattr("assent_service.core.addresses.look_up", getaddrinfo)
    return asked


@pytest.mark.parametrize("address", ["8.8.8.8", "1.1.1.1", "172.32.0.1", "100.128.0.1", "2606:4700::1111"])
def test_public_unicast_is_let_through(address: str) -> None:
    assert refusal(address) is None


@pytest.mark.parametrize(
    ("address", "kind"),
    [
        ("127.0.0.1", "loopback"),
        ("127.255.255.254", "loopback"),
        ("::1", "loopback"),
        ("0.0.0.0", "unspecified"),
        ("::", "unspecified"),
        ("10.1.2.3", "private"),
        ("172.31.255.255", "private"),
        ("192.168.0.1", "private"),
        ("fd00:ec2::254", "private"),
        ("169.254.169.254", "link-local"),
        ("fe80::1", "link-local"),
        ("fe80::1%eth0", "link-local"),
        ("224.0.0.1", "multicast"),
        ("239.255.255.255", "multicast"),
        ("ff02::1", "multicast"),
        ("fec0::1", "site-local"),
        ("4000::1", "reserved"),
        ("::127.0.0.1", "reserved"),
        ("100.64.0.1", "shared address space of carriers"),
        ("168.63.129.16", "cloud metadata service"),
        ("192.0.0.192", "IETF protocol assignments"),
        ("::ffff:127.0.0.1", "IPv4-mapped"),
        ("::ffff:8.8.8.8", "IPv4-mapped"),
        ("64:ff9b::7f00:1", "IPv4 translation"),
        ("2002:7f00:1::1", "6to4"),
    ],
)
def test_everything_else_is_refused(address: str, kind: str) -> None:
    assert refusal(address) == kind


@pytest.mark.parametrize("address", ["240.0.0.1", "255.255.255.255", "198.18.0.1", "192.0.2.1", "2001:db8::1"])
def test_reserved_and_documentation_ranges_are_refused(address: str) -> None:
    assert refusal(address) is not None


def test_a_refusal_needs_an_address() -> None:
    with pytest.raises(ValueError, match=r"example\.com"):
        refusal("example.com")


async def test_public_addresses_come_back_once_and_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = answer_with(monkeypatch, "2606:4700::1111", "1.1.1.1", "2606:4700::1111")
    assert await resolve_public("hooks.example.com", 8443) == ["2606:4700::1111", "1.1.1.1"]
    assert asked == [("hooks.example.com", 8443)]


async def test_one_private_address_among_public_ones_refuses_the_host(monkeypatch: pytest.MonkeyPatch) -> None:
    answer_with(monkeypatch, "1.1.1.1", "169.254.169.254")
    with pytest.raises(PrivateAddress, match=r"hooks\.example\.com resolves to 169\.254\.169\.254") as caught:
        await resolve_public("hooks.example.com", 443)
    assert (caught.value.host, caught.value.address) == ("hooks.example.com", "169.254.169.254")
    assert caught.value.kind == "link-local"


# The system's resolver reads the last three as 127.0.0.1 too.
@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost", "2130706433", "0x7f.1", "127.1"])
async def test_every_spelling_of_loopback_is_refused(host: str) -> None:
    with pytest.raises(PrivateAddress) as caught:
        await resolve_public(host, 443)
    assert caught.value.kind == "loopback"


async def test_resolve_alone_checks_nothing() -> None:
    assert await resolve("127.0.0.1", 443) == ["127.0.0.1"]


@pytest.mark.parametrize("host", ["", "a..b", "x" * 64 + ".invalid", "nul\0.invalid"])
async def test_what_is_no_host_name_is_unresolved(host: str) -> None:
    with pytest.raises(UnresolvedHost):
        await resolve(host, 443)


async def test_silent_names_hold_up_neither_others_nor_the_threads_of_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    silent, answered = threading.Event(), socket.getaddrinfo

    def getaddrinfo(host: str, *arguments: int) -> Sequence[tuple[object, ...]]:
        if host == "silent.example":
            silent.wait(60)
        return answered("127.0.0.1", *arguments)

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    waiting = [asyncio.create_task(resolve("silent.example", 443)) for _ in range(64)]
    try:
        async with asyncio.timeout(20):
            assert await resolve("other.example", 443) == ["127.0.0.1"]
            assert await asyncio.to_thread(lambda: True)
    finally:
        silent.set()
    assert await asyncio.gather(*waiting) == [["127.0.0.1"]] * 64


async def test_a_name_without_an_address_is_unresolved(monkeypatch: pytest.MonkeyPatch) -> None:
    async def getaddrinfo(*_: object, **__: object) -> list[object]:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr("assent_service.core.addresses.look_up", getaddrinfo)
    with pytest.raises(UnresolvedHost, match=r"nowhere\.example could not be resolved; check"):
        await resolve("nowhere.example", 443)

    answer_with(monkeypatch)
    with pytest.raises(UnresolvedHost):
        await resolve("nowhere.example", 443)
