"""What whoever holds the key may try: bundles that are signed and do not hold, by name, with the checks that fail."""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from typing import Any

import msgspec

from assent.contract.evidence.proofs import ProofBundle
from assent.proof.bundle import bundle_id_of, seal_action
from assent.proof.certificate import certify
from assent.proof.event import read_event
from assent.proof.note import position_of
from tests.vectors.recorded import ORG, POLICIES, Written, action, assumption, at, decision, write
from tests.vectors.sealing import KEY, OLDER, SIGNED_AT, Setting, approved, erased, good_bundles, organization

Value = dict[str, Any]


def rewritten(**members: Any) -> Callable[[Value], Value]:
    return lambda made: made | members


def exchanged(events: list[Written], at_index: int, event: Written) -> list[Written]:
    return [*events[:at_index], event, *events[at_index + 1 :]]


def claimed_twice() -> list[Written]:
    events = approved()
    second = json.loads(events[8].body or "")["data"] | {"claimed_at": at(11.5)}
    return sorted(
        [*events, write(80, "approval.claimed", "apr_1", second, action="act_1", minutes=11.5)], key=lambda e: e.n
    )


def claimed(minutes: float) -> list[Written]:
    """It was given after ten minutes, for two hours."""
    events = approved()
    data = json.loads(events[8].body or "")["data"] | {"claimed_at": at(minutes)}
    return exchanged(events, 8, write(71, "approval.claimed", "apr_1", data, action="act_1", minutes=minutes))


def self_decided_by_another() -> list[Written]:
    """The mark says that the key which asked decided, and the keys are two."""
    events = approved()
    data = json.loads(events[8].body or "")["data"] | {"self_decided": True}
    return exchanged(events, 8, write(71, "approval.claimed", "apr_1", data, action="act_1", minutes=11))


def decided_by_itself_unmarked() -> list[Written]:
    """One key both asked and decided, and the mark says otherwise."""
    events = approved()
    data = json.loads(events[8].body or "")["data"] | {"self_decided": False, "decided_by_key": "key_agent"}
    return exchanged(events, 8, write(71, "approval.claimed", "apr_1", data, action="act_1", minutes=11))


def unasked() -> list[Written]:
    opened = action(status="completed", approval_id=None)
    decided = write(17, "guard.decision.created", "dec_1", decision(), action=None, minutes=0)
    return [decided, write(18, "action.created", "act_1", opened, action="act_1", minutes=0)]


def hidden_correction() -> list[Written]:
    return [event for event in approved() if event.n != 90]


def foreign() -> list[Written]:
    data = assumption(2)
    del data["org_id"]
    return exchanged(
        approved(), 4, write(31, "assumption.created", "asm_2", data, action="act_1", minutes=1, org="org_other")
    )


def doubled_name() -> list[Written]:
    events = approved()
    body = (events[4].body or "").replace('"basis":null', '"basis":null,"basis":null')
    header = json.loads(events[4].header)
    salt, data = bytes.fromhex(body[9:41]), body[50:-1]
    header["body_digest"] = "sha256:" + sha256(salt + data.encode()).hexdigest()
    return exchanged(events, 4, Written(json.dumps(header, separators=(",", ":")), body))


def second_log() -> ProofBundle:
    """A step from a head of another log of the same name."""
    step = Setting(approved(), seed="fork", steps=[(129, OLDER)])
    return SettingWithSteps(approved(), other=step).seal()


class SettingWithSteps(Setting):
    def __init__(self, events: list[Written], other: Setting) -> None:
        super().__init__(events)
        self._other = other

    def consistency(self, grove: Any) -> Any:
        (step,) = self._other.consistency(self._other.grove())
        return [step]


ALLOWED: dict[str, Any] = {
    "decision": "allow", "would_decide": None, "reasons": [], "reason": None, "matched_policies": [],
    "observed_policies": [], "warnings": [],
}  # fmt: skip

