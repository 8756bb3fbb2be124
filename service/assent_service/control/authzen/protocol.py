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

_plain_host = re.compile(r"(?:[A-Za-z0-9._-]{1,255}|\[[0-9A-Fa-f:.]{2,45}\])(?::[0-9]{1,5})?").fullmatch


def base_url(call: AnyCall, public: str | None) -> str:
    """The beginning of the service's addresses: the setting `public_url`, else where the request reached it. Raises
    `invalid_http` where neither says it."""
    if public is not None:
        return public
    host = call.header("host") or ""
    if not _plain_host(host):
        raise refuse(Code.INVALID_HTTP, "The header Host names no host, and the setting public_url is not given.")
    return f"http://{host}"


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
