"""Which addresses the service may call on somebody's word: public unicast, nothing else.

A webhook's host is chosen by whoever writes the policy, so its name may lead anywhere the service can reach: its own
loopback, the private network behind it, a cloud's metadata service. The rules:

- every address that the name resolves to must be public; one that is not refuses the whole name, since a caller
  cannot know which of them would be tried;
- forms that carry an IPv4 address inside an IPv6 one (mapped, translated, 6to4) are refused whatever is inside;
- the ranges are written down here where Python's own tables differ between patch releases or call them global.

The caller must connect to one of the addresses returned, by address, and resolve again for every call. Whoever
resolves a second time while connecting gives a name that changes its answer (DNS rebinding) a way around the check.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Final

_Address = IPv4Address | IPv6Address

# A lookup cannot be cut off: a name whose servers are silent holds its thread for long after the caller has gone. In
# threads of their own such names hold up one another, and not the files and tables that others read in the loop's.
_resolvers: Final = ThreadPoolExecutor(128, thread_name_prefix="assent-resolver")

# Checked before Python's own classes: (network, what it is).
_NAMED_NETWORKS: Final = tuple(
    (ip_network(network), kind)
    for network, kind in (
        ("100.64.0.0/10", "shared address space of carriers"),  # RFC 6598
        ("168.63.129.16/32", "cloud metadata service"),  # a public number that leads to the host's own agent
        ("192.0.0.0/24", "IETF protocol assignments"),  # RFC 6890
        ("192.88.99.0/24", "6to4 relay"),  # RFC 7526
        ("::ffff:0:0/96", "IPv4-mapped"),  # RFC 4291
        ("64:ff9b::/96", "IPv4 translation"),  # RFC 6052
        ("64:ff9b:1::/48", "IPv4 translation"),  # RFC 8215
        ("2002::/16", "6to4"),  # RFC 3056
        ("3fff::/20", "documentation"),  # RFC 9637
    )
)


class PrivateAddress(Exception):  # the name says what was met, as in its message
    """A host resolves to an address that is not public. `kind` says which sort: "loopback", "private", ..."""

    def __init__(self, host: str, address: str, kind: str) -> None:
        super().__init__(f"{host} resolves to {address}, which is not public ({kind}); use a public host")
        self.host = host
        self.address = address
        self.kind = kind


class UnresolvedHost(Exception):  # as above
    """A host has no address, or is not a host name at all."""

    def __init__(self, host: str) -> None:
        super().__init__(f"{host} could not be resolved; check the host's name")
        self.host = host


def refusal(address: str) -> str | None:
    """Why an address must not be called ("loopback", "link-local", ...), or None when it is public unicast.

    Takes an IPv4 or IPv6 literal, with or without a zone; raises ValueError for anything else.
    """
    parsed = ip_address(address)
    for network, kind in _NAMED_NETWORKS:
        if parsed.version == network.version and parsed in network:
            return kind
    return _kind(parsed)


def _kind(address: _Address) -> str | None:
    kinds = (
        (address.is_unspecified, "unspecified"),
        (address.is_loopback, "loopback"),
        (address.is_link_local, "link-local"),
        (address.is_multicast, "multicast"),
        (isinstance(address, IPv6Address) and address.is_site_local, "site-local"),
        (address.is_private, "private"),
        (address.is_reserved, "reserved"),
        (not address.is_global, "not global"),
    )
    return next((kind for applies, kind in kinds if applies), None)


async def look_up(host: str, port: int) -> Sequence[tuple[object, object, object, object, tuple[object, ...]]]:
    """What the system's resolver says (`socket.getaddrinfo`), and raises what it raises."""
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(_resolvers, socket.getaddrinfo, host, port, 0, socket.SOCK_STREAM)


async def resolve(host: str, port: int) -> list[str]:
    """Every address of a host, unchecked, each once, in the system's order of preference.

    Raises UnresolvedHost. The wait is the system resolver's; put a timeout around it.
    """
    if not host:
        raise UnresolvedHost("an empty host name")  # the system would take it for loopback
    try:
        found = await look_up(host, port)
    except (OSError, ValueError) as error:  # ValueError: no host name (an empty or overlong label, a NUL)
        raise UnresolvedHost(host) from error
    addresses = list(dict.fromkeys(str(sockaddr[0]) for *_, sockaddr in found))
    if not addresses:
        raise UnresolvedHost(host)
    return addresses


async def resolve_public(host: str, port: int) -> list[str]:
    """Every address of a host, all of them public, each once, in the system's order of preference.

    Raises PrivateAddress for the first address that is not public, and UnresolvedHost as `resolve` does.
    """
    addresses = await resolve(host, port)
    for address in addresses:
        kind = refusal(address)
        if kind is not None:
            raise PrivateAddress(host, address, kind)
    return addresses
