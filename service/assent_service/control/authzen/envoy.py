"""Envoy asks before it lets a request through (`ext_authz` over HTTP): 200 lets it through, anything else does not.

Envoy sends the method and path of the request that it has, the path behind a prefix, and no body. It is asked of guard
as AuthZEN's gateways ask (`mapping`): the action is the method, the resource of type `route` is the path.

1. The key is Envoy's own, in `x-api-key`. `Authorization` is the caller's, which Envoy passes on; nobody looks at it.
2. The agent is the key's; a key that is bound to none takes it from `x-assent-agent`, which Envoy has to set itself. A
   request whose agent nobody names is refused.
3. A path with more than one reading is refused, since the service behind Envoy may take another one: dots as a segment,
   empty segments, encoded slashes, backslashes, control characters, what is encoded twice, what stands behind a
   semicolon (some servers leave it out before they look for dots), and what is no UTF-8.
4. The query is not looked at: it is the place where secrets are. A secret in the path is taken out first.
5. `x-assent-approval` names an approval to use (`requests`), where Envoy lets the caller's through.
6. The same answers as AuthZEN's `decision` decide, so a warning is a 403, too.
"""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import unquote_to_bytes

from assent.contract.control.authzen import AccessDecision, AccessEvaluation
from assent.contract.endpoint import Endpoint
from assent.contract.problems import Code
from assent.contract.roles import ACTING
from assent.secrets import displayed, redact_members
from assent_service.base.problem import refuse
from assent_service.control.authzen.access import EFFECTS, EVALUATION, HOLDS, Access
from assent_service.core import body as bodies
from assent_service.core.call import Answer, AnyCall, Call
from assent_service.core.redacted import check_id
from assent_service.core.route import Route, serves

PREFIX = "/access/envoy"
TWICE = re.compile(r"%[0-9A-Fa-f]{2}")
"""What is still encoded once a path is decoded."""
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
AGENT = "x-assent-agent"
APPROVAL = "x-assent-approval"
DECISION = b"x-assent-decision-id"
"""The header of each answer that names guard's decision, for who stands behind Envoy to keep."""


def route_path(raw: bytes) -> str:
    """The path that Envoy asks about, decoded. Raises `forbidden` for one with more than one reading."""
    sent = raw[len(PREFIX) :]
    try:
        path = unquote_to_bytes(sent).decode()
    except UnicodeDecodeError:
        path = ""
    encoded = sent.lower()
    segments = path.split("/")[1:]
    unclear = (
        not path.startswith("/")
        or b"%2f" in encoded
        or "\\" in path
        or ";" in path
        or TWICE.search(path) is not None
        or any(ord(letter) < 32 or ord(letter) == 127 for letter in path)
        or any(segment in (".", "..") for segment in segments)
        or "" in segments[:-1]
    )
    if unclear:
        raise refuse(Code.FORBIDDEN, "The path has more than one reading; have Envoy normalize paths.")
    return path


def _said_once(call: AnyCall, name: str) -> str | None:
    """What a header says. Raises `invalid_http` for two values in one: what is between may have put together what was
    sent twice, by the caller and by Envoy."""
    said = call.header(name)
    if said is not None and "," in said:
        raise refuse(
            Code.INVALID_HTTP,
            f"The header {name} has several values, {displayed(said)[:80]!r}; have Envoy alone set it, in the place of "
            "what callers send.",
        )
    return said


def _agent(call: AnyCall) -> str:
    said = _said_once(call, AGENT)
    if said is not None:
        check_id(said, AGENT)
    agent_id = call.principal.speaks_for(said or None)
    if agent_id is None:
        raise refuse(
            Code.FORBIDDEN,
            f"Nobody says which agent this request is of: give Envoy the key of one agent, or have it set {AGENT}.",
        )
    return agent_id


def _evaluation(call: AnyCall, method: str) -> AccessEvaluation:
    resource: dict[str, Any] = {"type": "route", "id": route_path(call.raw_path)}
    host = call.header("host")
    if host:
        resource["properties"] = {"host": host}
    context: dict[str, Any] = {"gateway": "envoy"}
    approval = _said_once(call, APPROVAL)
    if approval:
        check_id(approval, APPROVAL)
        context["approval"] = {"id": approval}
    members = {
        "subject": {"type": "agent", "id": _agent(call)},
        "action": {"name": method},
        "resource": resource,
        "context": context,
    }
    return bodies.convert(EVALUATION, AccessEvaluation, redact_members(members), strict=False)


def check_routes(access: Access, public: str | None) -> tuple[Route, ...]:
    """A route for each method."""
    return tuple(_check(access, public, method) for method in METHODS)


def _check(access: Access, public: str | None, method: str) -> Route:
    envoy_check = Endpoint(
        operation=f"envoy_check_{method.lower()}",
        method=method,
        path=PREFIX,
        summary="Whether Envoy may let a request through.",
        roles=ACTING,
        response=AccessDecision,
        statuses=(200, 403),
        problems=(
            *(*EVALUATION.problems, Code.INVALID_BODY),
            *(Code.STORAGE_UNAVAILABLE, Code.READ_ONLY, Code.BUSY),
        ),
    )

    @serves(envoy_check, holds=HOLDS, effects=EFFECTS, below=True)
    async def check(call: Call[None, None]) -> Answer[AccessDecision]:
        asked = _evaluation(call, method)
        # The host of the request is that of the service behind Envoy.
        decision_id, answer = await access.one(call.principal, asked, None, public or "")
        return Answer(answer, 200 if answer.decision else 403, ((DECISION, decision_id.encode()),))

    return check
