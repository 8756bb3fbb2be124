"""The names that a house says are its own: repositories, channels, accounts, and hosts with what lies below them."""

from __future__ import annotations

from assent.flows.digests import Digester, ValueDigest
from assent.flows.pack import Pack, Role

_NAMED = frozenset[Role](["destination", "target", "reference", "other"])
"""Roles in which a value may be one of the names."""


class OwnNames:
    """Those of a pack, compared as values are: whatever their case and the signs at their edges."""

    def __init__(self, digester: Digester, pack: Pack) -> None:
        self._values = frozenset(digester.value(each).whole for each in pack.names)
        self._hosts = tuple(each.lower() for each in pack.names if "." in each)

    def has(self, value: ValueDigest, role: Role) -> bool:
        """Whether a value of this role is one."""
        return role in _NAMED and value.whole is not None and value.whole in self._values

    def has_host(self, host: str) -> bool:
        """Whether a host, in small letters, is one or lies below one."""
        return any(host == each or host.endswith(f".{each}") for each in self._hosts)
