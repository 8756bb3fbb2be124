"""Who may call what. A key has exactly one role."""

from __future__ import annotations

from enum import StrEnum


class Role(StrEnum):
    """`agent` asks, acts and reports; `operator` also decides; `auditor` reads everything; `admin` does everything."""

    AGENT = "agent"
    OPERATOR = "operator"
    AUDITOR = "auditor"
    ADMIN = "admin"


OPEN: frozenset[Role] | None = None
"""No key needed."""
ANYONE = frozenset(Role)
ACTING = frozenset({Role.AGENT, Role.OPERATOR, Role.ADMIN})
AGENTS = frozenset({Role.AGENT, Role.ADMIN})
"""What is for agents alone, but for admins, who may do everything."""
OPERATING = frozenset({Role.OPERATOR, Role.ADMIN})
READING = frozenset({Role.OPERATOR, Role.AUDITOR, Role.ADMIN})
ADMIN = frozenset({Role.ADMIN})
