"""Copying workflow templates, and launching them: as an action that guard decides on."""

from __future__ import annotations

from typing import Any

import msgspec

from assent.contract.control.actions import CreateAction, CreatedAction
from assent.contract.exchange.strategies import STRATEGY
from assent.contract.exchange.workflows import (
    DUPLICATE_WORKFLOW_TEMPLATE,
    LAUNCH_WORKFLOW_TEMPLATE,
    WORKFLOW,
    CreateWorkflowTemplate,
    DuplicateWorkflowTemplate,
    LaunchWorkflowTemplate,
)
from assent.contract.prepared import prepared
from assent_service.base.problem import Refusal
from assent_service.control.actions import Actions
from assent_service.core.call import Answer, Call
from assent_service.core.principal import Principal
from assent_service.core.route import NEW_ID, Route, serves
from assent_service.exchange.records.records import (
    Records,
    creation_status,
)
from assent_service.exchange.records.rules import RecordRow

ACTION_TYPE = "workflow"


async def duplicate(
    records: Records, principal: Principal, template_id: str, said: DuplicateWorkflowTemplate
) -> RecordRow:
    """A copy as a draft in its first version. Raises `record_not_found`."""
    old = (await records.visible(principal, WORKFLOW, template_id)).data
    name = said.name or f"{old['name'][:493]} (copy)"
    members = old | {"name": name, "status": "draft"}
    body = msgspec.convert(members, prepared(CreateWorkflowTemplate))
    more = {"duplicated_from": template_id}
    return (await records.create(principal, WORKFLOW, body, members, once=False, more=more)).stored


async def launch(
    records: Records, actions: Actions, principal: Principal, template_id: str, said: LaunchWorkflowTemplate
) -> tuple[RecordRow, CreatedAction]:
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
    for name in ("agent_id", "risk_score", "session_id", "parent_session_id"):
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


def workflow_routes(records: Records, actions: Actions) -> tuple[Route, ...]:
    @serves(DUPLICATE_WORKFLOW_TEMPLATE, unfenced=NEW_ID)
    async def copy_template(call: Call[DuplicateWorkflowTemplate, None], template_id: str) -> Answer[dict[str, Any]]:
        copy = await duplicate(records, call.principal, template_id, call.body)
        return Answer(await records.answer(WORKFLOW, copy))

    @serves(LAUNCH_WORKFLOW_TEMPLATE, unfenced=NEW_ID, effects="asks the webhooks of policies")
    async def launch_template(call: Call[LaunchWorkflowTemplate, None], template_id: str) -> Answer[dict[str, Any]]:
        template, created = await launch(records, actions, call.principal, template_id, call.body)
        members = {
            "action": created.action,
            "action_id": created.action_id,
            "decision": created.decision,
            "template_id": template_id,
            "version": template.data.get("version", 1),
        }
        return Answer(members, creation_status(created.action.status))

    return copy_template, launch_template
