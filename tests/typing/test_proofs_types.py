"""Read by mypy and basedpyright, never called: what operations of proofs give, on both clients."""

from typing import assert_type

from assent import AsyncClient, Client
from assent.contract.evidence.log import ConsistencyProof, InclusionProof, LogHead
from assent.contract.evidence.proofs import CheckStatus, ProofBundle, ProofSnapshot, ProofVerification
from assent.contract.file import File


def blocking(client: Client) -> None:
    assert_type(client.get_governance_proof(), ProofSnapshot | ProofBundle)
    assert_type(client.get_governance_proof_bundle("act_1", since=3), ProofBundle)
    assert_type(client.verify_governance_proof("act_1"), ProofVerification)
    assert_type(client.verify_governance_proof(bundle={}).checks[0].status, CheckStatus)
    assert_type(client.export_proof(bundle_id="sha256:0"), File)
    assert_type(client.get_log_head(7), LogHead)
    assert_type(client.get_inclusion_proof(0), InclusionProof)
    assert_type(client.get_consistency_proof(3), ConsistencyProof)


async def awaiting(client: AsyncClient) -> None:
    assert_type(await client.get_governance_proof("act_1", "bundle"), ProofSnapshot | ProofBundle)
    assert_type(await client.get_governance_proof_bundle(), ProofBundle)
    assert_type(await client.verify_governance_proof("act_1", since=""), ProofVerification)
    assert_type(await client.export_proof("act_1"), File)
    assert_type(await client.get_log_head(), LogHead)
    assert_type(await client.get_inclusion_proof(0, 7), InclusionProof)
    assert_type(await client.get_consistency_proof(3, 7), ConsistencyProof)
