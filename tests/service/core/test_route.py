"""A handler is held against its endpoint: its request, query and answer by the type checker, its path at the start.

The comments that let a mistake pass are themselves errors where the type checker sees none.
"""

from __future__ import annotations

from typing import Any

import pytest

from assent.contract.control.loops import (
    GET_OPEN_LOOPS,
    RESOLVE_OPEN_LOOP,
    LoopDetail,
    Loops,
    LoopsQuery,
    ResolveOpenLoop,
)
from assent.contract.exchange.webhooks import DELETE_WEBHOOK, DeletedWebhook, WebhookQuery
from assent_service.core.call import Answer, Call
from assent_service.core.locks import ACTION_FENCE
from assent_service.core.route import NEW_ID, serves


async def resolve(call: Call[ResolveOpenLoop, None], loop_id: str) -> LoopDetail:
    raise NotImplementedError


async def page(call: Call[None, LoopsQuery]) -> Answer[Loops]:
    raise NotImplementedError


async def other_request(call: Call[None, None], loop_id: str) -> LoopDetail:
    raise NotImplementedError


async def other_query(call: Call[None, WebhookQuery]) -> Loops:
    raise NotImplementedError


async def other_record(call: Call[ResolveOpenLoop, None], loop_id: str) -> Loops:
    raise NotImplementedError


async def other_content(call: Call[None, LoopsQuery]) -> Answer[LoopDetail]:
    raise NotImplementedError


def test_a_handler_that_fits_becomes_the_route() -> None:
    route = serves(RESOLVE_OPEN_LOOP, unfenced=NEW_ID)(resolve)
    assert route.endpoint is RESOLVE_OPEN_LOOP
    assert route.handler is resolve
    assert serves(GET_OPEN_LOOPS)(page).handler is page


def test_the_type_checker_refuses_what_does_not_fit() -> None:
    serves(RESOLVE_OPEN_LOOP, unfenced=NEW_ID)(other_request)  # type: ignore[arg-type]
    serves(GET_OPEN_LOOPS)(other_query)  # type: ignore[arg-type]
    serves(RESOLVE_OPEN_LOOP, unfenced=NEW_ID)(other_record)  # type: ignore[arg-type]
    serves(GET_OPEN_LOOPS)(other_content)  # type: ignore[arg-type]


def test_a_parameter_that_the_path_lacks_is_refused_at_the_start() -> None:
    async def misspelt(call: Call[ResolveOpenLoop, None], loop: str) -> LoopDetail:
        raise NotImplementedError

    with pytest.raises(TypeError, match=r"misspelt.*takes loop of the path.*resolve_open_loop has loop_id"):
        serves(RESOLVE_OPEN_LOOP, unfenced=NEW_ID)(misspelt)


def test_a_parameter_of_the_path_that_nobody_takes_is_refused_at_the_start() -> None:
    async def deaf(call: Call[ResolveOpenLoop, None]) -> LoopDetail:
        raise NotImplementedError

    with pytest.raises(TypeError, match="takes nothing of the path"):
        serves(RESOLVE_OPEN_LOOP, unfenced=NEW_ID)(deaf)


def test_what_a_further_path_lacks_has_a_default() -> None:
    async def strict(call: Call[None, WebhookQuery], webhook_id: str) -> DeletedWebhook:
        raise NotImplementedError

    async def lenient(call: Call[None, WebhookQuery], webhook_id: str | None = None) -> DeletedWebhook:
        raise NotImplementedError

    with pytest.raises(TypeError, match="has nothing in one of its paths"):
        serves(DELETE_WEBHOOK, unfenced=NEW_ID)(strict)
    assert serves(DELETE_WEBHOOK, unfenced=NEW_ID)(lenient).endpoint is DELETE_WEBHOOK


def test_a_handler_of_many_endpoints_takes_any_path() -> None:
    async def general(call: Call[Any, Any], **path: str) -> Answer[dict[str, Any]]:
        return Answer(dict(path))

    assert serves(RESOLVE_OPEN_LOOP, unfenced=NEW_ID)(general).handler is general


def test_what_may_record_says_which_fences_it_holds_or_why_it_needs_none() -> None:
    held = serves(RESOLVE_OPEN_LOOP, holds=(ACTION_FENCE,), effects="rings a bell")(resolve)
    assert (held.holds, held.unfenced, held.effects) == ((ACTION_FENCE,), "", "rings a bell")
    assert serves(RESOLVE_OPEN_LOOP, unfenced=NEW_ID)(resolve).unfenced == NEW_ID
    with pytest.raises(TypeError, match="resolve_open_loop says neither which fences it `holds` nor why"):
        serves(RESOLVE_OPEN_LOOP)(resolve)
    with pytest.raises(TypeError, match="resolve_open_loop holds fences and says that it needs none"):
        serves(RESOLVE_OPEN_LOOP, holds=(ACTION_FENCE,), unfenced=NEW_ID)(resolve)
