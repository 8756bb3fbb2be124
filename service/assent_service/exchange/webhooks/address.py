"""Where a webhook may lead.

1. An https address with a host, without credentials (they would end up in the log) and without a fragment; any port.
2. An address that is written out, or that the name has now, must be public: told at once, people can correct it. What
   counts is the check at every delivery, because names change their minds.
3. A name that cannot be resolved now may be registered: it may be set up a minute later.

Where the service is set to reach private addresses, which is for tests, they and http are allowed too.
"""

from __future__ import annotations

import asyncio
import re

import httpx

from assent.contract.problems import Code, FieldError
from assent_service.base.problem import Refusal, refuse
from assent_service.core.addresses import PrivateAddress, UnresolvedHost, resolve_public

PATIENCE = 3.0
"""Seconds that a name is given to resolve when a webhook is registered."""

_printable = re.compile(r"[!-~]+").fullmatch
_authority_end = re.compile(r"[/?#]")


async def check_url(url_text: str, *, allow_private: bool) -> None:
    """Raises `invalid_webhook`, and says why."""
    host, port = _place(url_text, allow_private)
    if allow_private:
        return
    try:
        async with asyncio.timeout(PATIENCE):
            await resolve_public(host, port)
    except PrivateAddress as refused:
        raise _invalid(
            f"leads to an address that is not public ({refused.host}: {refused.kind}); give one that others can reach"
        ) from None
    except (UnresolvedHost, TimeoutError):
        return


def _place(url_text: str, allow_plain: bool) -> tuple[str, int]:
    """Host and port."""
    if not _printable(url_text):
        raise _invalid("holds spaces, control characters or letters beyond ASCII; encode them")
    try:
        url = httpx.URL(url_text)
        host = url.raw_host.decode("ascii")
    except (httpx.InvalidURL, ValueError):
        raise _invalid("cannot be parsed; it looks like https://example.com/hooks") from None
    if url.scheme != "https" and not (allow_plain and url.scheme == "http"):
        raise _invalid("must start with https://")
    if not host:
        raise _invalid("names no host; it looks like https://example.com/hooks")
    if url.userinfo or "@" in _authority_end.split(url_text, maxsplit=3)[2]:
        raise _invalid("must not hold a user name or password; deliveries are signed instead")
    if "#" in url_text:
        raise _invalid("must not have a fragment (#...), which is never sent")
    port = url.port if url.port is not None else 80 if url.scheme == "http" else 443
    if not 0 < port < 65536:
        raise _invalid("names a port that is not between 1 and 65535")
    return host, port


def _invalid(message: str) -> Refusal:
    """Without the url itself, whose path or query may be a secret."""
    return refuse(Code.INVALID_WEBHOOK, f"url {message}.", FieldError(place="url", message=message))
