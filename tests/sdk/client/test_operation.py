"""What an operation looks like from outside: to help(), to completion, to inspect."""

from __future__ import annotations

import inspect
import pydoc
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from typing import Any

import pytest

from assent import ActionContext, AsyncActionContext, AsyncClient, Client, CreatedAction, Event, GuardResult
from assent.contract.endpoint import AnyEndpoint
from assent.contract.meanings import meanings, meanings_of_path
from assent.contract.operations import ENDPOINTS
from tests.every import every

BASE = "http://127.0.0.1:1"


def test_a_bound_operation_has_its_own_name_docstring_and_signature() -> None:
    client = Client(BASE, "k")
    guard = client.guard
    assert guard.__name__ == "guard"
    assert guard.__qualname__ == "GuardOperations.guard"
    assert guard.__doc__ is not None
    assert guard.__doc__.startswith("Ask whether an action may go ahead.")
    assert inspect.isgeneratorfunction(inspect.unwrap(guard))
    signature = inspect.signature(guard)
    assert list(signature.parameters) == ["context", "raise_on_block", "include_signals", "more"]
    assert signature.return_annotation is GuardResult
    client.close()


def test_the_fields_of_an_action_are_spelt_out_for_completion() -> None:
    signature = inspect.signature(Client.create_action)
    names = list(signature.parameters)
    assert names[:4] == ["self", "action_type", "declared_goal", "context"]
    assert {"risk_score", "systems_touched", "idempotency_key"} < set(names)
    assert signature.parameters["risk_score"].kind is inspect.Parameter.KEYWORD_ONLY
    assert signature.return_annotation is CreatedAction


async def test_only_the_awaiting_client_has_coroutine_functions() -> None:
    client = AsyncClient(BASE, "k")
    assert inspect.iscoroutinefunction(client.guard)
    assert inspect.iscoroutinefunction(AsyncClient.guard)
    assert not inspect.iscoroutinefunction(Client.guard)
    assert not inspect.iscoroutinefunction(client.events)
    await client.close()


def test_a_stream_says_what_it_gives() -> None:
    assert inspect.signature(Client.events).return_annotation == Iterator[Event]
    assert inspect.signature(AsyncClient.events).return_annotation == AsyncIterator[Event]


@pytest.mark.parametrize("shape", [Client, AsyncClient, ActionContext])
def test_help_lists_operations_as_methods_with_their_text(shape: type[Any]) -> None:
    text = pydoc.plain(pydoc.render_doc(shape))
    # From Python 3.13 on a long signature has a line for each argument.
    assert re.search(r"update_outcome\(\s*\|?\s*self, ?", text)
    assert "Record what came of" in text
    assert "functools" not in text
    assert "Generator" not in text


def test_track_says_what_is_entered_and_spells_its_fields_out() -> None:
    signature = inspect.signature(Client.track)
    assert signature.return_annotation == AbstractContextManager[ActionContext]
    assert {"action_type", "declared_goal", "approval_timeout", "context", "risk_score"} < set(signature.parameters)
    entered = inspect.signature(AsyncClient.track).return_annotation
    assert entered == AbstractAsyncContextManager[AsyncActionContext]


def test_an_operation_can_be_called_on_the_class() -> None:
    client = Client(BASE, "k", retries=0)
    with pytest.raises(ValueError, match="give one of allow, deny"):
        Client.approve_action(client, "act_1", "maybe")
    client.close()


FREE = {"record_recommendation_events", "sync_state", "events"}
"""A list and a mapping that hold everything, and a stream."""


@pytest.mark.parametrize("client", [Client, AsyncClient])
@every("endpoint", [each for each in ENDPOINTS if each.operation not in FREE], ids=lambda each: str(each.operation))
def test_every_method_shows_the_meanings_of_what_it_takes(client: type[Any], endpoint: AnyEndpoint[Any]) -> None:
    method = getattr(client, endpoint.operation)
    text = inspect.getdoc(method)
    assert text is not None
    told = meanings_of_path(endpoint)
    for shape in (endpoint.query, endpoint.request):
        told |= meanings(shape, endpoint.response) if shape is not None else {}
    for name in inspect.signature(method).parameters:
        if name in told:
            assert f"\n{name}: {told[name]}" in text


def test_a_method_of_one_action_shows_its_meanings_as_well() -> None:
    text = inspect.getdoc(ActionContext.record_assumption)
    assert text is not None
    assert "\nbasis: what the belief rested on" in text
    assert "action_id:" not in text
