"""A member means what the row says, wherever else it crosses the wire: one telling for the document and for help()."""

from __future__ import annotations

from typing import Annotated, Any, get_type_hints

import pytest
from msgspec import Meta

from assent import AsyncClient, Client
from assent.contract.analysis.readiness import CheckConnection
from assent.contract.control.actions import Action, CreateAction
from assent.contract.control.inbox import Approvals, ApprovalsQuery
from assent.contract.control.loops import LoopEnd, LoopsQuery, OpenLoop, RegisterOpenLoop, ResolveOpenLoop
from assent.contract.endpoint import AnyEndpoint
from assent.contract.meanings import meanings, structs_of
from assent.contract.operations import ENDPOINTS
from assent.contract.record import Limit, Query, Record, Request, meaning
from tests.openapi import openapi


class Crate(Record, frozen=True, kw_only=True):
    crate_id: Annotated[str, meaning("id of the crate")]
    label: Annotated[str | None, meaning("what is written on it")]
    parts: Annotated[list[str], meaning("what is in it")]
    weight: Annotated[int, meaning("how heavy it is")]
    size: int


class Shelf(Record, frozen=True, kw_only=True):
    shelf_id: Annotated[str, meaning("id of the shelf")]
    label: Annotated[str, meaning("its place")]


class PackCrate(Request, frozen=True, kw_only=True):
    label: Annotated[str, Meta(max_length=9)] | None = None
    parts: tuple[Annotated[str, Meta(max_length=9)], ...] = ()
    weight: str | None = None
    size: int | None = None


class WeighCrate(Request, frozen=True, kw_only=True):
    label: Annotated[str, Meta(description="words of its own")] | None = None
    parts: Annotated[list[str] | None, meaning("other words")] = None
    limit: Limit = 1


class LabelQuery(Query, frozen=True, kw_only=True):
    label: str | None = None


class Stock(Record, frozen=True, kw_only=True):
    crates: list[Crate]
    shelves: dict[str, Shelf | None]


def test_a_member_means_what_the_nearest_row_says_of_one_of_its_name_and_type() -> None:
    assert meanings(PackCrate) == {"label": "what is written on it", "parts": "what is in it"}


def test_what_a_member_says_itself_counts() -> None:
    of_its_own = {"label": "words of its own", "parts": "other words", "limit": "how many at most, 1 to 200"}
    assert meanings(WeighCrate, Stock) == of_its_own


def test_rows_that_are_as_near_and_disagree_say_nothing() -> None:
    assert meanings(LabelQuery) == {}


def test_a_row_of_another_module_speaks_where_it_is_answered() -> None:
    assert "action_type" not in meanings(CheckConnection)
    assert meanings(CheckConnection, Action)["action_type"] == meanings(Action)["action_type"]
    assert meanings(ApprovalsQuery) == {name: meanings(ApprovalsQuery)[name] for name in ("limit", "offset", "cursor")}
    assert meanings(ApprovalsQuery, Approvals)["state"] == "awaiting, approved, denied, expired or withdrawn"


def test_the_structs_of_an_answer_from_the_outside_in() -> None:
    assert structs_of(Stock) == (Stock, Crate, Shelf)
    assert structs_of(list[Shelf] | None) == (Shelf,)
    assert structs_of(None) == ()
    assert structs_of(bytes) == ()


def test_another_type_is_another_thing() -> None:
    """A loop that is being closed is not `open`, which the row may be."""
    assert get_type_hints(ResolveOpenLoop)["status"] is LoopEnd
    assert "status" not in meanings(ResolveOpenLoop)
    assert meanings(LoopsQuery)["status"] == meanings(OpenLoop)["status"] == "open, resolved or cancelled"


def test_the_risk_that_an_agent_sends_is_its_own() -> None:
    assert meanings(CreateAction)["risk_score"].startswith("the agent's own estimate")
    assert meanings(Action)["risk_score"].startswith("the service's risk")


def test_the_document_says_what_a_body_and_a_parameter_mean() -> None:
    body = openapi()["components"]["schemas"]["RegisterOpenLoop"]["properties"]
    assert body["owner"]["description"] == meanings(RegisterOpenLoop)["owner"] == "who should take care of it"
    parameters = {each.get("name"): each for each in openapi()["paths"]["/api/actions/loops"]["get"]["parameters"]}
    assert parameters["priority"]["schema"]["description"] == "low, medium, high or critical"


def told(schema: dict[str, Any]) -> bool:
    return any("description" in each for each in (schema, *schema.get("anyOf", [])))


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda endpoint: endpoint.operation)
def test_the_document_leaves_out_no_meaning(endpoint: AnyEndpoint[Any]) -> None:
    schemas = openapi()["components"]["schemas"]
    if endpoint.request is not None:
        wire = dict(zip(endpoint.request.__struct_fields__, endpoint.request.__struct_encode_fields__, strict=True))
        for name in meanings(endpoint.request, endpoint.response):
            assert told(schemas[endpoint.request.__name__]["properties"][wire[name]]), name
    if endpoint.query is not None:
        wire = dict(zip(endpoint.query.__struct_fields__, endpoint.query.__struct_encode_fields__, strict=True))
        parameters = openapi()["paths"][endpoint.path][endpoint.method.lower()]["parameters"]
        of = {each["name"]: each["schema"] for each in parameters if each.get("in") == "query"}
        for name in meanings(endpoint.query, endpoint.response):
            assert told(of[wire[name]]), name


@pytest.mark.parametrize("client", [Client, AsyncClient])
def test_help_says_what_each_parameter_means(client: type[Client] | type[AsyncClient]) -> None:
    listed = client.get_open_loops.__doc__
    assert listed is not None
    assert "\npriority: low, medium, high or critical\n" in listed
    assert "\nlimit: how many at most, 1 to 200" in listed
    registered = client.register_open_loop.__doc__
    assert registered is not None
    assert "\nowner: who should take care of it" in registered