RESEALED: dict[str, tuple[Callable[[], ProofBundle], set[str]]] = {
    "certificate_with_another_status": (
        lambda: Setting(approved(), certificate=rewritten(status="failed")).seal(),
        {"certificate"},
    ),
    "certificate_with_a_member_more": (
        lambda: Setting(approved(), certificate=rewritten(note="x")).seal(),
        {"certificate"},
    ),
    "certificate_without_its_corrections": (
        lambda: Setting(approved(), certificate=rewritten(corrections=[])).seal(),
        {"certificate"},
    ),
    "a_change_left_out_by_the_signer": (lambda: Setting(hidden_correction()).seal(), {"certificate"}),
    "erased_and_still_there": (
        lambda: unerased(Setting(erased(blanked=False), policies=None)),
        {"certificate"},
    ),
    "event_of_another_organization": (lambda: sealed_unread(foreign()), {"inclusion"}),
    "body_with_a_name_twice": (lambda: sealed_unread(doubled_name()), {"inclusion"}),
    "head_of_another_organization": (
        lambda: Setting(approved(), origin="assent.example/org_other").seal(),
        {"checkpoint"},
    ),
    "decision_that_the_policies_do_not_give": (
        lambda: Setting(approved(decided=ALLOWED)).seal(),
        {"policy_replay"},
    ),
    "decision_on_another_context": (
        lambda: Setting(approved(decided={"context": decision()["context"] | {"reversible": True}})).seal(),
        {"policy_replay"},
    ),
    "decision_with_another_reason": (
        lambda: Setting(approved(decided={"reasons": ["Refunds über 100 €: because"], "reason": None})).seal(),
        {"policy_replay"},
    ),
    "decision_with_a_reason_of_nobody": (
        lambda: Setting(approved(decided={"reasons": [*decision()["reasons"], "Moon: full"], "reason": None})).seal(),
        {"policy_replay"},
    ),
    "decision_by_other_policies": (lambda: Setting(approved(), policies=POLICIES[1:]).seal(), {"policy_replay"}),
    "decision_without_its_policies": (lambda: Setting(approved(), policies=None).seal(), {"policy_replay"}),
    "approval_of_another_act": (
        lambda: Setting(approved(opened={"declared_goal": "Refund order 4712"})).seal(),
        {"approval_receipt"},
    ),
    "approval_of_other_parameters": (
        lambda: Setting(approved(opened={"parameters_digest": None})).seal(),
        {"approval_receipt"},
    ),
    "approval_when_it_expired": (
        lambda: Setting(approved(asked={"expires_at": at(10)})).seal(),
        {"approval_receipt"},
    ),
    "approval_by_nobody": (
        lambda: Setting(approved(ruled={"decided_by": None})).seal(),
        {"approval_receipt"},
    ),
    "approval_claimed_twice": (lambda: Setting(claimed_twice()).seal(), {"approval_receipt"}),
    "a_mark_that_two_keys_belie": (lambda: Setting(self_decided_by_another()).seal(), {"approval_receipt"}),
    "a_mark_that_one_key_belies": (lambda: Setting(decided_by_itself_unmarked()).seal(), {"approval_receipt"}),
    "approval_claimed_before_it_was_given": (lambda: Setting(claimed(9.5)).seal(), {"approval_receipt"}),
    "approval_claimed_when_it_ended": (lambda: Setting(claimed(120)).seal(), {"approval_receipt"}),
    "approval_denied_and_claimed": (
        lambda: Setting(approved(ruled={"state": "denied"})).seal(),
        {"approval_receipt"},
    ),
    "approval_asked_for_and_not_there": (lambda: Setting(unasked()).seal(), {"approval_receipt"}),
    "step_from_another_log": (second_log, {"consistency"}),
    "organization_with_other_policies": (lambda: organization(policies=POLICIES[1:]), {"certificate"}),
    "organization_without_policies": (lambda: edited("organization", policies=None), {"certificate"}),
}  # fmt: skip


def sealed_unread(events: list[Written]) -> ProofBundle:
    """Sealed though the events make no certificate: theirs is that of the good ones."""
    good, grove = Setting(approved()), Setting(events).grove()
    setting = Setting(events)
    note = setting.note(200, KEY, SIGNED_AT)
    made = certify(ORG, "act_1", [read_event(e.header, e.body) for e in good.events], position_of(note))
    return seal_action(
        org_id=ORG,
        action_id="act_1",
        certificate=made,
        events=[(event.header, event.body, grove.inclusion(event.n, 200)) for event in events],
        checkpoint=note,
        policies=POLICIES,
        key=KEY,
    )


def unerased(setting: Setting) -> ProofBundle:
    """The bodies put back that sealing left out."""
    bundle = setting.seal()
    assert all(event.body is None for event in bundle.events[:-1])
    events = [
        msgspec.structs.replace(event, body=written.body)
        for event, written in zip(bundle.events, setting.events, strict=True)
    ]
    bundle = msgspec.structs.replace(bundle, events=events)
    return msgspec.structs.replace(bundle, bundle_id=bundle_id_of(bundle))


def edited(name: str, **members: Any) -> ProofBundle:
    bundle = msgspec.structs.replace(good_bundles()[name], **members)
    return msgspec.structs.replace(bundle, bundle_id=bundle_id_of(bundle))
