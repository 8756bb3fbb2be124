"""Risk templates on the wire, written by hand."""

from __future__ import annotations

from typing import Any

from tests.sdk.client.case import Case
from tests.sdk.client.samples import NOW

TREE = {"field": "metadata.env", "op": "eq", "value": "production"}
RULES = [{"condition": "amount > 1000", "add": 20}, {"condition": TREE, "add": -5}]
TEMPLATE: dict[str, Any] = {
    "id": "rt_1",
    "org_id": "org_1",
    "name": "wires",
    "description": None,
    "action_type": "wire",
    "base_risk": 40,
    "rules": RULES,
    "status": "active",
    "version": 1,
    "created_at": NOW,
    "created_by": "key_1",
    "updated_at": NOW,
    "updated_by": "key_1",
    "deleted_at": None,
}
PATH = "/api/scoring/risk-templates"

CASES: list[Case] = [
    Case(
        "create_risk_template",
        "POST",
        PATH,
        {"name": "wires", "rules": RULES, "base_risk": 40, "action_type": "wire"},
        TEMPLATE,
        ("wires", RULES, 40),
        {"action_type": "wire"},
        status=201,
    ),
    Case(
        "list_risk_templates",
        "GET",
        f"{PATH}?action_type=wire&limit=5",
        answer={"templates": [TEMPLATE], "total": 1},
        kwargs={"action_type": "wire", "limit": 5},
    ),
    Case(
        "update_risk_template",
        "PATCH",
        f"{PATH}/rt_1",
        {"base_risk": 50, "action_type": ""},
        TEMPLATE | {"version": 2, "base_risk": 50, "action_type": None},
        ("rt_1",),
        {"base_risk": 50, "action_type": "", "name": None},
    ),
    Case(
        "delete_risk_template",
        "DELETE",
        f"{PATH}/rt_1",
        answer={"deleted": True, "id": "rt_1"},
        args=("rt_1",),
    ),
]
