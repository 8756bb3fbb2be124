"""Who is calling, and what an admin key given by hand must be, so that it can be sent in a header and is not guessed.

Only a key's SHA-256 is kept, which is safe for a secret with many random bits and for no other. The service cannot see
how random a text is, so it asks for a length that nobody types by heart.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import datetime
from typing import Protocol

import msgspec

from assent.contract.control.guard import Source
from assent.contract.names import same_name
from assent.contract.problems import Code
from assent.contract.roles import Role
from assent_service.base.problem import refuse


class MayBeHistory(Protocol):
    """A body that can say that it happened before."""

    @property
    def source(self) -> Source | None: ...
    @property
    def occurred_at(self) -> datetime | None: ...


class Principal(msgspec.Struct, frozen=True):
    """The key behind a request. A key bound to an agent speaks for that agent only. `private` are the agents whose
    messages it does not read: for an agents' key that is bound to none and was not made for any, those that have a key
    of their own."""

    org_id: str
    key_id: str
    name: str
    role: Role
    agent_id: str | None
    private: Collection[str] = ()

    @property
    def unbound(self) -> bool:
        """Whether it is an agents' key that is bound to none: it can speak for any."""
        return self.agent_id is None and self.role is Role.AGENT

    def speaks_for(self, agent_id: str | None) -> str | None:
        """The agent that a request is about: the one it names, else the key's own.

        Raises `agent_mismatch` when the key is bound to another agent.
        """
        if agent_id is None:
            return self.agent_id
        if self.agent_id is not None and not same_name(agent_id, self.agent_id):
            raise refuse(
                Code.AGENT_MISMATCH,
                f"This key is bound to agent {self.agent_id!r} and cannot speak for {agent_id!r}; "
                "leave agent_id out or use that agent's own key.",
            )
        return agent_id if self.agent_id is None else self.agent_id

    def check_role(self, operation: str, roles: Collection[Role]) -> None:
        """Raises `forbidden` for an operation that takes a key of other roles."""
        if self.role not in roles:
            raise refuse(
                Code.FORBIDDEN,
                f"A key of role {self.role} may not {operation}; it takes one of: {', '.join(sorted(roles))}.",
            )

    def check_history(self, body: MayBeHistory) -> None:
        """Raises `forbidden` for history without an admin key."""
        if (body.source not in (None, Source.LIVE) or body.occurred_at is not None) and self.role is not Role.ADMIN:
            raise refuse(Code.FORBIDDEN, "Recording history (source, occurred_at) takes an admin key.")

    def sees(self, agent_id: str | None) -> bool:
        """A key bound to an agent sees that agent's rows only."""
        return self.role is not Role.AGENT or self.agent_id is None or same_name(self.agent_id, agent_id)

    def check_owner(self, agent_id: str | None, what: str) -> None:
        """Raises `agent_mismatch` when the key is bound to another agent than the one that `what` is of. What is
        nobody's (None) may be changed by all."""
        if agent_id is not None and self.agent_id is not None and not same_name(self.agent_id, agent_id):
            raise refuse(
                Code.AGENT_MISMATCH,
                f"{what} is agent {agent_id!r}'s, and this key is bound to agent {self.agent_id!r}: it may look at it, "
                "and not change it. Use that agent's key, or an operator's.",
            )

    def check_inbox(self, agent_id: str) -> None:
        """Raises `agent_mismatch` for the inbox of an agent that this key does not read."""
        if agent_id in self.private:
            raise refuse(
                Code.AGENT_MISMATCH,
                f"Agent {agent_id!r} has a key of its own, and this key is bound to no agent: it neither reads that "
                "agent's inbox nor marks anything there. Use that agent's key, or one made with any_agent "
                "(`assent keys create --any-agent`).",
            )


Authenticate = Callable[[str], Principal | None]
"""The principal of an API key, None when there is none or it was revoked."""


SHORTEST = 32
"""Characters of a secret from which on it is not to be guessed: as random base64 they hold 192 bits."""
LONGEST = 500


def check_admin_key(secret: str) -> None:
    """Raises ValueError unless the secret is visible ASCII without spaces, 32 to 500 characters. The secret is not in
    the message."""
    if not SHORTEST <= len(secret) <= LONGEST or not all("!" <= character <= "~" for character in secret):
        raise ValueError(
            f"The admin key (admin_key, ASSENT_ADMIN_KEY) must be {SHORTEST} to {LONGEST} visible ASCII characters "
            f"without spaces, and the one given has {len(secret)} characters: take one from a password generator, or "
            "leave the setting out, and a key is made at the first start"
        )
