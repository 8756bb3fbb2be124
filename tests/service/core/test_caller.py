"""The address of a caller: the peer's, or what proxies that are trusted say, and nothing that a caller can write."""

from __future__ import annotations

from typing import Any

import pytest

from assent_service.core.caller import UNKNOWN, Callers, group_of
from assent_service.core.settings import SettingsError, load

BEHIND = Callers(["10.0.0.0/8", "192.0.2.10", "fd00::/8"])


def scope(peer: str | None, *forwarded: str) -> Any:
    headers = [(b"host", b"127.0.0.1"), *((b"x-forwarded-for", each.encode()) for each in forwarded)]
    return {"type": "http", "client": None if peer is None else (peer, 4711), "headers": headers}


@pytest.mark.parametrize("callers", [Callers(), BEHIND], ids=["none is trusted", "others are trusted"])
def test_a_header_of_somebody_who_is_not_trusted_is_not_looked_at(callers: Callers) -> None:
    assert callers.address(scope("203.0.113.9", "198.51.100.1")) == "203.0.113.9"
    assert callers.address(scope("2001:db8::9", "198.51.100.1, 10.0.0.1")) == "2001:db8::9"


def test_without_trusted_proxies_a_proxy_is_the_caller() -> None:
    assert Callers().address(scope("10.0.0.1", "198.51.100.1")) == "10.0.0.1"


def test_a_trusted_proxy_says_who_its_peer_was() -> None:
    assert BEHIND.address(scope("10.0.0.1", "198.51.100.1")) == "198.51.100.1"
    assert BEHIND.address(scope("192.0.2.10", "2001:db8::7")) == "2001:db8::7"
    assert BEHIND.address(scope("fd00::3", "198.51.100.1")) == "198.51.100.1"


def test_what_the_caller_wrote_itself_stands_further_left() -> None:
    # The caller at 203.0.113.9 sent "198.51.100.1"; both proxies put behind it whom they saw.
    assert BEHIND.address(scope("10.0.0.1", "198.51.100.1, 203.0.113.9, 10.0.0.2")) == "203.0.113.9"
    # In two headers they are one list, in their order.
    assert BEHIND.address(scope("10.0.0.1", "198.51.100.1", "203.0.113.9,10.0.0.2")) == "203.0.113.9"
    # Even where it pretends to be a proxy that is trusted.
    assert BEHIND.address(scope("10.0.0.1", "10.9.9.9, 203.0.113.9")) == "203.0.113.9"


def test_a_chain_of_proxies_alone_is_its_far_end() -> None:
    assert BEHIND.address(scope("10.0.0.1", "10.0.0.3, 10.0.0.2")) == "10.0.0.3"


@pytest.mark.parametrize("text", ["", "unknown", "_hidden", "198.51.100.1.5", "http://198.51.100.1", ",", "1" * 50_000])
def test_what_is_no_address_ends_at_the_proxy_that_passed_it_on(text: str) -> None:
    assert BEHIND.address(scope("10.0.0.1", text)) == "10.0.0.1"
    assert BEHIND.address(scope("10.0.0.1", f"198.51.100.1, {text}")) == "10.0.0.1"
    assert BEHIND.address(scope("10.0.0.1", f"{text},10.0.0.2")) == "10.0.0.2"


def test_without_the_header_a_proxy_is_the_caller() -> None:
    assert BEHIND.address(scope("10.0.0.1")) == "10.0.0.1"


@pytest.mark.parametrize("entry", ["198.51.100.1:4711", "  198.51.100.1\t", "::ffff:198.51.100.1"])
def test_an_entry_may_have_a_port_or_spaces(entry: str) -> None:
    assert BEHIND.address(scope("10.0.0.1", entry)) == "198.51.100.1"


@pytest.mark.parametrize("entry", ["[2001:db8::7]:4711", "[2001:db8::7]", "2001:DB8:0::7", "2001:db8::7%eth0"])
def test_an_ipv6_address_has_one_spelling(entry: str) -> None:
    assert BEHIND.address(scope("10.0.0.1", entry)) == "2001:db8::7"


def test_an_ipv4_peer_of_a_socket_for_both_is_an_ipv4_address() -> None:
    assert Callers().address(scope("::ffff:203.0.113.9")) == "203.0.113.9"
    assert BEHIND.address(scope("::ffff:10.0.0.1", "198.51.100.1")) == "198.51.100.1"


def test_a_peer_that_is_gone() -> None:
    assert Callers().address(scope(None)) == BEHIND.address(scope(None, "198.51.100.1")) == UNKNOWN


def test_which_peers_are_proxies() -> None:
    assert [BEHIND.trusts(peer) for peer in ("10.1.2.3", "::ffff:192.0.2.10", "192.0.2.11", UNKNOWN)] == [
        True,
        True,
        False,
        False,
    ]


def test_addresses_of_one_ipv6_host_count_together() -> None:
    assert group_of("2001:db8:1:2::1") == group_of("2001:db8:1:2:ffff:ffff:ffff:ffff") == "2001:db8:1:2::/64"
    assert group_of("2001:db8:1:3::1") == "2001:db8:1:3::/64"
    assert group_of("203.0.113.9") == group_of("::ffff:203.0.113.9") == "203.0.113.9"
    assert group_of(UNKNOWN) == UNKNOWN


@pytest.mark.parametrize("entry", ["10.0.0.0/33", "proxy.internal", "10.0.0.1/8", ""])
def test_a_setting_that_names_no_network_is_refused_by_its_value(entry: str, tmp_path: Any) -> None:
    (tmp_path / "assent.toml").write_text(f'trusted_proxies = ["10.0.0.1", "{entry}"]\n')
    with pytest.raises(SettingsError, match=r"trusted_proxies.*address") as refused:
        load({}, home=str(tmp_path))
    assert repr(entry) in str(refused.value)
