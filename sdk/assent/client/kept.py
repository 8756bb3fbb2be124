"""How plain records are sent and asked for: one flow for each verb, whatever the kind.

What an agent says goes out under its own agent id unless another is given. A parameter that the kind does not have is
a TypeError naming the nearest one; `metadata` takes whatever else there is to say.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from assent.client.flow import Flow, send
from assent.client.operation import Caller
from assent.client.request import members
from assent.contract.endpoint import Endpoint

T = TypeVar("T")


def keeping(
    caller: Caller,
    endpoint: Endpoint[T],
    fields: Mapping[str, Any],
    said: Mapping[str, Any] | None = None,
    path: Mapping[str, str] | None = None,
) -> Flow[T]:
    """Send `said`, then `fields`, which are the kind's members."""
    assert endpoint.request is not None
    body = {name: value for name, value in (said or {}).items() if value is not None}
    body |= members(endpoint.request, fields, endpoint.operation)
    if caller.agent_id is not None:
        body.setdefault("agent_id", caller.agent_id)
    return (yield from send(endpoint, path=path, body=body))


def changing(
    endpoint: Endpoint[T],
    path: Mapping[str, str],
    fields: Mapping[str, Any],
) -> Flow[T]:
    """Send what is to be replaced."""
    assert endpoint.request is not None
    return (yield from send(endpoint, path=path, body=members(endpoint.request, fields, endpoint.operation)))


def listing(endpoint: Endpoint[T], filters: Mapping[str, Any], path: Mapping[str, str] | None = None) -> Flow[T]:
    """Ask for a page."""
    assert endpoint.query is not None
    return (yield from send(endpoint, path=path, query=members(endpoint.query, filters, endpoint.operation)))
