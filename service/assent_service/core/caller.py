"""Where a request comes from: the one place that says the address of a caller.

The rules:

- it is the address of the peer: whoever holds the other end of the connection;
- where that peer is a proxy of the setting `trusted_proxies`, it is what `X-Forwarded-For` says: read from the right,
  since each proxy puts the address of its own peer behind what it was sent, the first address that is no trusted proxy.
  Whatever stands left of it was written by the caller and is not looked at;
- what is not an address ends the reading: the caller is then the trusted proxy that passed it on. Without the header it
  is the proxy too;
- a header from a peer that is not trusted is not looked at;
- an IPv4 address in an IPv6 one (`::ffff:192.0.2.1`) is that IPv4 address; zones (`%eth0`) are left out.

Whoever counts by address counts by `group_of`: a single IPv6 host has a network of 2^64 addresses to take one from.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from litestar.types import Scope

UNKNOWN = "unknown"
"""The address of a peer that was gone before it could be asked for."""
ADMIT = "assent.admit"
"""The server's extension of the ASGI scope that is told of a valid key: connections of such addresses go last."""
IPV6_GROUP = 64
"""Bits of an IPv6 address that its network is given; the others are up to the host."""

_Address = IPv4Address | IPv6Address
_Network = IPv4Network | IPv6Network


class Callers:
    """`trusted` are addresses and networks (`10.0.0.7`, `10.0.0.0/8`, `fd00::/8`) whose `X-Forwarded-For` counts.

    Raises ValueError for what is neither, with the entry in its text.
    """

    def __init__(self, trusted: Sequence[str] = ()) -> None:
        self._trusted: tuple[_Network, ...] = tuple(ip_network(entry) for entry in trusted)

    def address(self, scope: Scope) -> str:
        """The caller's address as text, `unknown` for a peer that is gone."""
        client = scope["client"]
        peer = UNKNOWN if client is None else client[0]
        return self._forwarded(peer, scope["headers"]) if self._trusted else _plain(peer)

    def trusts(self, peer: str) -> bool:
        """Whether the peer at this address is a proxy of the setting."""
        parsed = _parsed(peer)
        return parsed is not None and self._is_trusted(parsed)

    def _forwarded(self, peer: str, headers: Iterable[tuple[bytes, bytes]]) -> str:
        address = _parsed(peer)
        if address is None or not self._is_trusted(address):
            return _plain(peer)
        left = b",".join(value for name, value in headers if name == b"x-forwarded-for").decode("latin-1")
        while left:
            left, _, entry = left.rpartition(",")
            found = _parsed(_without_port(entry.strip()))
            if found is None:
                break
            address = found
            if not self._is_trusted(address):
                break
        return str(address)

    def _is_trusted(self, address: _Address) -> bool:
        return any(address in network for network in self._trusted)


@lru_cache(maxsize=10_000)
def group_of(address: str) -> str:
    """What to count an address as: an IPv4 address as itself, an IPv6 one as its network (`2001:db8:1:2::/64`)."""
    parsed = _parsed(address)
    if isinstance(parsed, IPv6Address):
        return str(ip_network((parsed, IPV6_GROUP), strict=False))
    return address if parsed is None else str(parsed)


@lru_cache(maxsize=10_000)
def _plain(peer: str) -> str:
    parsed = _parsed(peer)
    return peer if parsed is None else str(parsed)


def _parsed(text: str) -> _Address | None:
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return (address.ipv4_mapped or address) if isinstance(address, IPv6Address) else address


def _without_port(entry: str) -> str:
    """`192.0.2.1:4711` and `[2001:db8::1]:4711` are written by some proxies."""
    if entry.startswith("["):
        return entry[1:].partition("]")[0]
    return entry.partition(":")[0] if entry.count(":") == 1 else entry
