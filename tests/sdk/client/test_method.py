"""Methods that only send: what a declaration sends, what it refuses, and that it takes whatever its members take."""

from __future__ import annotations

import inspect
import types
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from enum import StrEnum
from typing import Annotated, Any, TypedDict, Union, Unpack, get_args, get_origin, get_type_hints

import pytest
from msgspec import UNSET, Meta, Struct, UnsetType, field

from assent import AsyncClient, Client
from assent.client.flow import Flow, Send, advance, send
from assent.client.method import Response, calls, sends
from assent.client.operation import Caller
from assent.contract.endpoint import AnyEndpoint, Endpoint
from assent.contract.operations import ENDPOINTS
from assent.contract.record import Query, Record, Request
from tests.every import every

BASE = "http://127.0.0.1:1"


class Shade(StrEnum):
    DARK = "dark"
    LIGHT = "light"


class PaintWall(Request, frozen=True, kw_only=True):
    shade: Annotated[Shade, Meta(description="How bright it becomes.")]
    coats: int = 1
    agent_id: str | None = None
    wall_id: str | None = None
    by: str | None = field(default=None, name="_by")


class Wall(Record, frozen=True, kw_only=True):
    wall_id: Annotated[str, Meta(description="The wall's id.")]
    coats: Annotated[int | None, Meta(description="Layers of paint.")]


class WallDetail(Record, frozen=True, kw_only=True):
    wall: Wall


class AgentQuery(Query, frozen=True, kw_only=True):
    shade: Shade | None = None
    agent_id: str | None = None


class WallsQuery(Query, frozen=True, kw_only=True):
    shade: Shade | None = None
    since: date | None = None


PAINT = Endpoint(
    operation="paint", method="POST", path="/api/walls/{wall_id}", response=WallDetail, summary="Paint.", roles=None,
    request=PaintWall,
)  # fmt: skip
WALLS = Endpoint(
    operation="walls", method="GET", path="/api/walls", response=WallDetail, summary="List.", roles=None,
    query=WallsQuery,
)  # fmt: skip
WALLS_OF_AGENT = Endpoint(
    operation="walls_of_agent",
    method="GET",
    path="/api/walls",
    response=WallDetail,
    summary="List.",
    roles=None,
    query=AgentQuery,
)


def sent(method: Any, *args: Any, agent: str = "agent-7", **kwargs: Any) -> Send[Any]:
    """The step that a declared method's flow begins with."""
    caller = Caller()
    caller.agent_id = agent or None
    step = advance(method.__wrapped__(caller, *args, **kwargs), None)
    assert isinstance(step, Send)
    return step


@sends(PAINT, own=("agent_id",), unless_default=("coats",), one_of={"shade": Shade}, idempotent=True)
def paint(self: object, wall_id: str, shade: Shade | str, *, coats: int = 1, agent_id: str | None = None,
          by: str | None = None) -> Response:  # fmt: skip
    """Paint a wall."""


def test_each_parameter_goes_where_the_endpoint_has_its_member() -> None:
    step = sent(paint, "w1", "dark", coats=2, by="Ann")
    assert step.endpoint is PAINT
    assert step.path == {"wall_id": "w1"}
    assert step.body == {"shade": "dark", "coats": 2, "agent_id": "agent-7", "_by": "Ann"}
    assert step.query == {}
    assert step.idempotent


def test_what_is_none_or_at_a_default_that_goes_without_saying_is_not_sent() -> None:
    assert sent(paint, agent="", shade=Shade.LIGHT, wall_id="w1", agent_id=None, coats=1).body == {"shade": Shade.LIGHT}


def test_the_clients_own_agent_stands_back_behind_the_one_that_is_given() -> None:
    @sends(PAINT, own=("agent_id",), without=("coats", "by"))
    def paint(self: object, wall_id: str, shade: str, agent_id: str | None = None) -> Response: ...

    assert sent(paint, "w1", "dark").body == {"shade": "dark", "agent_id": "agent-7"}
    assert sent(paint, "w1", "dark", "other").body == {"shade": "dark", "agent_id": "other"}
    assert sent(paint, "w1", "dark", agent="").body == {"shade": "dark"}


def test_an_empty_agent_among_open_keywords_is_sent_as_it_is() -> None:
    @sends(WALLS_OF_AGENT, own=("agent_id",))
    def walls_of_agent(self: object, /, **filters: Any) -> Response: ...

    assert sent(walls_of_agent, agent_id="").query == {"agent_id": ""}
    assert sent(walls_of_agent, agent_id=None).query == {"agent_id": "agent-7"}


def test_an_agent_that_cannot_be_given_is_the_clients_own() -> None:
    @sends(WALLS_OF_AGENT, own=("agent_id",))
    def walls_of_agent(self: object, shade: str | None = None) -> Response: ...

    assert sent(walls_of_agent).query == {"agent_id": "agent-7"}


def test_a_fixed_member_is_always_said() -> None:
    @sends(WALLS, fixed={"shade": Shade.DARK})
    def dark_walls(self: object, since: date | str | None = None) -> Response: ...

    assert sent(dark_walls, "2026-11-20").query == {"shade": Shade.DARK, "since": "2026-11-20"}


