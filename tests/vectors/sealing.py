"""Makes the bundles under tests/vectors/bundles anew: `python -m tests.vectors.sealing`.

Everything is fixed, keys and salts too, so the files come out the same to the last byte. They are what was given out
once: do not make them anew because a later version would give out something else, unless the schema has a new number.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from assent.contract.evidence.proofs import ConsistencyStep, ProofBundle
from assent.contract.evidence.wallet import Jwk, Jwks
from assent.proof.bundle import bundle_bytes, seal_action, seal_organization
from assent.proof.certificate import OrganizationFacts, certify, certify_organization
from assent.proof.event import read_event
from assent.proof.jwk import jwk_of
from assent.proof.note import Checkpoint, position_of, sign_checkpoint
from assent.proof.policies import policy_digest
from tests.vectors.grove import Grove
from tests.vectors.recorded import (
    ORG,
    POLICIES,
    START,
    Written,
    action,
    approval,
    assumption,
    at,
    changed,
    decision,
    write,
)

FOLDER = Path(__file__).parent / "bundles"
SIGNED_AT = START + timedelta(hours=26)
ORIGIN = f"assent.example/{ORG}"


def key_of(name: str) -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(sha256(f"test key {name}".encode()).digest())


KEY, OLDER, STRANGER = key_of("signer"), key_of("older"), key_of("stranger")


def jwk(key: Ed25519PrivateKey, **members: Any) -> Jwk:
    return msgspec.structs.replace(jwk_of(key.public_key()), **members)


def seconds(moment: datetime) -> int:
    return int(moment.timestamp())


JWKS = Jwks(
    keys=[
        jwk(OLDER, nbf=seconds(START - timedelta(days=90)), exp=seconds(START + timedelta(hours=1))),
        jwk(KEY, nbf=seconds(START), exp=seconds(START + timedelta(days=365))),
    ]
)


@dataclass
class Setting:
    """What a bundle is made from; tests change single members and seal it again."""

    events: list[Written]
    policies: Sequence[Mapping[str, Any]] | None = field(default_factory=lambda: POLICIES)
    size: int = 200
    org_id: str = ORG
    origin: str = ORIGIN
    signed_at: datetime = SIGNED_AT
    key: Ed25519PrivateKey = KEY
    note_key: Ed25519PrivateKey = KEY
    steps: Sequence[tuple[int, Ed25519PrivateKey]] = ()
    seed: str = "grove"
    certificate: Callable[[dict[str, Any]], dict[str, Any]] | None = None
    """Makes what is signed in place of the certificate."""

    def grove(self) -> Grove:
        return Grove({event.n: event.leaf for event in self.events}, self.seed, (100, 129, 150, self.size))

    def note(self, size: int, key: Ed25519PrivateKey, moment: datetime) -> str:
        root = self.grove().root(size)
        return sign_checkpoint(Checkpoint(origin=self.origin, size=size, root=root, signed_at=moment), key)

    def seal(self) -> ProofBundle:
        grove, note = self.grove(), self.note(self.size, self.note_key, self.signed_at)
        proven = [read_event(event.header, event.body) for event in self.events]
        made = certify(self.org_id, "act_1", proven, position_of(note))
        return seal_action(
            org_id=self.org_id,
            action_id="act_1",
            certificate=made if self.certificate is None else self.certificate(made),
            events=[(event.header, event.body, grove.inclusion(event.n, self.size)) for event in self.events],
            checkpoint=note,
            policies=self.policies,
            consistency=self.consistency(grove),
            key=self.key,
            others=[jwk(each) for each in (KEY, OLDER, STRANGER)],
        )

    def consistency(self, grove: Grove) -> list[ConsistencyStep]:
        return [
            ConsistencyStep(
                checkpoint=self.note(size, key, START + timedelta(minutes=30)),
                hashes=grove.consistency(*sorted((size, self.size))),
            )
            for size, key in self.steps
        ]


def approved(
    *,
    decided: Mapping[str, Any] | None = None,
    asked: Mapping[str, Any] | None = None,
    ruled: Mapping[str, Any] | None = None,
    opened: Mapping[str, Any] | None = None,
) -> list[Written]:
    """A refund that was approved, claimed, done, reported and corrected; twelve events. `decided` changes guard's
    decision, `asked` the approval from the start, `ruled` from the operator's decision on, `opened` the action."""
    first = action(**(opened or {}))
    waits = approval(**(asked or {}))
    answer = {
        "state": "approved", "decided_at": at(10), "decided_by": "Olga", "decided_by_key": "key_olga",
        "reasoning": "Seen the ticket.", "conditions": ["only this order"], "valid_until": at(120), **(ruled or {}),
    }  # fmt: skip
    given = waits | answer
    runs = changed(first, "approval", "Olga", 10, status="running", approved_by="Olga", approved_at=at(10))
    tried = given | {"refused_claims": 1}
    used = tried | {"claimed_at": at(11), "claimed_by": "key_agent"}
    done = changed(
        runs, "outcome", "agent", 12, status="failed", output_summary="Refunded 100.50 €", error_message="timeout",
        timestamp_end=at(12), duration_ms=720_000, side_effects=["mail sent"],
    )  # fmt: skip
    mended = changed(done, "correction", "agent", 20, status="completed", error_message=None, tokens_out=33)
    said = {
        "org_id": ORG, "action_id": "act_1", "agent_id": "agent-7", "status": "completed", "outcome_at": at(21),
        "summary": "money is back", "error_message": None, "progress": {"steps": 3, "share": 1e17},
        "elapsed_ms": 1_260_000, "reported_by": "key_agent", "created_at": at(0),
    }  # fmt: skip
    held = assumption(1, validated=True, validated_at=at(15), updated_at=at(15))
    olga = {"actor": "key_olga"}
    return [
        write(17, "guard.decision.created", "dec_1", decision(**(decided or {})), action=None, minutes=0),
        write(18, "action.created", "act_1", first, action="act_1", minutes=0),
        write(19, "approval.requested", "apr_1", waits, action="act_1", minutes=0),
        write(30, "assumption.created", "asm_1", assumption(1), action="act_1", minutes=0.5),
        write(31, "assumption.created", "asm_2", assumption(2), action="act_1", minutes=1),
        write(64, "approval.decided", "apr_1", given, action="act_1", minutes=10, **olga),
        write(65, "action.updated", "act_1", runs, action="act_1", minutes=10, **olga),
        write(70, "approval.claim_refused", "apr_1", tried, action="act_1", minutes=10.5),
        write(71, "approval.claimed", "apr_1", used, action="act_1", minutes=11),
        write(90, "action.updated", "act_1", done, action="act_1", minutes=12),
        write(110, "assumption.updated", "asm_1", held, action="act_1", minutes=15),
        write(127, "action.updated", "act_1", mended, action="act_1", minutes=20),
        write(128, "outcome.created", "act_1", said, action="act_1", minutes=21),
    ]


