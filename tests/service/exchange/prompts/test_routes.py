"""Prompts over HTTP: shapes, spellings, and what is refused how."""

from __future__ import annotations

import json
from typing import Any

from assent.contract.roles import Role
from tests.service.control.actions.world import World

TEMPLATES, RENDER = "/api/prompts/templates", "/api/prompts/render"


async def test_from_the_first_word_to_the_stats(world: World) -> None:
    said = {"name": "Greeting", "description": "", "category": "general"}
    made = await world.http("POST", TEMPLATES, said, Role.OPERATOR)
    assert made.status_code == 201
    template = made.json()
    assert template["id"] == template["template_id"]
    one = f"{TEMPLATES}/{template['id']}"
    text = {"content": "Hello {{ name }}", "modelHint": "small", "parameters": [], "changelog": ""}
    added = await world.http("POST", f"{one}/versions", text, Role.OPERATOR)
    assert added.status_code == 201
    version = added.json()
    assert (version["version"], version["is_active"], version["model_hint"]) == (1, False, "small")
    assert version["id"] == version["version_id"]
    asked = {
        "templateId": template["id"],
        "version_id": None,
        "variables": {"name": "Ann"},
        "action_id": None,
        "agent_id": None,
        "record": True,
    }
    assert (await world.http("POST", RENDER, asked, Role.AGENT)).json()["code"] == "prompt_version_not_found"
    active = await world.http("POST", f"{one}/versions/{version['id']}", by=Role.OPERATOR)
    assert (active.status_code, active.json()["is_active"]) == (200, True)
    rendered = await world.http("POST", RENDER, asked, Role.AGENT)
    assert (rendered.status_code, rendered.json()["rendered"], rendered.json()["version"]) == (200, "Hello Ann", 1)
    renamed = (await world.http("PATCH", one, {"name": "Hello"}, Role.OPERATOR)).json()
    assert (renamed["name"], renamed["active_version"]) == ("Hello", 1)
    assert (await world.http("GET", one, by=Role.AUDITOR)).json() == renamed
    listed = (await world.http("GET", f"{TEMPLATES}?category=general", by=Role.AUDITOR)).json()
    assert listed == {"templates": [renamed], "total": 1, "next_cursor": None}
    versions = (await world.http("GET", f"{one}/versions", by=Role.AUDITOR)).json()
    assert versions["versions"] == [(await world.http("GET", f"{one}/versions/{version['id']}")).json()]
    runs = (await world.http("GET", f"/api/prompts/runs?version_id={version['id']}&limit=5", by=Role.AUDITOR)).json()
    assert [run["id"] for run in runs["runs"]] == [rendered.json()["run_id"]]
    stats = (await world.http("GET", f"/api/prompts/stats?template_id={template['id']}", by=Role.AUDITOR)).json()
    assert (stats["total_runs"], stats["overall"]["total_runs"]) == (1, 1)
    gone = await world.http("DELETE", one, by=Role.OPERATOR)
    assert (gone.status_code, gone.json()) == (200, {"deleted": True, "template_id": template["id"]})
    assert (await world.http("POST", RENDER, asked, Role.AGENT)).json()["code"] == "template_not_found"


WRONG: list[tuple[str, dict[str, Any], str]] = [
    (TEMPLATES, {}, "body"),
    (TEMPLATES, {"name": ""}, "name"),
    (TEMPLATES, {"name": "x" * 257}, "name"),
    (TEMPLATES, {"name": "x", "description": "x" * 2001}, "description"),
    (TEMPLATES, {"name": "x", "category": "x" * 129}, "category"),
    ("/versions", {}, "body"),
    ("/versions", {"content": ""}, "content"),
    ("/versions", {"content": "x" * 100_001}, "content"),
    ("/versions", {"content": "x", "parameters": [1]}, "parameters[0]"),
    ("/versions", {"content": "x", "parameters": ["a"] * 201}, "parameters"),
    ("/versions", {"content": "x", "parameters": [{"n": 2**60}]}, "parameters[0].n"),
    ("/versions", {"content": "x", "model_hint": "x" * 257}, "model_hint"),
    (RENDER, {}, "template_id"),
    (RENDER, {"variables": {"a": 1}}, "template_id"),
    (RENDER, {"template_id": 7}, "template_id"),
    (RENDER, {"template_id": "../x"}, "template_id"),
    (RENDER, {"template_id": "pt_1", "variables": ["a"]}, "variables"),
    (RENDER, {"template_id": "pt_1", "variables": {f"v{n}": n for n in range(1001)}}, "variables"),
    (RENDER, {"template_id": "pt_1", "record": "yes"}, "record"),
]


