"""Sessions: which one a call carries, through contexts, tasks, threads and processes. Both clients."""

from __future__ import annotations

import asyncio
import base64
import contextvars
import json
import threading
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from assent import AsyncClient, Client
from assent.client.session import Session
from assent.contract.operations import ENDPOINTS
from assent.governing.decorator import governed
from assent.hooks.call import HookCall
from assent.hooks.pre_tool import described
from assent.hooks.settings import read
from assent.proof.canonical import canonical
from tests.sdk.client import samples
from tests.sdk.client.doubles import Stage, Way, answering, bound


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ASSENT_SESSION_ID", "ASSENT_PARENT_SESSION_ID"):
        monkeypatch.delenv(name, raising=False)


def guarding(way: Way) -> Stage:
    return Stage(way, answering(samples.decision()))


def sessions(stage: Stage) -> list[tuple[str | None, str | None]]:
    """Session and parent of each request."""
    bodies = [json.loads(request.content) for request in stage.requests]
    return [(body.get("session_id"), body.get("parent_session_id")) for body in bodies]


async def ask(stage: Stage, **more: Any) -> None:
    await stage("guard", {"action_type": "x", **more})


async def test_what_is_done_inside_carries_the_session_and_the_one_around_it(way: Way) -> None:
    stage = guarding(way)
    await ask(stage)
    with stage.client.session("outer") as outer:
        await ask(stage)
        with stage.client.session("inner") as inner:
            await ask(stage)
        await ask(stage)
    await ask(stage)
    assert sessions(stage) == [(None, None), ("outer", None), ("inner", "outer"), ("outer", None), (None, None)]
    assert (outer.parent, inner.parent_session_id) == (None, "outer")


async def test_both_ways_to_enter_and_an_error_leaves(way: Way) -> None:
    stage = guarding(way)

    async def failing() -> None:
        async with stage.client.session("s"):
            await ask(stage)
            raise KeyError

    with pytest.raises(KeyError):
        await failing()
    await ask(stage)
    assert sessions(stage) == [("s", None), (None, None)]


async def test_a_session_without_an_id_gets_one_of_its_own(way: Way) -> None:
    stage = guarding(way)
    with stage.client.session() as first, stage.client.session() as second:
        assert first.session_id != second.session_id
        assert second.parent is first


async def test_creations_carry_it_and_what_has_no_session_does_not(way: Way) -> None:
    stage = Stage(way, answering(samples.created(), 201))
    with stage.client.session("a"), stage.client.session("b"):
        await stage("create_action", "x", "y")
        stage.requests[-1].read()
    assert sessions(stage) == [("b", "a")]
    other = Stage(way, answering(samples.HALT))
    with other.client.session("a"):
        await other("halt", "stop")
    assert json.loads(other.requests[0].content) == {"reason": "stop"}


async def test_the_session_is_part_of_what_is_signed(way: Way) -> None:
    key = Ed25519PrivateKey.generate()
    stage = Stage(way, answering(samples.created(), 201), private_key=key)
    with stage.client.session("a"), stage.client.session("b"):
        await stage("create_action", "x", "y")
    body = json.loads(stage.requests[0].content)
    assert (body["session_id"], body["parent_session_id"]) == ("b", "a")
    signature = base64.b64decode(body.pop("_signature"))
    key.public_key().verify(signature, canonical(body))


async def test_a_session_that_a_call_names_is_inside_of_the_one_around_it(way: Way) -> None:
    stage = guarding(way)
    await ask(stage, session_id="mine")
    with stage.client.session("a"), stage.client.session("b"):
        await ask(stage, session_id="mine")
        await ask(stage, session_id="a")  # one of those around is what it is
        await ask(stage, session_id="mine", parent_session_id="other")
        await ask(stage, session_id="b")
    assert sessions(stage) == [("mine", None), ("mine", "b"), ("a", None), ("mine", "other"), ("b", "a")]


async def test_the_session_that_a_client_was_given_counts_before_that_of_the_context(way: Way) -> None:
    stage = guarding(way)
    first = stage.client
    with first.session("outer") as outer:
        before = first.with_options(session=outer)
        with first.session("inner"):
            for client in (before, first.with_options(session=outer), first.with_options(session="outer")):
                stage.client = client
                await ask(stage)
            with stage.client.session("of-its-own"), first.session("deeper"):
                await ask(stage)
            stage.client = first
            await ask(stage)
    expected = [("outer", None)] * 3 + [("deeper", "of-its-own"), ("inner", "outer")]
    assert sessions(stage) == expected