def blocked() -> list[Written]:
    """A wire that was blocked: evidence of an attempt."""
    why = "No wires: actions of this type are blocked"
    context = {"action_type": "wire", "agent_id": "agent-9"}
    said = decision(
        agent_id="agent-9", action_type="wire", declared_goal=None, decision="block", would_decide="block", reason=why,
        reasons=[why], warnings=[], matched_policies=["pol_wire"], risk_score=25, agent_risk_score=None,
        risk_breakdown={"base": 20, "history": 5}, context=context,
        context_digest="sha256:" + sha256(b'{"action_type":"wire"}').hexdigest(),
    )  # fmt: skip
    tried = action(
        agent_id="agent-9", action_type="wire", declared_goal=None, systems_touched=[], status="blocked",
        reversible=True, decision="block", approval_id=None, error_message=why, timestamp_end=at(0), risk_score=25,
        agent_risk_score=None, parameters_digest=None, externality=None,
    )  # fmt: skip
    return [
        write(3, "guard.decision.created", "dec_1", said, action=None, minutes=0),
        write(4, "action.created", "act_1", tried, action="act_1", minutes=0),
    ]


def denied() -> list[Written]:
    """A refund that an operator denied."""
    refused = approval(
        state="denied", decided_at=at(5), decided_by="Olga", decided_by_key="key_olga", reasoning="No such order."
    )
    ended = changed(
        action(), "denial", "Olga", 5, status="cancelled", error_message="No such order.", timestamp_end=at(5)
    )
    return [
        *approved()[:3],
        write(40, "approval.decided", "apr_1", refused, action="act_1", minutes=5, actor="key_olga"),
        write(41, "action.updated", "act_1", ended, action="act_1", minutes=5, actor="key_olga"),
    ]


