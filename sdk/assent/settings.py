"""Where the service is and who is calling, read from the environment once."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

DEFAULT_BASE_URL = "http://127.0.0.1:8484"
ON = ("1", "true", "yes", "on")
OFF = ("0", "false", "no", "off")
DEFAULT_RETRY_SECONDS = 20.0
LONGEST_RETRY_SECONDS = 240.0
"""Guard knows a question again for five minutes; a retry must not come later."""
DEFAULT_SPOOL_BYTES = 16_000_000
VARIABLES: dict[str, tuple[str, str]] = {
    "ASSENT_BASE_URL": (DEFAULT_BASE_URL, "where the service is"),
    "ASSENT_API_KEY": ("", "the key"),
    "ASSENT_AGENT_ID": ("", "which agent it speaks for"),
    "ASSENT_ACCEPT_UNBOUND_ANSWERS": (
        OFF[0],
        "`1` accepts answers without `x-request-id`, for a service or proxy that does not hand it back; one that "
        "carries another request's is refused all the same",
    ),
    "ASSENT_RETRY_SECONDS": (
        f"{DEFAULT_RETRY_SECONDS:g}",
        "for how long guard, creations and outcomes are tried again while the service does not answer, up to "
        f"{LONGEST_RETRY_SECONDS:g}",
    ),
    "ASSENT_SPOOL": (
        "",
        "where outcomes wait that could not be delivered, else the user's folder for state (`off`: nowhere); "
        "`assent doctor` tells what is there",
    ),
    "ASSENT_SPOOL_BYTES": (f"{DEFAULT_SPOOL_BYTES}", "how much may wait there"),
    "ASSENT_SESSION_ID": (
        "",
        "the session that what is done here belongs to, unless a call names another one (`session.environment()`); for "
        "hooks and the MCP server too",
    ),
    "ASSENT_PARENT_SESSION_ID": ("", "the session in which that one was begun"),
    "ASSENT_TELL_SESSIONS": (
        OFF[0],
        "`1` has governed functions, adapters, the MCP proxy and hooks give a call's arguments themselves instead of "
        "their digest, and tell its session what it answered, for flow policies",
    ),
    "ASSENT_DEBUG": (OFF[0], "`1` prints a line for each request on standard error, without secrets"),
    "ASSENT_CACHE": ("", "where `client.workspace()` keeps its copies of tables, else the user's folder for caches"),
}
"""What the client reads from the environment: the default, empty where there is none, and what it means."""


@dataclass(frozen=True, kw_only=True)
class ClientSettings:
    """What a client needs to know. `base_url` has no slash at its end; the key never shows in a repr. With
    `accept_unbound_answers` an answer need not carry the id of its request; with `debug` each request is told."""

    base_url: str = DEFAULT_BASE_URL
    api_key: str | None = field(default=None, repr=False)
    agent_id: str | None = None
    accept_unbound_answers: bool = False
    retry_seconds: float = DEFAULT_RETRY_SECONDS
    spool: str = ""
    spool_bytes: int = DEFAULT_SPOOL_BYTES
    session_id: str | None = None
    parent_session_id: str | None = None
    debug: bool = False
    tell_sessions: bool = False

    @classmethod
    def from_environment(
        cls,
        environment: Mapping[str, str] = os.environ,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        agent_id: str | None = None,
        accept_unbound_answers: bool | None = None,
        retry_seconds: float | None = None,
        spool: str | None = None,
    ) -> ClientSettings:
        """What is given wins over ASSENT_BASE_URL, ASSENT_API_KEY, ASSENT_AGENT_ID, ASSENT_ACCEPT_UNBOUND_ANSWERS and
        ASSENT_RETRY_SECONDS; an empty variable is none. Outcomes that cannot be delivered go where `spool` (`off`:
        nowhere), else ASSENT_SPOOL, and ASSENT_SPOOL_BYTES say.

        Raises ValueError for an address without http or https and a host, for a key that no header can carry, for a
        switch that is neither on nor off, and for numbers that are none or out of range.
        """
        seconds = environment.get("ASSENT_RETRY_SECONDS") if retry_seconds is None else retry_seconds
        return cls(
            base_url=_address(base_url or environment.get("ASSENT_BASE_URL") or DEFAULT_BASE_URL),
            api_key=_key(api_key or environment.get("ASSENT_API_KEY")),
            agent_id=agent_id or environment.get("ASSENT_AGENT_ID") or None,
            accept_unbound_answers=_switch("ASSENT_ACCEPT_UNBOUND_ANSWERS", environment)
            if accept_unbound_answers is None
            else accept_unbound_answers,
            retry_seconds=_number("retry_seconds", seconds, DEFAULT_RETRY_SECONDS, LONGEST_RETRY_SECONDS),
            session_id=environment.get("ASSENT_SESSION_ID") or None,
            parent_session_id=environment.get("ASSENT_PARENT_SESSION_ID") or None,
            debug=_switch("ASSENT_DEBUG", environment),
            tell_sessions=_switch("ASSENT_TELL_SESSIONS", environment),
            spool=(environment.get("ASSENT_SPOOL") or "" if spool is None else spool).strip(),
            spool_bytes=int(
                _number("ASSENT_SPOOL_BYTES", environment.get("ASSENT_SPOOL_BYTES"), DEFAULT_SPOOL_BYTES, 1e12)
            ),
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


def _switch(name: str, environment: Mapping[str, str]) -> bool:
    text = environment.get(name, "").strip().lower()
    if text not in ("", *OFF, *ON):
        raise ValueError(f"{name} is {text[:40]!r}; give {ON[0]} or {OFF[0]}")
    return text in ON


def _key(text: str | None) -> str | None:
    # A key read from a file ends with a newline more often than not. The message must not show the key.
    key = (text or "").strip()
    if any(not "!" <= character <= "~" for character in key):
        raise ValueError("api_key holds a space, a line break or a letter outside ASCII; copy the key again, alone")
    return key or None


def _number(name: str, given: float | str | None, default: float, most: float) -> float:
    if given is None or given == "":
        return default
    try:
        number = float(given)
    except ValueError:
        number = -1.0
    if not 0 <= number <= most:
        raise ValueError(f"{name} is {given!r}; give a number from 0 to {most:g}")
    return number
