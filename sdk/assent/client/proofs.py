"""Proofs: reading them, handing them on, and having the service check them. Checking one oneself takes no client:
`assent.proof.verify`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal, cast

import msgspec

from assent.client.flow import Flow, send
from assent.client.method import Response, calls, sends
from assent.client.operation import Caller
from assent.client.request import members
from assent.contract.endpoint import AnyEndpoint
from assent.contract.evidence.log import (
    GET_CONSISTENCY_PROOF,
    GET_INCLUSION_PROOF,
    GET_LOG_HEAD,
)
from assent.contract.evidence.proofs import (
    EXPORT_PROOF,
    GET_GOVERNANCE_PROOF,
    VERIFY_GOVERNANCE_PROOF,
    ProofBundle,
    ProofFormat,
    ProofQuery,
    ProofSnapshot,
    ProofVerification,
    VerifyProof,
)
from assent.contract.evidence.wallet import (
    GET_JWKS,
    GET_SIGNING_KEYS,
    REVOKE_SIGNING_KEY,
    ROTATE_SIGNING_KEY,
)

_ENDPOINT = cast("AnyEndpoint[Any]", GET_GOVERNANCE_PROOF)
_GET_BUNDLE = cast("AnyEndpoint[ProofBundle]", replace(_ENDPOINT, response=ProofBundle, alternative=None))
"""The same call, asked for the other of its two answers."""


class ProofOperations(Caller):
    @calls(GET_GOVERNANCE_PROOF, without=("since",))
    def get_governance_proof(
        self, action_id: str | None = None, format: Literal["bundle"] | None = None
    ) -> Flow[ProofSnapshot | ProofBundle]:
        """The proof of an action, or of the organization: a snapshot with every check made, or with `format="bundle"`
        the bundle to hand on.

        Raises NotFound for an unknown action, Forbidden for the organization's with an agent's key, Unavailable when
        the signing key cannot be used.
        """
        if format is not None:
            return (yield from self._bundle(action_id, None, ProofFormat(format)))
        given = {"action_id": action_id}
        return (yield from send(GET_GOVERNANCE_PROOF, query=members(ProofQuery, given, "get_governance_proof")))

    @calls(GET_GOVERNANCE_PROOF)
    def get_governance_proof_bundle(self, action_id: str | None = None, since: int | None = None) -> Flow[ProofBundle]:
        """The bundle (`svc.proof.v1`) of an action, or of the organization. `since` is the size of a tree head that you
        hold: the bundle then proves that the log grew out of that.

        Raises as `get_governance_proof` does, and InvalidRequest for a size that the log has not reached.
        """
        return (yield from self._bundle(action_id, since, ProofFormat.BUNDLE))

    @calls(VERIFY_GOVERNANCE_PROOF)
    def verify_governance_proof(
        self,
        action_id: str | None = None,
        bundle: ProofBundle | Mapping[str, Any] | None = None,
        since: str | None = None,
    ) -> Flow[ProofVerification]:
        """Have the service check an action's proof, or a bundle that somebody holds, against the log, the policies and
        the tables as they are. `since` is the text of a tree head that you kept.

        Nothing is raised for a proof that does not hold: `ok` is False, and the checks say why. Raises InvalidRequest
        unless exactly one of action and bundle is given, NotFound for an unknown action.
        """
        plain = msgspec.to_builtins(bundle) if isinstance(bundle, ProofBundle) else bundle
        given = {"action_id": action_id, "bundle": plain, "since": since}
        body = members(VerifyProof, given, "verify_governance_proof")
        return (yield from send(VERIFY_GOVERNANCE_PROOF, body=body, idempotent=True))

    @sends(EXPORT_PROOF)
    def export_proof(
        self, action_id: str | None = None, bundle_id: str | None = None, since: int | None = None
    ) -> Response:
        """A bundle as one file, for `assent verify`: an action's, one that was given out before by its `bundle_id`, or
        the organization's.

        Raises NotFound for an unknown action or bundle, and as `get_governance_proof_bundle` does.
        """

    def _bundle(self, action_id: str | None, since: int | None, form: ProofFormat) -> Flow[ProofBundle]:
        given = {"action_id": action_id, "format": form.value, "since": since}
        return (yield from send(_GET_BUNDLE, query=members(ProofQuery, given, "get_governance_proof_bundle")))

    @sends(GET_LOG_HEAD)
    def get_log_head(self, size: int | None = None) -> Response:
        """The signed tree head of the organization's log, or that of its first `size` events. Keep the `checkpoint`:
        with it anybody can see later that the log was only appended to.

        Raises InvalidRequest for a size that the log has not reached.
        """

    @sends(GET_INCLUSION_PROOF)
    def get_inclusion_proof(self, n: int, size: int | None = None) -> Response:
        """That event `n` (from 0) is in the log, in the tree of `size` events or the newest. Raises InvalidRequest for
        what is out of range."""

    @sends(GET_CONSISTENCY_PROOF)
    def get_consistency_proof(self, from_: int, to: int | None = None) -> Response:
        """That the log's first `from_` events are the beginning of its first `to`, or of all. Raises InvalidRequest for
        sizes that are out of range or in the wrong order."""

    @sends(GET_SIGNING_KEYS)
    def get_signing_keys(self) -> Response:
        """The organization's signing keys in the order in which they were made, retired and revoked ones included.
        Needs an operator's, auditor's or admin's key.
        """

    @sends(ROTATE_SIGNING_KEY)
    def rotate_signing_key(self, reason: str | None = None) -> Response:
        """Sign with a new key from now on; what the one before signed stays valid. Needs an admin's key."""

    @sends(REVOKE_SIGNING_KEY)
    def revoke_signing_key(self, kid: str, reason: str) -> Response:
        """Say that nothing counts any more that this key signed; the reason is published with it. Raises NotFound, and
        Conflict when it is revoked already. Needs an admin's key.
        """

    @sends(GET_JWKS)
    def get_jwks(self, org_id: str | None = None) -> Response:
        """The public signing keys of an organization, without `org_id` those of the service's first one: what
        strangers verify with. Empty until something was signed, and for an organization that is not there.
        """