def old() -> list[Written]:
    """An action from before policies were digested and acts were named, that nobody finished."""
    said = decision()
    first, waits = action(), approval()
    del said["policy_digest"], first["parameters_digest"], first["externality"], first["verification"]
    for name in ("act_digest", "conditions", "valid_until", "claimed_at", "claimed_by", "refused_claims"):
        del waits[name]
    return [
        write(17, "guard.decision.created", "dec_1", said, action=None, minutes=0),
        write(18, "action.created", "act_1", first, action="act_1", minutes=0),
        write(19, "approval.requested", "apr_1", waits, action="act_1", minutes=0),
    ]


ERASURE = {
    "org_id": ORG,
    "action_id": "act_1",
    "decision_id": "dec_1",
    "erased_at": at(1000),
    "erased_by": "Ada",
    "erased_by_key": "key_ada",
    "reason": "the customer asked",
}


def erased(*, blanked: bool = True) -> list[Written]:
    """The approved refund once its content was erased; without `blanked` the bodies are still there."""
    before = [Written(event.header, None) if blanked else event for event in approved()]
    return [*before, write(150, "evidence.erased", "act_1", ERASURE, action="act_1", minutes=1000, actor="key_ada")]


def organization(policies: list[dict[str, Any]] | None = None, **facts: Any) -> ProofBundle:
    setting = Setting(approved(), steps=[(100, OLDER)])
    note = setting.note(200, KEY, SIGNED_AT)
    known: dict[str, Any] = {
        "events_by_type": {"action.created": 60, "action.updated": 110, "evidence.erased": 2, "key.created": 28},
        "first_event_at": 1_700_000_000_000_000,
        "last_event_at": 1_795_000_000_123_456,
        "erasures": 2,
        "policy_version": 7,
        "policy_digest": policy_digest(POLICIES),
        "keys": JWKS.keys,
    }
    return seal_organization(
        org_id=ORG,
        certificate=certify_organization(ORG, OrganizationFacts(**(known | facts)), position_of(note)),
        checkpoint=note,
        policies=POLICIES if policies is None else policies,
        consistency=setting.consistency(setting.grove()),
        key=KEY,
        others=JWKS.keys,
    )


def good_bundles() -> dict[str, ProofBundle]:
    """By the name of the file."""
    return {
        "action_approved": Setting(approved()).seal(),
        "action_blocked": Setting(blocked()).seal(),
        "action_denied": Setting(denied()).seal(),
        "action_old": Setting(old(), policies=None).seal(),
        "action_erased": Setting(erased(), policies=None).seal(),
        "action_after_rotation": Setting(approved(), steps=[(129, OLDER), (150, KEY)]).seal(),
        "organization": organization(),
    }


def files() -> dict[str, bytes]:
    """The content of every file, by its name."""
    found = {f"{name}.json": bundle_bytes(bundle) for name, bundle in good_bundles().items()}
    return found | {"jwks.json": msgspec.json.format(msgspec.json.encode(JWKS)) + b"\n"}


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name, content in files().items():
        (FOLDER / name).write_bytes(content)
        print(f"wrote {name}, {len(content)} bytes")


if __name__ == "__main__":
    main()
