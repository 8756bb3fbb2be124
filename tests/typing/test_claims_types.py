"""Read by the type checkers, never called: what using an approval gives, on both clients."""

from datetime import datetime
from typing import assert_type

from assent import Approval, AsyncClient, Client
from assent.contract.control.actions import Action, ApprovedAction, CreatedAction
from assent.contract.control.claims import ClaimedAction
from assent.contract.control.externality import DataClassification, Externality
from assent.proof.act import act_digest, parameters_digest


def blocking(client: Client) -> None:
    claimed = client.claim_action("act_1", "pay", "Pay it", ["bank"], {"amount": 1.5})
    assert_type(claimed, ClaimedAction)
    assert_type(claimed.action, Action)
    assert_type(claimed.approval, Approval)
    assert_type(claimed.act_digest, str)
    assert_type(claimed.approval.conditions, list[str])
    assert_type(claimed.approval.claimed_at, datetime | None)
    assert_type(claimed.approval.refused_claims, int)
    by_digest = client.claim_action(
        action_id="act_1",
        action_type="pay",
        declared_goal=None,
        systems_touched=None,
        parameters=None,
        parameters_digest=parameters_digest({}),
    )
    assert_type(by_digest, ClaimedAction)
    assert_type(client.approve_action("act_1", "allow", conditions=["now"], valid_minutes=5), ApprovedAction)
    made = client.create_action("pay", parameters={"amount": 1}, externality=Externality(reversal_bound_seconds=60))
    assert_type(made, CreatedAction)
    assert_type(made.action.parameters_digest, str | None)
    assert_type(made.action.externality, Externality | None)
    client.create_action("pay", parameters_digest="sha256:", externality={"data_classification": "public"})
    assert_type(Externality().data_classification, DataClassification | None)
    assert_type(act_digest("pay", None, ("bank",), None), str)


async def awaiting(client: AsyncClient) -> None:
    assert_type(await client.claim_action("act_1", "pay"), ClaimedAction)
    assert_type(await client.approve_action("act_1", "allow", valid_minutes=5), ApprovedAction)