async def test_what_is_wrong_is_refused_by_name(world: World) -> None:
    made = (await world.http("POST", TEMPLATES, {"name": "x"})).json()
    before = len(await world.events(kind="prompt_"))
    for path, said, place in WRONG:
        at = f"{TEMPLATES}/{made['id']}/versions" if path == "/versions" else path
        answer = await world.http("POST", at, said)
        assert (answer.status_code, answer.json()["code"]) == (400, "invalid_body"), (path, place)
        assert [error["place"] for error in answer.json()["errors"]] == [place], (path, place)
    assert len(await world.events(kind="prompt_")) == before


async def test_a_result_that_gets_too_long_is_refused_and_the_longest_text_is_taken(world: World) -> None:
    one = f"{TEMPLATES}/{(await world.http('POST', TEMPLATES, {'name': 'x'})).json()['id']}"
    content = "{{a}}" * 20_000
    version = (await world.http("POST", f"{one}/versions", {"content": content})).json()
    assert len(version["content"]) == 100_000
    asked = {"version_id": version["id"], "variables": {"a": "x" * 21}}
    answer = await world.http("POST", RENDER, asked)
    assert (answer.status_code, answer.json()["errors"][0]["place"]) == (400, "variables")
    fits = await world.http("POST", RENDER, asked | {"variables": {"a": "x" * 20}})
    assert len(fits.json()["rendered"]) == 400_000


async def test_what_is_refused_and_how(world: World) -> None:
    one = f"{TEMPLATES}/{(await world.http('POST', TEMPLATES, {'name': 'x'})).json()['id']}"
    nobody = f"{TEMPLATES}/pt_nobody"
    cases = [
        ("POST", TEMPLATES, {"name": "x"}, Role.AGENT, 403, "forbidden"),
        ("POST", TEMPLATES, {"name": "x"}, Role.AUDITOR, 403, "forbidden"),
        ("PATCH", one, {"name": ""}, Role.OPERATOR, 400, "invalid_body"),
        ("PATCH", nobody, {"name": "x"}, Role.OPERATOR, 404, "template_not_found"),
        ("DELETE", one, None, Role.AGENT, 403, "forbidden"),
        ("DELETE", nobody, None, Role.OPERATOR, 404, "template_not_found"),
        ("GET", nobody, None, Role.AUDITOR, 404, "template_not_found"),
        ("POST", f"{nobody}/versions", {"content": "x"}, Role.OPERATOR, 404, "template_not_found"),
        ("GET", f"{nobody}/versions", None, Role.AUDITOR, 404, "template_not_found"),
        ("GET", f"{one}/versions/pv_nobody", None, Role.AUDITOR, 404, "prompt_version_not_found"),
        ("POST", f"{one}/versions/pv_nobody", None, Role.OPERATOR, 404, "prompt_version_not_found"),
        ("POST", f"{nobody}/versions/pv_nobody", None, Role.OPERATOR, 404, "template_not_found"),
        ("POST", RENDER, {"template_id": "pt_nobody"}, Role.AGENT, 404, "template_not_found"),
        ("POST", RENDER, {"version_id": "pv_nobody"}, Role.AGENT, 404, "prompt_version_not_found"),
        ("POST", RENDER, {"template_id": "pt_nobody"}, Role.AUDITOR, 403, "forbidden"),
        ("GET", "/api/prompts/runs?limit=0", None, Role.AUDITOR, 400, "invalid_query"),
        ("GET", "/api/prompts/runs?cursor=nonsense", None, Role.AUDITOR, 400, "invalid_query"),
    ]
    for method, path, body, role, status, code in cases:
        answer = await world.http(method, path, body, role)
        assert (answer.status_code, answer.json()["code"]) == (status, code), (method, path, body)


async def test_analysts_read_runs_without_values(world: World) -> None:
    one = f"{TEMPLATES}/{(await world.http('POST', TEMPLATES, {'name': 'x'})).json()['id']}"
    version = (await world.http("POST", f"{one}/versions", {"content": "Use {{ password }}"})).json()
    asked = {"version_id": version["id"], "variables": {"password": "hunter2"}, "record": True}
    rendered = (await world.http("POST", RENDER, asked)).json()
    answer = await world.http("GET", "/api/data/prompt_runs?format=ndjson", by=Role.AUDITOR)
    (row,) = [json.loads(line) for line in answer.text.splitlines()]
    assert (row["run_id"], row["template_name"], row["rendered_length"]) == (
        rendered["run_id"],
        "x",
        len("Use hunter2"),
    )
    assert "hunter2" not in answer.text
