"""Who is calling."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Protocol

import msgspec

from assent.contract.guard import Source
from assent.contract.problems import Code
from assent.contract.roles import Role
from assent_service.core.problem import refuse


class MayBeHistory(Protocol):
    """A body that can say that it happened before."""

    @property
    def source(self) -> Source | None: ...
    @property
    def occurred_at(self) -> datetime | None: ...


class Principal(msgspec.Struct, frozen=True):
    """The key behind a request. A key bound to an agent speaks for that agent only."""

    org_id: str
    key_id: str
    name: str
    role: Role
    agent_id: str | None

    def speaks_for(self, agent_id: str | None) -> str | None:
        """The agent that a request is about: the one it names, else the key's own.

        Raises `agent_mismatch` when the key is bound to another agent.
        """
        if agent_id is None:
            return self.agent_id
        if self.agent_id is not None and agent_id != self.agent_id:
            raise refuse(
                Code.AGENT_MISMATCH,
                f"This key is bound to agent {self.agent_id!r} and cannot speak for {agent_id!r}; "
                "leave agent_id out or use that agent's own key.",
            )
        return agent_id

    def check_history(self, body: MayBeHistory) -> None:
        """Raises `forbidden` for history without an admin key."""
        if (body.source not in (None, Source.LIVE) or body.occurred_at is not None) and self.role is not Role.ADMIN:
            raise refuse(Code.FORBIDDEN, "Recording history (source, occurred_at) takes an admin key.")

    def sees(self, agent_id: str | None) -> bool:
        """A key bound to an agent sees that agent's rows only."""
        return self.role is not Role.AGENT or self.agent_id is None or self.agent_id == agent_id


Authenticate = Callable[[str], Principal | None]
"""The principal of an API key, None when there is none or it was revoked."""
