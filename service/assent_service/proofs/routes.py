"""Proofs and the log's tree over HTTP."""

from __future__ import annotations

import asyncio

from assent.contract.log import (
    GET_CONSISTENCY_PROOF,
    GET_INCLUSION_PROOF,
    GET_LOG_HEAD,
    ConsistencyProof,
    InclusionProof,
)
from assent.contract.problems import Code, FieldError
from assent.contract.proofs import (
    EXPORT_PROOF,
    GET_GOVERNANCE_PROOF,
    PROOF_FILE,
    VERIFY_GOVERNANCE_PROOF,
    ProofFormat,
)
from assent_service.core.call import Answer, Call
from assent_service.core.problem import refuse
from assent_service.core.route import Route, route
from assent_service.proofs.heads import Heads
from assent_service.proofs.proofs import Proofs
from assent_service.store.ledger import Ledger


def routes(proofs: Proofs, heads: Heads, ledger: Ledger) -> tuple[Route, ...]:
    @route(GET_GOVERNANCE_PROOF)
    async def get_proof(call: Call) -> Answer:
        asked = call.query
        if asked.format is ProofFormat.BUNDLE:
            return Answer(await proofs.bundle(call.principal, asked.action_id, asked.since))
        return Answer(await proofs.snapshot(call.principal, asked.action_id))

    @route(VERIFY_GOVERNANCE_PROOF)
    async def verify_proof(call: Call) -> Answer:
        return Answer(await proofs.verify(call.principal, call.body, call.raw))

    @route(EXPORT_PROOF)
    async def export_proof(call: Call) -> Answer:
        name, content = await proofs.export(call.principal, call.query)
        disposition = f'attachment; filename="{name}"'.encode()
        return Answer(content, headers=((b"content-disposition", disposition),), media_type=PROOF_FILE)

    @route(GET_LOG_HEAD)
    async def get_head(call: Call) -> Answer:
        size = call.query.size
        org_id = call.principal.org_id
        signed = await heads.newest(org_id) if size is None else await heads.of_size(org_id, size)
        return Answer(signed.head)

    @route(GET_INCLUSION_PROOF)
    async def get_inclusion(call: Call) -> Answer:
        org_id, n, size = call.principal.org_id, call.query.n, call.query.size
        signed = await heads.newest(org_id, 1) if size is None else await heads.of_size(org_id, size)
        if n >= signed.head.size:
            if size is not None:
                raise refuse(
                    Code.INVALID_QUERY,
                    f"Event {n} is not in a tree of {size} events, which has 0 to {size - 1}.",
                    FieldError(place="n", message=f"must be below {size}"),
                )
            signed = await heads.of_size(org_id, n + 1)
        tree, head = ledger.tree, signed.head
        hashes = await asyncio.to_thread(tree.inclusion, org_id, n, head.size)
        leaf = await asyncio.to_thread(tree.leaf, org_id, n)
        return Answer(InclusionProof(n=n, leaf_hash=leaf.hex(), hashes=[each.hex() for each in hashes], head=head))

    @route(GET_CONSISTENCY_PROOF)
    async def get_consistency(call: Call) -> Answer:
        org_id, size, to = call.principal.org_id, call.query.from_, call.query.to
        second = await heads.newest(org_id, 1) if to is None else await heads.of_size(org_id, to)
        if to is None and size > second.head.size:
            second = await heads.of_size(org_id, size)
        if size > second.head.size:
            raise refuse(
                Code.INVALID_QUERY,
                f"from ({size}) is larger than to ({to}); a log only grows, so give the smaller size first.",
                FieldError(place="from", message=f"must be at most {to}"),
            )
        first = await heads.of_size(org_id, size)
        hashes = await asyncio.to_thread(ledger.tree.consistency, org_id, size, second.head.size)
        return Answer(ConsistencyProof(first=first.head, second=second.head, hashes=[each.hex() for each in hashes]))

    return (get_proof, verify_proof, export_proof, get_head, get_inclusion, get_consistency)
