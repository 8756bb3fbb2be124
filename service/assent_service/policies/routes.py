"""Policies over HTTP."""

from __future__ import annotations

from assent.contract.policies import (
    CREATE_POLICY,
    DELETE_POLICY,
    GET_POLICIES,
    IMPORT_POLICIES,
    TEST_POLICIES,
    UPDATE_POLICY,
    PolicyDetail,
)
from assent.contract.policies import Policies as PolicyList
from assent_service.core.call import Answer, Call
from assent_service.core.route import Route, route
from assent_service.policies.policies import Policies
from assent_service.policies.trial import Trial


def routes(policies: Policies, trial: Trial) -> tuple[Route, ...]:
    @route(GET_POLICIES)
    async def list_policies(call: Call) -> Answer:
        org_id = call.principal.org_id
        return Answer(PolicyList(policies=policies.state.list(org_id), version=policies.state.version(org_id)))

    @route(CREATE_POLICY)
    async def create(call: Call) -> Answer:
        return Answer(PolicyDetail(policy=await policies.create(call.principal, call.body)), 201)

    @route(UPDATE_POLICY)
    async def update(call: Call) -> Answer:
        policy_id = call.path.get("policy_id") or call.query.id or call.body.policy_id
        return Answer(PolicyDetail(policy=await policies.update(call.principal, policy_id, call.body)))

    @route(DELETE_POLICY)
    async def delete(call: Call) -> Answer:
        policy_id = call.path.get("policy_id") or call.query.id
        return Answer(await policies.delete(call.principal, policy_id, call.query.if_version))

    @route(IMPORT_POLICIES)
    async def load_pack(call: Call) -> Answer:
        return Answer(await policies.load_pack(call.principal, call.body))

    @route(TEST_POLICIES)
    async def test(call: Call) -> Answer:
        return Answer(await trial.run(call.principal, call.body))

    return list_policies, create, update, delete, load_pack, test
