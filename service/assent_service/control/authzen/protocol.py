"""What the protocol's requests have in common: a content type, and addresses in their answers."""

from __future__ import annotations

import re

from assent.contract.problems import Code
from assent_service.base.problem import refuse
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


def check_json(call: AnyCall) -> None:
    """Raises `invalid_json` for a body that does not say it is JSON."""
    kind = (call.header("content-type") or "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise refuse(Code.INVALID_JSON, f"The header Content-Type is {kind[:100]!r}; it must be application/json.")
