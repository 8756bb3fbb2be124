"""Where the service is and who is calling, read from the environment once."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

DEFAULT_BASE_URL = "http://127.0.0.1:8484"


@dataclass(frozen=True, kw_only=True)
class ClientSettings:
    """What a client needs to know. `base_url` has no slash at its end; the key never shows in a repr."""

    base_url: str = DEFAULT_BASE_URL
    api_key: str | None = field(default=None, repr=False)
    agent_id: str | None = None

    @classmethod
    def from_environment(
        cls,
        environment: Mapping[str, str] = os.environ,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        agent_id: str | None = None,
    ) -> ClientSettings:
        """What is given wins over ASSENT_BASE_URL, ASSENT_API_KEY and ASSENT_AGENT_ID; an empty variable is none.

        Raises ValueError for an address without http or https and a host, and for a key that no header can carry.
        """
        return cls(
            base_url=_address(base_url or environment.get("ASSENT_BASE_URL") or DEFAULT_BASE_URL),
            api_key=_key(api_key or environment.get("ASSENT_API_KEY")),
            agent_id=agent_id or environment.get("ASSENT_AGENT_ID") or None,
        )


def _address(text: str) -> str:
    address = text.strip().rstrip("/")
    try:
        parts = urlsplit(address)
        _ = parts.port  # raises on a port that is no number
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and not parts.query and not parts.fragment
    except ValueError:
        usable = False
    if not usable or any(character.isspace() or not character.isprintable() for character in address):
        raise ValueError(f"base_url is {text!r}; give http or https, a host and a port, such as {DEFAULT_BASE_URL}")
    return address


def _key(text: str | None) -> str | None:
    # A key read from a file ends with a newline more often than not. The message must not show the key.
    key = (text or "").strip()
    if any(not "!" <= character <= "~" for character in key):
        raise ValueError("api_key holds a space, a line break or a letter outside ASCII; copy the key again, alone")
    return key or None
