"""Copying workflow templates, and launching them: as an action that guard decides on."""

from __future__ import annotations

from typing import Any

import msgspec

from assent.contract.actions import CreateAction, CreatedAction
from assent.contract.prepared import prepared
from assent.contract.strategies import STRATEGY
from assent.contract.workflows import (
    WORKFLOW,
    CreateWorkflowTemplate,
    DuplicateWorkflowTemplate,
    LaunchWorkflowTemplate,
)
from assent_service.actions import Actions
from assent_service.core.principal import Principal
from assent_service.core.problem import Refusal
from assent_service.records.records import Records
from assent_service.records.rules import Stored

ACTION_TYPE = "workflow"


async def duplicate(
    records: Records, principal: Principal, template_id: str, said: DuplicateWorkflowTemplate
) -> Stored:
    """A copy as a draft in its first version. Raises `record_not_found`."""
    old = (await records.visible(principal, WORKFLOW, template_id)).data
    name = said.name or f"{old['name'][:493]} (copy)"
    members = old | {"name": name, "status": "draft"}
    body = msgspec.convert(members, prepared(CreateWorkflowTemplate))
    more = {"duplicated_from": template_id}
    return (await records.create(principal, WORKFLOW, body, members, once=False, more=more)).stored


async def launch(
    records: Records, actions: Actions, principal: Principal, template_id: str, said: LaunchWorkflowTemplate
) -> tuple[Stored, CreatedAction]:
    """The action that stands for the workflow; it carries the template's steps and the strategy as they are now.

    Raises `record_not_found`, and what creating an action raises.
    """
    template = await records.visible(principal, WORKFLOW, template_id)
    data = template.data
    workflow: dict[str, Any] = {
        "template_id": template_id,
        "name": data["name"],
        "version": data.get("version", 1),
        "steps": data.get("steps", []),
        "variables": said.variables or {},
    }
    strategy_id = data.get("model_strategy_id")
    if strategy_id is not None:
        workflow["model_strategy"] = await _strategy(records, principal, strategy_id)
    goal = said.declared_goal or data.get("objective") or f"Carry out the workflow {data['name']}"
    members: dict[str, Any] = {
        "action_type": said.action_type or ACTION_TYPE,
        "declared_goal": goal[:2000],
        "trigger": f"workflow template {template_id}",
        "metadata": {"workflow": workflow},
    }
    for name in ("agent_id", "risk_score", "session_id"):
        if getattr(said, name) is not None:
            members[name] = getattr(said, name)
    created = await actions.create(principal, msgspec.convert(members, prepared(CreateAction)), members, None)
    return template, created


async def _strategy(records: Records, principal: Principal, strategy_id: str) -> dict[str, Any] | None:
    """None when it was deleted: the link of a template is only a hint."""
    try:
        strategy = await records.visible(principal, STRATEGY, strategy_id)
    except Refusal:
        return None
    return {"strategy_id": strategy_id, "name": strategy.name, "config": strategy.data["config"]}
