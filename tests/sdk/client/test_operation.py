"""What an operation looks like from outside: to help(), to completion, to inspect."""

from __future__ import annotations

import inspect
import pydoc
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from typing import Any

import msgspec
import pytest

from assent import ActionContext, AsyncActionContext, AsyncClient, Client, CreatedAction, Event, GuardResult
from assent.client.actions import ActionFields, ActionFilters, OutcomeFields
from assent.client.assumptions import AssumptionFields, AssumptionFilters, BeliefFields
from assent.client.policies import PolicyChanges
from assent.contract.actions import ActionsQuery, CreateAction, UpdateOutcome
from assent.contract.assumptions import AssumptionsQuery, RecordAssumption
from assent.contract.guard import GuardDecisionsQuery
from assent.contract.policies import PolicyChange, PolicyDraft

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
    assert "update_outcome(self, " in text
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


def names(shape: type[msgspec.Struct]) -> set[str]:
    return set(shape.__struct_fields__)


@pytest.mark.parametrize(
    ("given", "wire", "apart"),
    [
        (ActionFields, CreateAction, {"action_type", "declared_goal"}),
        (OutcomeFields, UpdateOutcome, {"status"}),
        (ActionFilters, ActionsQuery, set[str]()),
        (AssumptionFields, RecordAssumption, {"assumption"}),
        (BeliefFields, RecordAssumption, {"assumption", "action_id"}),
        (AssumptionFilters, AssumptionsQuery, {"drift"}),  # accepted for published clients, without meaning
        (PolicyChanges, PolicyChange, {"policy_id"}),
    ],
)
def test_what_may_be_given_is_what_the_wire_takes(given: Any, wire: type[msgspec.Struct], apart: set[str]) -> None:
    assert given.__required_keys__ | given.__optional_keys__ == names(wire) - apart


@pytest.mark.parametrize(
    ("operation", "wire"), [("get_guard_decisions", GuardDecisionsQuery), ("create_policy", PolicyDraft)]
)
def test_parameters_are_the_members_of_the_wire(operation: str, wire: type[msgspec.Struct]) -> None:
    assert set(inspect.signature(getattr(Client, operation)).parameters) - {"self"} == names(wire)