def test_where_unset_means_not_given_none_is_sent() -> None:
    @sends(PAINT, without=("agent_id",))
    def paint(
        self: object, wall_id: str, shade: str, coats: int | UnsetType = UNSET, by: str | UnsetType | None = UNSET
    ) -> Response: ...

    assert sent(paint, "w1", "dark").body == {"shade": "dark"}
    assert sent(paint, "w1", "dark", by=None).body == {"shade": "dark", "_by": None}


def test_open_keywords_are_the_endpoints_members() -> None:
    @sends(PAINT)
    def paint(self: object, /, wall_id: str, **fields: Any) -> Response: ...

    assert sent(paint, "w1", shade="dark", by="Ann", coats=None).body == {"shade": "dark", "_by": "Ann"}
    with pytest.raises(TypeError, match=r"paint\(\) has no parameter 'shad'; did you mean 'shade'\?"):
        sent(paint, "w1", shad="dark")


@pytest.mark.parametrize(
    ("args", "kwargs", "message"),
    [
        (("w1", "dark"), {"coat": 2}, r"paint\(\) has no parameter 'coat'; did you mean 'coats'\?"),
        (("w1", "dark"), {"xyz": 2}, r"has no parameter 'xyz'; it takes wall_id, shade, coats, agent_id, by"),
        (("w1",), {}, r"missing 1 required positional argument: 'shade'"),
        (("w1", "dark"), {"shade": "light"}, r"multiple values for argument 'shade'"),
        (("w1", "dark", 2), {}, r"takes 3 positional arguments but 4 were given"),
    ],
)
def test_a_call_is_refused_as_a_call_of_the_function_would_be(args: Any, kwargs: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        sent(paint, *args, **kwargs)


def test_another_word_than_one_of_the_known_ones_is_refused() -> None:
    with pytest.raises(ValueError, match="shade is 'grey'; give one of dark, light"):
        sent(paint, "w1", "grey")


def test_a_parameter_that_the_endpoint_does_not_have_is_refused() -> None:
    def paint(self: object, wall_id: str, shade: str, colour: str) -> Response: ...

    with pytest.raises(TypeError, match=r"paint has 'colour', which paint has not; it has wall_id, shade, coats"):
        sends(PAINT)(paint)
    with pytest.raises(TypeError, match="darken has 'color', which paint has not"):

        @sends(PAINT, without=("color",))
        def darken(self: object, wall_id: str, shade: str) -> Response: ...


def test_a_member_that_the_method_forgets_is_refused_unless_it_says_so() -> None:
    def paint(self: object, wall_id: str, shade: str) -> Response: ...

    with pytest.raises(TypeError, match=r"paint lacks coats, agent_id, by of paint; add it, or name it in `without`"):
        sends(PAINT)(paint)
    sends(PAINT, own=("agent_id",), fixed={"by": "Ann"}, without=("coats",))(paint)


def test_a_shorter_way_to_an_endpoint_need_not_offer_everything_but_its_path() -> None:
    def darken(self: object, wall_id: str) -> Response: ...

    def darken_any(self: object) -> Response: ...

    sends(PAINT, fixed={"shade": Shade.DARK})(darken)
    with pytest.raises(TypeError, match="darken_any lacks wall_id of paint"):
        sends(PAINT, fixed={"shade": Shade.DARK})(darken_any)


def test_help_shows_each_parameters_meaning_and_the_records_answer() -> None:
    class Painter(Client):
        work = paint

    method = Painter.work
    assert inspect.getdoc(method) == (
        "Paint a wall.\n\nwall_id: The wall's id.\nshade: How bright it becomes.\ncoats: Layers of paint."
    )
    assert method.__name__ == "paint"
    assert inspect.signature(method).return_annotation is WallDetail
    assert list(inspect.signature(method).parameters) == ["self", "wall_id", "shade", "coats", "agent_id", "by"]


class PaintFields(TypedDict, total=False):
    coats: int | None
    agent_id: str | None
    by: str | None


class CoatFields(TypedDict, total=False):
    coats: int | None


class GlossFields(PaintFields, total=False):
    gloss: float | None


def painting(wall_id: str, body: Mapping[str, Any]) -> Flow[WallDetail]:
    return (yield from send(PAINT, path={"wall_id": wall_id}, body=body))


def test_a_flow_shows_what_its_fields_and_its_parameters_of_another_name_mean() -> None:
    class Painter(Client):
        @calls(PAINT, named={"shade": "colour"})
        def paint(self: object, wall_id: str, colour: str, **fields: Unpack[PaintFields]) -> Flow[WallDetail]:
            """Paint a wall."""
            return (yield from painting(wall_id, {"shade": colour, **fields}))

    method = Painter.paint
    assert inspect.getdoc(method) == (
        "Paint a wall.\n\nwall_id: The wall's id.\ncolour: How bright it becomes.\ncoats: Layers of paint."
    )
    assert inspect.signature(method).return_annotation is WallDetail
    assert list(inspect.signature(method).parameters) == ["self", "wall_id", "colour", "coats", "agent_id", "by"]
    assert sent(method, "w1", "dark", coats=2).body == {"shade": "dark", "coats": 2}


def test_a_flow_of_keywords_of_any_name_takes_every_member() -> None:
    class Painter(Client):
        @calls(PAINT)
        def paint(self: object, /, wall_id: str, **more: Any) -> Flow[WallDetail]:
            """Paint a wall."""
            return (yield from painting(wall_id, more))

    assert inspect.getdoc(Painter.paint) == (
        "Paint a wall.\n\nwall_id: The wall's id.\nshade: How bright it becomes.\ncoats: Layers of paint."
    )


def test_a_member_that_the_fields_of_a_flow_forget_is_refused() -> None:
    def paint(self: object, wall_id: str, shade: str, **fields: Unpack[CoatFields]) -> Flow[WallDetail]:
        return (yield from painting(wall_id, {"shade": shade, **fields}))

    with pytest.raises(TypeError, match=r"paint lacks agent_id, by of paint; add it to CoatFields, or name it in `wi"):
        calls(PAINT)(paint)
    calls(PAINT, without=("agent_id", "by"))(paint)
    paint.__name__ = "paint_quickly"
    with pytest.raises(TypeError, match="add it to CoatFields"):
        calls(PAINT)(paint)


def test_a_member_that_the_parameters_of_a_flow_forget_is_refused_unless_it_is_a_shorter_way() -> None:
    def paint(self: object, wall_id: str, shade: str) -> Flow[WallDetail]:
        return (yield from painting(wall_id, {"shade": shade}))

    with pytest.raises(TypeError, match="paint lacks coats, agent_id, by of paint; add it to its parameters, or name"):
        calls(PAINT)(paint)
    paint.__name__ = "paint_quickly"
    calls(PAINT)(paint)


def test_what_the_endpoint_of_a_flow_does_not_have_is_refused() -> None:
    def paint(self: object, wall_id: str, shade: str, **fields: Unpack[GlossFields]) -> Flow[WallDetail]:
        return (yield from painting(wall_id, {"shade": shade, **fields}))

    with pytest.raises(TypeError, match="paint has 'gloss' in GlossFields, which paint has not; it has wall_id, shade"):
        calls(PAINT)(paint)

    def paint_wall(self: object, wall_id: str, shade: str) -> Flow[WallDetail]:
        return (yield from painting(wall_id, {"shade": shade}))

    with pytest.raises(TypeError, match="paint_wall has 'color' in `without`, which paint has not"):
        calls(PAINT, without=("color",))(paint_wall)
    with pytest.raises(TypeError, match="paint_wall has 'color' in `named`, which paint has not"):
        calls(PAINT, named={"color": "shade"})(paint_wall)
    with pytest.raises(TypeError, match="paint_wall has no parameter 'colour'; `named` says that it has"):
        calls(PAINT, named={"shade": "colour"})(paint_wall)


SAID_OTHERWISE = {
    ("get_table", "columns"),  # a list, which the query holds as one text
    ("get_governance_proof", "format"),  # left out for the usual one
}
DECLARED = [each for each in ENDPOINTS if each.operation != "events"]


def alternatives(kind: Any) -> list[Any]:
    if get_origin(kind) is Annotated:
        return alternatives(get_args(kind)[0])
    if isinstance(kind, types.UnionType) or get_origin(kind) is Union:
        return [inner for each in get_args(kind) for inner in alternatives(each)]
    return [kind]


def takes(given: list[Any], member: Any) -> bool:
    """Whether one of the types `given` takes what a member of this type is on the wire."""
    origins = {get_origin(each) or each for each in given}
    if member in (Any, object, type(None)) or Any in origins or member in origins:
        return True
    shape = get_origin(member) or member
    if shape in (list, tuple, frozenset):
        return bool(origins & {Sequence, list, Mapping} or any("Iterable" in str(each) for each in origins))
    if shape is dict or (isinstance(shape, type) and issubclass(shape, Struct)):
        return bool(origins & {Mapping, dict})
    if isinstance(shape, type) and issubclass(shape, StrEnum):
        return str in origins
    return shape in origins or (shape is int and float in origins) or (shape is datetime and date in origins)


@pytest.mark.parametrize("client", [Client, AsyncClient])
@every("endpoint", DECLARED, ids=lambda endpoint: str(endpoint.operation))
def test_every_method_takes_what_its_members_take(client: type[Any], endpoint: AnyEndpoint[Any]) -> None:
    parameters = inspect.signature(getattr(client, endpoint.operation)).parameters
    for shape in (endpoint.query, endpoint.request):
        for name, kind in get_type_hints(shape).items() if shape is not None else ():
            if name in parameters and (endpoint.operation, name) not in SAID_OTHERWISE:
                given = alternatives(parameters[name].annotation)
                assert all(takes(given, each) for each in alternatives(kind)), (name, given, kind)