async def test_a_session_is_entered_again_and_hides_nothing(way: Way) -> None:
    stage = guarding(way)
    binding = stage.client.session("a")
    with binding as session, session, binding, stage.client.session("b"):
        with session:
            await ask(stage)
        await ask(stage)
    with pytest.raises(ZeroDivisionError), binding as session, session, binding:
        raise ZeroDivisionError
    with pytest.raises(ZeroDivisionError):
        async with binding as session, session:
            raise ZeroDivisionError
    await ask(stage)
    assert sessions(stage) == [("a", None), ("b", "a"), (None, None)]


async def test_a_session_that_is_left_out_of_turn_leaves_the_others_alone(way: Way) -> None:
    stage = guarding(way)

    def numbers() -> Generator[int]:
        with stage.client.session("generator"):
            yield 1

    given = numbers()
    next(given)
    with stage.client.session("b"):
        given.close()
        await ask(stage)
    await ask(stage)
    contextvars.Context().run(stage.client.session("c").__exit__, None, None, None)
    assert sessions(stage) == [("b", "generator"), (None, None)]


async def test_a_client_of_its_own_session_and_the_context(way: Way) -> None:
    stage = guarding(way)
    bound = stage.client.with_options(session="own")
    first = stage.client
    with first.session("around"):
        stage.client = bound
        await ask(stage)
        stage.client = first
        await ask(stage)
    with bound.session("inside"):
        stage.client = bound
        await ask(stage)
        stage.client = first
        await ask(stage)
    stage.client = bound.with_options(session=None)
    await ask(stage)
    assert sessions(stage) == [("own", "around"), ("around", None), ("inside", "own"), ("inside", "own"), (None, None)]


def test_a_session_is_not_begun_inside_of_itself_but_goes_on(way: Way) -> None:
    client = guarding(way).client
    with client.session("a") as a:
        with client.session("a") as again:
            assert again is a
        with client.session("b"), pytest.raises(ValueError, match="'a' cannot be begun inside of itself"):
            client.session("a")
    with pytest.raises(ValueError, match="inside of itself"):
        Session("x", Session("y", Session("x")))


@pytest.mark.parametrize("wrong", ["", "x" * 129, "a\nb", "a\x00"])
def test_what_is_no_id_is_refused_before_anything_is_sent(way: Way, wrong: str) -> None:
    with pytest.raises(ValueError, match="1 to 128 characters that can be printed"):
        guarding(way).client.session(wrong)


def test_nor_is_what_is_no_text(way: Way) -> None:
    with pytest.raises(TypeError, match="a session is 7"):
        guarding(way).client.session(7)


async def test_the_longest_id_and_one_in_any_language(way: Way) -> None:
    stage = guarding(way)
    for each in ("x" * 128, "сессия 7"):
        with stage.client.session(each):
            await ask(stage)
    assert sessions(stage) == [("x" * 128, None), ("сессия 7", None)]


# Tasks, threads, processes


async def test_tasks_that_are_begun_inside_are_inside_each_with_its_own() -> None:
    stage = guarding("async")

    async def sub(name: str) -> None:
        with stage.client.session(name):
            await asyncio.sleep(0)
            await ask(stage)

    with stage.client.session("main"):
        await asyncio.gather(*(sub(name) for name in "abc"))
        async with asyncio.TaskGroup() as group:
            group.create_task(ask(stage))
    assert sorted(sessions(stage)) == [("a", "main"), ("b", "main"), ("c", "main"), ("main", None)]


async def test_asyncios_own_threads_are_inside() -> None:
    stage = guarding("sync")
    with stage.client.session("main"):
        await asyncio.to_thread(stage.client.guard, {"action_type": "x"})
    assert sessions(stage) == [("main", None)]


