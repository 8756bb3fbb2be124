"""What the protocol's requests have in common: a content type, one reading, and addresses in their answers.

Enforcement points read the body that they send with a reader of their own, and do what they read there. So a body has
one reading or none: a member that stands twice in one object is refused (RFC 8259 leaves open which one counts), and so
is one that a reader without regard to case takes for a member of the protocol (`Name`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from typing import Any

from assent.contract.one_reading import Twice, once
from assent.contract.problems import Code
from assent_service.base.problem import Refusal, refuse
from assent_service.core.call import AnyCall
from assent_service.core.settings import Settings

_loopback = re.compile(r"(?:localhost|127(?:\.[0-9]{1,3}){3}|\[::1\])(:[0-9]{1,5})?", re.IGNORECASE).fullmatch
ANYWHERE = ("0.0.0.0", "::", "")  # noqa: S104 - compared, not bound
"""Where to listen, for all addresses of the machine."""


def base_url(call: AnyCall, settings: Settings) -> str:
    """The beginning of the service's addresses: the setting `public_url`, else the loopback address by which the
    request reached it, else where it listens. The header Host is whatever its sender wants, so no other name is taken
    from it."""
    if settings.public_url is not None:
        return settings.public_url
    asked = call.header("host") or ""
    if _loopback(asked):
        return f"http://{asked}"
    host = "127.0.0.1" if settings.host in ANYWHERE else settings.host
    return f"http://{f'[{host}]' if ':' in host else host}:{settings.port}"


QUESTION = ("subject", "action", "resource", "context")
_THING = ("type", "id", "properties")
PARTS = {"subject": _THING, "resource": _THING, "action": ("name", "properties")}


def check_json(call: AnyCall) -> None:
    """Raises `invalid_json` for a body that does not say it is JSON, and `invalid_body` for one with two readings."""
    kind = (call.header("content-type") or "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise refuse(Code.INVALID_JSON, f"The header Content-Type is {kind[:100]!r}; it must be application/json.")
    if call.sent.raw:
        try:
            said = json.loads(call.sent.raw, object_pairs_hook=once)
        except Twice as twice:
            raise _two_readings(twice.name, "stands twice in one object") from None
        _check_names(said, (*QUESTION, "evaluations", "options", "denial", "items", "callback"))
        listed = said.get("evaluations")
        for each in listed if isinstance(listed, list) else ():
            if isinstance(each, dict):
                _check_names(each, QUESTION)


def _check_names(said: dict[str, Any], names: Collection[str]) -> None:
    _refuse_lookalikes(said, names)
    for name, members in PARTS.items():
        part = said.get(name)
        if isinstance(part, dict):
            _refuse_lookalikes(part, members)


def _refuse_lookalikes(members: Collection[str], names: Collection[str]) -> None:
    for each in members:
        if each not in names and each.casefold() in names:
            raise _two_readings(each, f"could be taken for {each.casefold()!r}")


def _two_readings(name: str, why: str) -> Refusal:
    return refuse(Code.INVALID_BODY, f"The body has two readings: the member {name[:40]!r} {why}.")
