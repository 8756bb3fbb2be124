"""Sending a notice: apprise runs in a process of its own for each message (`core.notifier`), with nothing of the
service's environment, and is ended when it takes too long."""

from __future__ import annotations

import asyncio
import os
import sys
from contextlib import suppress
from importlib.util import find_spec

import msgspec

from assent.contract.prepared import prepared
from assent.contract.problems import Code, FieldError
from assent.extras import to_install
from assent_service.base.problem import Refusal, refuse
from assent_service.core.addresses import PrivateAddress, UnresolvedHost, resolve_public
from assent_service.core.notifier import NotifierReply, NotifierRequest, Why

TIMEOUT = 20.0
"""Seconds for one message; a mail server needs some of them."""
PATIENCE = 3.0
"""Seconds that a name is given to resolve when a notice is made."""
COMMAND = (sys.executable, "-P", "-B", "-m", "assent_service.core.notifier")
ENVIRONMENT = {"PATH": os.defpath, "HOME": "/nonexistent", "LANG": "C.UTF-8"}
"""No proxies, no passwords of other programs."""
SAID = {
    Why.UNKNOWN: "begins with no scheme that apprise knows, or lacks a part that its service needs",
    Why.LOCAL: "acts on the machine that the service runs on",
    Why.PLAIN: "is sent without TLS; take the scheme's secure form, such as jsons:// or mailtos://",
    Why.UNVERIFIED: "leaves certificates unchecked; leave verify out",
    Why.PRIVATE: "leads to an address that is not public",
    Why.FILE: "asks for a file of the machine that the service runs on",
    Why.PROGRAM: "asks for a program of the machine that the service runs on",
    Why.FAILED: "was not taken",
}

_encode = msgspec.json.Encoder().encode
_told = msgspec.json.Decoder(prepared(NotifierReply)).decode


async def notify(order: NotifierRequest) -> NotifierReply:
    """Raises TimeoutError after TIMEOUT seconds, OSError when no process can be started."""
    process = await asyncio.create_subprocess_exec(
        *COMMAND,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env=ENVIRONMENT,
        start_new_session=True,
    )
    try:
        async with asyncio.timeout(TIMEOUT):
            answer, _ = await process.communicate(_encode(order))
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    try:
        return _told(answer)
    except msgspec.DecodeError:
        return NotifierReply(why=Why.FAILED)


async def check_address(address: str, *, allow_private: bool) -> None:
    """Raises `invalid_webhook`, and says why."""
    if find_spec("apprise") is None:
        raise _invalid(f"is one of apprise's, which is not installed here; {to_install('notices')}")
    if not address.isascii() or not address.isprintable() or " " in address:
        raise _invalid("holds spaces, control characters or letters beyond ASCII; encode them")
    try:
        found = await notify(NotifierRequest(address=address, private=allow_private))
    except (TimeoutError, OSError):
        raise _invalid("could not be looked at just now; try again") from None
    if found.why is not None:
        raise _invalid(SAID[found.why])
    if found.host is None or allow_private:
        return
    try:
        async with asyncio.timeout(PATIENCE):
            await resolve_public(found.host, found.port or 443)
    except PrivateAddress as refused:
        raise _invalid(f"{SAID[Why.PRIVATE]} ({refused.kind}); give one that others can reach") from None
    except (UnresolvedHost, TimeoutError):
        return


def reason(told: NotifierReply) -> str | None:
    """What went wrong with a message, in words of ours: those of others may hold the address."""
    if told.why is None:
        return None
    if told.why is not Why.FAILED:
        kind = f" ({told.kind})" if told.kind else ""
        return f"its address {SAID[told.why]}{kind}"
    if told.status is None:
        return "it was not taken: nobody answered, or the answer was no"
    return f"it answered with status {told.status}"


def _invalid(message: str) -> Refusal:
    """Without the address, which is a secret."""
    return refuse(Code.INVALID_WEBHOOK, f"url {message}.", FieldError(place="url", message=message))