def test_other_threads_are_inside_where_they_are_bound() -> None:
    stage = guarding("sync")
    question = {"action_type": "x"}
    with stage.client.session("main") as session, ThreadPoolExecutor(1) as pool:
        pool.submit(stage.client.guard, question).result()
        pool.submit(session.bind(stage.client.guard), question).result()
        pool.submit(stage.client.with_options(session=session).guard, question).result()
        pool.submit(stage.client.guard, question).result()
    late = session.bind(stage.client.guard)
    late(question)
    # From Python 3.14 on a thread may begin with the context of who began it; those of a pool are begun once.
    assert [found for found, _ in sessions(stage)[1:]] == ["main", "main", sessions(stage)[0][0], "main"]
    assert threading.active_count() >= 1


async def test_a_coroutine_function_is_bound_as_well() -> None:
    stage = guarding("async")
    session = Session("s", Session("p"))
    await session.bind(stage.client.guard)({"action_type": "x"})
    assert sessions(stage) == [("s", "p")]


def test_a_generator_that_is_closed_elsewhere_leaves_without_an_error() -> None:
    stage = guarding("sync")

    def steps() -> Any:
        with stage.client.session("s"):
            yield stage.client.guard({"action_type": "x"})

    def closed_elsewhere() -> None:
        running = steps()
        next(running)
        thread = threading.Thread(target=running.close)
        thread.start()
        thread.join()
        assert sessions(stage) == [("s", None)]
        with stage.client.session(None):  # what the generator bound here is not left by another thread
            pass

    contextvars.copy_context().run(closed_elsewhere)  # nor by this one, where other tests follow


def test_a_process_that_is_started_with_the_environment_is_inside(monkeypatch: pytest.MonkeyPatch, way: Way) -> None:
    session = Session("child", Session("main"))
    assert session.environment() == {"ASSENT_SESSION_ID": "child", "ASSENT_PARENT_SESSION_ID": "main"}
    assert Session("main").environment() == {"ASSENT_SESSION_ID": "main", "ASSENT_PARENT_SESSION_ID": ""}
    for name, value in session.environment().items():
        monkeypatch.setenv(name, value)
    stage = guarding(way)
    asyncio.run(ask(stage))
    with stage.client.session("sub"):
        asyncio.run(ask(stage))
    assert sessions(stage) == [("child", "main"), ("sub", "child")]


def test_governed_functions_are_inside_whichever_client_they_use() -> None:
    stage = Stage(
        "sync", bound(lambda asked: httpx.Response(201, json=samples.created_for(json.loads(asked.content), asked)))
    )
    other = guarding("sync")

    @governed(client=stage.client)
    def send(to: str) -> str:
        return to

    with other.client.session("a"), other.client.session("b"):
        assert send("x") == "x"
    body = json.loads(stage.requests[0].content)
    assert (body["session_id"], body["parent_session_id"]) == ("b", "a")


@pytest.mark.parametrize(
    ("host", "around", "expected"),
    [
        ("host-1", "", {"session_id": "host-1"}),
        ("host-1", "run-7", {"session_id": "host-1", "parent_session_id": "run-7"}),
        ("", "run-7", {"session_id": "run-7"}),
        ("run-7", "run-7", {"session_id": "run-7"}),
        ("host-1", "x" * 129, {"session_id": "host-1"}),
    ],
)
def test_a_hosts_session_is_inside_of_the_one_that_it_was_started_in(
    host: str, around: str, expected: dict[str, str]
) -> None:
    call = HookCall({"session_id": host, "cwd": "/w", "tool_name": "Bash", "tool_input": {"command": "ls"}})
    action = described(call, read("", {"ASSENT_API_KEY": "k", "ASSENT_SESSION_ID": around}), "/h")
    assert {name: action[name] for name in ("session_id", "parent_session_id") if name in action} == expected


def test_whatever_can_say_its_session_can_say_the_one_around_it() -> None:
    members = {each.operation: each.request.__struct_encode_fields__ for each in ENDPOINTS if each.request}
    assert {operation for operation, names in members.items() if "session_id" in names} == {
        *("guard", "create_action", "record_purchase", "launch_workflow_template", "report_token_usage", "tell_flow"),
    }
    assert [
        operation for operation, names in members.items() if "session_id" in names and "parent_session_id" not in names
    ] == []


def test_both_clients_share_what_is_bound() -> None:
    blocking, awaiting = guarding("sync"), guarding("async")
    assert isinstance(blocking.client, Client)
    assert isinstance(awaiting.client, AsyncClient)
    with blocking.client.session("s"):
        asyncio.run(ask(awaiting))
    assert sessions(awaiting) == [("s", None)]
