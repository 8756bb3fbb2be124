"""Feedback over HTTP: shapes, spellings, and what is refused how."""

from __future__ import annotations

import json
from typing import Any

from assent.contract.roles import Role
from tests.service.control.actions.world import World

PATH = "/api/feedback"


async def test_from_giving_to_deleting(world: World) -> None:
    action = await world.act(agent_id="bot")
    # As the published client sends it, with its spellings and nulls.
    said: dict[str, Any] = {
        "actionId": action.action_id,
        "agent_id": None,
        "rating": 4,
        "comment": "fast",
        "category": "general",
        "tags": [],
        "metadata": {},
        "source": "sdk",
    }
    made = await world.http("POST", PATH, said, Role.AGENT)
    assert made.status_code == 201
    row = made.json()
    assert row["id"] == row["feedback_id"]
    assert (row["sentiment"], row["tags"], row["rating"], row["source"]) == ("positive", ["performance"], 4, "sdk")
    one = f"{PATH}/{row['id']}"
    assert (await world.http("GET", one, by=Role.AUDITOR)).json() == row
    seen = (await world.http("PATCH", one, {"resolved_by": "sdk"}, Role.AGENT)).json()
    assert (seen["resolved"], seen["resolved_by"]) == (True, "sdk")
    listed = (await world.http("GET", f"{PATH}?resolved=true&sentiment=positive", by=Role.AUDITOR)).json()
    assert (listed["feedback"], listed["total"]) == ([seen], 1)
    stats = (await world.http("GET", f"{PATH}/stats?agentId=bot", by=Role.AUDITOR)).json()
    assert (stats["overall"]["total_feedback"], stats["overall"]["avg_rating"]) == (1, 4)
    gone = await world.http("DELETE", one, by=Role.OPERATOR)
    assert (gone.status_code, gone.json()) == (200, {"deleted": True, "feedback_id": row["id"]})
    assert (await world.http("GET", one)).status_code == 404


WRONG: list[tuple[dict[str, Any], str]] = [
    ({}, "rating"),
    ({"rating": None, "comment": ""}, "rating"),
    ({"rating": 0}, "rating"),
    ({"rating": 6}, "rating"),
    ({"rating": 0.99}, "rating"),
    ({"rating": 5.01}, "rating"),
    ({"rating": True}, "rating"),
    ({"rating": "5"}, "rating"),
    ({"rating": [5]}, "rating"),
    ({"comment": "x" * 5001}, "comment"),
    ({"comment": 5}, "comment"),
    ({"rating": 5, "tags": "slow"}, "tags"),
    ({"rating": 5, "tags": [""]}, "tags[0]"),
    ({"rating": 5, "tags": ["x" * 65]}, "tags[0]"),
    ({"rating": 5, "tags": ["x"] * 21}, "tags"),
    ({"rating": 5, "metadata": []}, "metadata"),
    ({"rating": 5, "metadata": {"n": 2**60}}, "metadata.n"),
    ({"rating": 5, "category": "x" * 129}, "category"),
    ({"rating": 5, "action_id": "../x"}, "action_id"),
]


async def test_what_is_wrong_is_refused_by_name(world: World) -> None:
    for said, place in WRONG:
        answer = await world.http("POST", PATH, said, Role.AGENT)
        assert (answer.status_code, answer.json()["code"]) == (400, "invalid_body"), said
        assert [error["place"] for error in answer.json()["errors"]] == [place], said
    assert await world.events(kind="feedback.") == []


async def test_what_is_refused_and_how(world: World) -> None:
    made = (await world.http("POST", PATH, {"rating": 5})).json()["id"]
    cases = [
        ("POST", PATH, {"rating": 5, "action_id": "act_nobody"}, Role.AGENT, 404, "action_not_found"),
        ("POST", PATH, {"rating": 5}, Role.AUDITOR, 403, "forbidden"),
        ("PATCH", f"{PATH}/{made}", {}, Role.AUDITOR, 403, "forbidden"),
        ("PATCH", f"{PATH}/{made}", {"resolved": "yes"}, Role.AGENT, 400, "invalid_body"),
        ("PATCH", f"{PATH}/fb_nobody", {}, Role.AGENT, 404, "feedback_not_found"),
        ("DELETE", f"{PATH}/{made}", None, Role.AGENT, 403, "forbidden"),
        ("DELETE", f"{PATH}/fb_nobody", None, Role.OPERATOR, 404, "feedback_not_found"),
        ("GET", f"{PATH}/fb_nobody", None, Role.AUDITOR, 404, "feedback_not_found"),
        ("GET", f"{PATH}?sentiment=angry", None, Role.AUDITOR, 400, "invalid_query"),
        ("GET", f"{PATH}?limit=201", None, Role.AUDITOR, 400, "invalid_query"),
    ]
    for method, path, body, role, status, code in cases:
        answer = await world.http(method, path, body, role)
        assert (answer.status_code, answer.json()["code"]) == (status, code), (method, path, body)


async def test_analysts_read_what_was_said_and_not_what_was_deleted(world: World) -> None:
    gone = (await world.http("POST", PATH, {"rating": 1})).json()["id"]
    kept = (await world.http("POST", PATH, {"comment": "slow", "agent_id": "bot"})).json()
    await world.http("DELETE", f"{PATH}/{gone}")
    answer = await world.http("GET", "/api/data/feedback?format=ndjson&agent_id=bot", by=Role.AUDITOR)
    (row,) = [json.loads(line) for line in answer.text.splitlines()]
    assert (row["feedback_id"], row["comment"], row["sentiment"], row["rating"]) == (
        kept["id"],
        "slow",
        "negative",
        None,
    )
    assert len((await world.http("GET", "/api/data/feedback?format=ndjson", by=Role.AUDITOR)).text.splitlines()) == 1
