"""The scan for prompt injections over HTTP."""

from __future__ import annotations

import re

from assent.contract.injection import (
    ALLOW_TEXT,
    GET_ALLOWED_TEXTS,
    GET_INJECTION_SCANS,
    REMOVE_ALLOWED_TEXT,
    SCAN_PROMPT_INJECTION,
)
from assent.contract.problems import Code, FieldError
from assent_service.core.call import Answer, Call
from assent_service.core.problem import refuse
from assent_service.core.route import Route, route
from assent_service.injection.injection import Injection

_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


def routes(injection: Injection) -> tuple[Route, ...]:
    @route(SCAN_PROMPT_INJECTION)
    async def scan(call: Call) -> Answer:
        return Answer(await injection.scan(call.principal, call.body))

    @route(GET_INJECTION_SCANS)
    async def list_all(call: Call) -> Answer:
        return Answer(await injection.page(call.principal, call.query))

    @route(ALLOW_TEXT)
    async def allow(call: Call) -> Answer:
        allowed, new = await injection.allowed.allow(call.principal, call.body)
        return Answer(allowed, 201 if new else 200)

    @route(GET_ALLOWED_TEXTS)
    async def list_allowed(call: Call) -> Answer:
        return Answer(injection.allowed.page(call.principal.org_id))

    @route(REMOVE_ALLOWED_TEXT)
    async def remove(call: Call) -> Answer:
        text_digest = call.path["text_digest"]
        if not _DIGEST.fullmatch(text_digest):
            raise refuse(
                Code.INVALID_PATH,
                f"text_digest in the path must be sha256: and 64 hexadecimal digits in lower case, and is "
                f"{text_digest[:80]!r}.",
                FieldError(place="text_digest", message="not a digest"),
            )
        return Answer(await injection.allowed.remove(call.principal, text_digest))

    return scan, list_all, allow, list_allowed, remove
