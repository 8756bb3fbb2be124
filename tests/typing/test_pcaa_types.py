"""Read by mypy and basedpyright, never called: what PCAA gives, from the clients and from records alone."""

from datetime import datetime
from typing import assert_type

from assent import AsyncClient, Client
from assent.contract.control.actions import ActionDetail
from assent.contract.evidence.pcaa import CheckpointId, CheckpointStatus, Enforceability, PcaaCheckpoint, Receipts
from assent.contract.evidence.pcaa_actions import PcaaAction
from assent.contract.evidence.proofs import ProofBundle, ProofSnapshot
from assent.contract.evidence.traces import ActionTrace
from assent.pcaa import (
    PCAA_CHECKPOINTS,
    ActionFacts,
    build_pcaa_checkpoint_states,
    checkpoint_states_of,
    enforceability_of,
    facts_from,
    facts_of,
    receipts_of,
)


def blocking(client: Client) -> None:
    found = client.get_pcaa_action("act_1")
    assert_type(found, PcaaAction)
    assert_type(found.replay, ActionTrace)
    assert_type(found.proof, ProofSnapshot)
    assert_type(found.export, ProofBundle)
    assert_type(found.checkpoints, list[PcaaCheckpoint])
    assert_type(found.receipts.expected, list[CheckpointId])


async def awaiting(client: AsyncClient) -> None:
    assert_type(await client.get_pcaa_action("act_1"), PcaaAction)


def alone(detail: ActionDetail, now: datetime) -> None:
    states = build_pcaa_checkpoint_states(detail.action, detail.assumptions, detail.approval, now=now)
    assert_type(states, tuple[PcaaCheckpoint, ...])
    assert_type(states[0].status, CheckpointStatus)
    assert_type(build_pcaa_checkpoint_states({"action_id": "act_1"}, [{}], {}, now=now), tuple[PcaaCheckpoint, ...])
    facts = facts_of(detail.action, detail.assumptions, detail.approval)
    assert_type(facts, ActionFacts)
    assert_type(facts_from({}, [{}], None), ActionFacts)
    assert_type(checkpoint_states_of(facts, now), tuple[PcaaCheckpoint, ...])
    assert_type(receipts_of(facts, now), Receipts)
    assert_type(enforceability_of("sdk_service", None), Enforceability)
    assert_type(PCAA_CHECKPOINTS, tuple[CheckpointId, ...])


def wrong(detail: ActionDetail, now: datetime) -> None:
    build_pcaa_checkpoint_states(detail.action)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    receipts_of(detail.action, now)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
