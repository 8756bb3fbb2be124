"""What the operations of prompts send and are answered."""

from __future__ import annotations

from typing import Any

from tests.sdk.client.case import Case
from tests.sdk.client.samples import NOW

TEMPLATE: dict[str, Any] = {
    "id": "pt_1",
    "org_id": "org_1",
    "template_id": "pt_1",
    "name": "Greeting",
    "description": "",
    "category": "general",
    "version_count": 0,
    "active_version": None,
    "active_version_id": None,
    "activated_at": None,
    "activated_by": None,
    "created_at": NOW,
    "created_by": "key_1",
    "updated_at": NOW,
    "updated_by": "key_1",
    "deleted_at": None,
}
VERSION: dict[str, Any] = {
    "id": "pv_1",
    "org_id": "org_1",
    "version_id": "pv_1",
    "template_id": "pt_1",
    "version": 1,
    "content": "Hello {{ name }}",
    "model_hint": "",
    "parameters": ["name", {"name": "x"}],
    "placeholders": ["name"],
    "changelog": "",
    "is_active": False,
    "created_at": NOW,
    "created_by": "key_1",
}
RUN: dict[str, Any] = {
    "id": "pr_1",
    "org_id": "org_1",
    "run_id": "pr_1",
    "template_id": "pt_1",
    "template_name": "Greeting",
    "version_id": "pv_1",
    "version": 1,
    "variables": ["name"],
    "missing": [],
    "rendered_length": 9,
    "action_id": None,
    "agent_id": "agent-7",
    "created_at": NOW,
    "created_by": "key_1",
}
RENDERED: dict[str, Any] = {
    "rendered": "Hello Ann",
    "template_id": "pt_1",
    "version_id": "pv_1",
    "version": 1,
    "model_hint": "",
    "parameters": ["name"],
    "missing": [],
    "run_id": None,
}
TOTALS: dict[str, Any] = {
    "total_runs": 1,
    "unique_templates": 1,
    "versions_used": 1,
    "unique_agents": 1,
    "today_count": 1,
    "incomplete_count": 0,
    "avg_length": 9,
}
OF_TEMPLATE = {"template_id": "pt_1", "template_name": "Greeting", "total_runs": 1, "avg_length": 9}
STATS = TOTALS | {
    "overall": TOTALS,
    "by_template": [OF_TEMPLATE],
    "by_version": [OF_TEMPLATE | {"version_id": "pv_1", "version": 1}],
}
TEMPLATES = {"templates": [TEMPLATE], "total": 1, "next_cursor": None}
VERSIONS = {"versions": [VERSION], "total": 1, "next_cursor": None}
RUNS = {"runs": [RUN], "total": 1, "next_cursor": None}
ONE = "/api/prompts/templates/pt_1"
RENDER = "/api/prompts/render"

CASES: list[Case] = [
    Case(
        "create_prompt_template",
        "POST",
        "/api/prompts/templates",
        {"name": "Greeting", "description": "says hello", "category": "mail"},
        TEMPLATE,
        ("Greeting", "says hello", "mail"),
        status=201,
    ),
    Case("list_prompt_templates", "GET", "/api/prompts/templates?category=mail", answer=TEMPLATES, args=("mail",)),
    Case(
        "list_prompt_templates",
        "GET",
        "/api/prompts/templates?limit=2&offset=4",
        answer=TEMPLATES,
        kwargs={"limit": 2, "offset": 4},
        same=" by page",
    ),
    Case("get_prompt_template", "GET", ONE, answer=TEMPLATE, args=("pt_1",)),
    Case("update_prompt_template", "PATCH", ONE, {"name": "Hello"}, TEMPLATE, ("pt_1",), {"name": "Hello"}),
    Case("delete_prompt_template", "DELETE", ONE, answer={"deleted": True, "template_id": "pt_1"}, args=("pt_1",)),
    Case(
        "create_prompt_version",
        "POST",
        f"{ONE}/versions",
        {"content": "Hello {{ name }}", "model_hint": "m", "parameters": ["name"], "changelog": "new"},
        VERSION,
        ("pt_1", "Hello {{ name }}", "m", ["name"], "new"),
        status=201,
    ),
    Case("list_prompt_versions", "GET", f"{ONE}/versions", answer=VERSIONS, args=("pt_1",)),
    Case("get_prompt_version", "GET", f"{ONE}/versions/pv_1", answer=VERSION, args=("pt_1", "pv_1")),
    Case("activate_prompt_version", "POST", f"{ONE}/versions/pv_1", answer=VERSION, args=("pt_1", "pv_1")),
    Case(
        "render_prompt",
        "POST",
        RENDER,
        {"template_id": "pt_1", "variables": {"name": "Ann"}, "agent_id": "agent-7"},
        RENDERED,
        kwargs={"template_id": "pt_1", "variables": {"name": "Ann"}},
    ),
    Case(
        "render_prompt",
        "POST",
        RENDER,
        {"version_id": "pv_1", "variables": {"name": None}, "agent_id": "bot", "record": True},
        RENDERED,
        ({"version_id": "pv_1", "variables": {"name": None}, "agent_id": "bot"},),
        {"record": True},
        same=" as a mapping",
    ),
    Case(
        "render_prompt",
        "POST",
        RENDER,
        {
            "template_id": "pt_1",
            "version_id": "pv_1",
            "variables": {},
            "action_id": "act_1",
            "agent_id": "bot",
            "record": True,
        },
        RENDERED,
        ("pt_1", "pv_1", {}, "act_1", "bot", True),
        same=" in the published order",
    ),
    Case(
        "list_prompt_runs",
        "GET",
        "/api/prompts/runs?template_id=pt_1&version_id=pv_1&limit=5",
        answer=RUNS,
        args=("pt_1", "pv_1", 5),
    ),
    Case(
        "list_prompt_runs",
        "GET",
        "/api/prompts/runs?action_id=act_1&agent_id=bot",
        answer=RUNS,
        kwargs={"action_id": "act_1", "agent_id": "bot"},
        same=" of an action",
    ),
    Case("get_prompt_stats", "GET", "/api/prompts/stats?template_id=pt_1", answer=STATS, args=("pt_1",)),
    Case("get_prompt_stats", "GET", "/api/prompts/stats", answer=STATS, same=" of all"),
]
