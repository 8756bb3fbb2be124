"""Certificates: which events make one, and what it says of how an action ended."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from assent.contract.evidence.certificates import Certificate, OrganizationCertificate
from assent.proof.certificate import (
    CERTIFIED,
    CertificateError,
    LogPosition,
    OrganizationFacts,
    Proven,
    certify,
    certify_organization,
)
from assent.proof.event import EventError, read_event
from tests.vectors.recorded import ORG, Written, action, approval, at, changed, decision, write
from tests.vectors.sealing import approved, blocked, denied, erased, old

LOG = LogPosition(origin="log.example/org_acme", size=200, root="00" * 32, signed_at="2026-11-21T11:00:00.000000Z")


def proven(events: list[Written]) -> list[Proven]:
    return [read_event(event.header, event.body) for event in events]


def made(events: list[Written]) -> dict[str, Any]:
    return certify(ORG, "act_1", proven(events), LOG)


def test_the_types_that_are_certified() -> None:
    assert {
        "guard.decision.created", "action.created", "action.updated", "outcome.created", "approval.requested",
        "approval.decided", "approval.expired", "approval.claimed", "approval.claim_refused", "approval.withdrawn",
        "approval.granted", "grant.created", "grant.used", "assumption.created",
        "assumption.updated", "evidence.erased", "approval_question.created", "approval_question.updated",
    } == CERTIFIED  # fmt: skip


@pytest.mark.parametrize("events", [approved(), blocked(), denied(), old(), erased()])
def test_a_certificate_has_the_documented_members_and_types(events: list[Written]) -> None:
    certificate = made(events)
    read = msgspec.convert(certificate, Certificate)
    assert msgspec.to_builtins(read) == certificate
    assert certificate == made(events), "the same events give the same certificate"
    assert [item["n"] for item in certificate["evidence"]] == [event.n for event in events]
    assert certificate["log"] == {
        "origin": LOG.origin, "size": 200, "root": LOG.root, "signed_at": LOG.signed_at,
    }  # fmt: skip


def test_an_approved_refund() -> None:
    found = made(approved())
    assert (found["status"], found["revision"], found["non_execution"]) == ("completed", 3, None)
    assert found["policy"]["version"] == 7
    assert found["decision"]["reasons"] == decision()["reasons"]
    assert found["approval"]["reviewer"] == "Olga"
    assert found["approval"]["claimed_by"] == "key_agent"
    assert [(a["assumption_id"], a["validated"]) for a in found["assumptions"]] == [("asm_1", True), ("asm_2", False)]
    assert found["outcome"]["output_summary"] == "Refunded 100.50 €"
    assert found["outcome"]["error_message"] is None
    assert found["durable_outcome"]["summary"] == "money is back"
    assert found["corrections"] == [
        {"n": 127, "at": at(20), "by": "agent", "revision": 3, "members": ["error_message", "status", "tokens_out"]}
    ]
    assert [(each["n"], each["kind"]) for each in found["changes"]] == [
        (65, "approval"), (90, "outcome"), (127, "correction"),
    ]  # fmt: skip
    assert [state["status"] for state in found["checkpoints"]] == ["complete"] * 5
    assert found["receipts"]["completeness"] == 1
    assert "naïve" not in json.dumps(found, ensure_ascii=False), "metadata stays out"


def test_a_blocked_attempt_did_not_run() -> None:
    found = made(blocked())
    assert found["outcome"] is None
    assert found["non_execution"] == {"basis": "blocked", "by": "dec_1", "at": at(0)}


def test_an_imported_blocked_attempt_was_blocked_by_nobody_here() -> None:
    first = action(status="blocked", source="import", runtime="evidence_import", approval_id=None, decision="allow")
    said = decision(decision="allow")
    events = [
        write(1, "guard.decision.created", "dec_1", said, action=None, minutes=0),
        write(2, "action.created", "act_1", first, action="act_1", minutes=0),
    ]
    assert made(events)["non_execution"] == {"basis": "blocked", "by": None, "at": at(0)}
    assert made(events[1:])["decision"] is None


def test_that_an_agent_says_it_was_blocked_is_no_proof() -> None:
    events = blocked()
    allowed = decision(**(json.loads(events[0].body or "")["data"] | {"decision": "allow"}))
    found = made([write(3, "guard.decision.created", "dec_1", allowed, action=None, minutes=0), events[1]])
    assert found["non_execution"] is None
    assert found["outcome"]["status"] == "blocked"


def test_a_denied_action_did_not_run() -> None:
    found = made(denied())
    assert found["outcome"] is None
    assert found["non_execution"] == {"basis": "denied", "by": "apr_1", "at": at(5)}
    assert found["approval"]["reasoning"] == "No such order."


def test_an_expired_action_did_not_run() -> None:
    late = approval(state="expired", decided_at=at(60))
    ended = changed(action(), "expiry", "system", 60, status="cancelled", timestamp_end=at(60))
    events = [
        *old()[:2],
        write(50, "approval.expired", "apr_1", late, action="act_1", minutes=60),
        write(51, "action.updated", "act_1", ended, action="act_1", minutes=60),
    ]
    found = made(events)
    assert found["non_execution"] == {"basis": "expired", "by": "apr_1", "at": at(60)}
    assert found["approval"]["reviewer"] is None


def test_a_withdrawn_action_did_not_run_unless_it_did_after_all() -> None:
    taken = approval(state="withdrawn", decided_at=at(6), decided_by="agent", decided_by_key="key_agent")
    ended = changed(action(), "withdrawal", "agent", 6, status="cancelled", timestamp_end=at(6))
    events = [
        *old()[:2],
        write(50, "approval.withdrawn", "apr_1", taken, action="act_1", minutes=6),
        write(51, "action.updated", "act_1", ended, action="act_1", minutes=6),
    ]
    found = made(events)
    assert found["non_execution"] == {"basis": "withdrawn", "by": "apr_1", "at": at(6)}
    assert [each["kind"] for each in found["changes"]] == ["withdrawal"]
    ran = changed(ended, "correction", "agent", 7, status="completed")
    back = changed(ran, "correction", "agent", 8, status="cancelled")
    later = [
        write(60, "action.updated", "act_1", ran, action="act_1", minutes=7),
        write(61, "action.updated", "act_1", back, action="act_1", minutes=8),
    ]
    assert made([*events, *later])["non_execution"] is None


def test_whether_the_key_that_decided_had_asked_is_certified_where_it_was_recorded() -> None:
    assert "self_decided" not in made(approved())["approval"], "what was signed before the member stays as it was"
    for said in (True, False):
        events = approved()
        data = json.loads(events[8].body or "")["data"] | {"self_decided": said}
        told = write(71, "approval.claimed", "apr_1", data, action="act_1", minutes=11)
        assert made([*events[:8], told, *events[9:]])["approval"]["self_decided"] is said


@pytest.mark.parametrize(
    "later",
    [
        {"status": "completed"},
        {"status": "failed"},
        {"output_summary": "it ran all the same"},
        {"side_effects": ["mail sent"]},
        {"artifacts_created": ["report.pdf"]},
    ],
)
def test_what_later_says_that_it_ran_takes_the_proof_away(later: dict[str, Any]) -> None:
    events = denied()
    before = json.loads(events[-1].body or "")["data"]
    after = changed(before, "correction", "agent", 7, **later)
    found = made([*events, write(60, "action.updated", "act_1", after, action="act_1", minutes=7)])
    assert found["non_execution"] is None
    assert found["outcome"]["status"] == later.get("status", "cancelled")
    back = changed(
        after, "correction", "agent", 8, **({"status": "cancelled"} if "status" in later else {"model": "x"})
    )
    again = write(61, "action.updated", "act_1", back, action="act_1", minutes=8)
    said = made([*events, write(60, "action.updated", "act_1", after, action="act_1", minutes=7), again])
    assert said["non_execution"] is None, "what was said once is not taken back"


def test_a_durable_outcome_takes_the_proof_away() -> None:
    said = {"org_id": ORG, "action_id": "act_1", "status": "partial"}
    found = made([*blocked(), write(60, "outcome.created", "act_1", said, action="act_1", minutes=7)])
    assert found["non_execution"] is None
    assert found["durable_outcome"]["status"] == "partial"


def test_old_events_lack_what_came_later() -> None:
    found = made(old())
    assert found["policy"] == {"version": 7, "digest": None}
    assert found["envelope"]["parameters_digest"] is None
    assert found["envelope"]["externality"] is None
    assert found["envelope"]["verification"] is None
    assert (found["approval"]["conditions"], found["approval"]["act_digest"]) == ([], None)
    assert found["approval"]["refused_claims"] == 0


@pytest.mark.parametrize("blanked", [True, False])
def test_an_erased_action_keeps_its_evidence_and_nothing_else(blanked: bool) -> None:
    found = made(erased(blanked=blanked))
    assert found["erasure"] == {
        "erased_at": at(1000), "erased_by": "Ada", "erased_by_key": "key_ada", "reason": "the customer asked",
        "events": 13,
    }  # fmt: skip
    for name in ("status", "revision", "envelope", "decision", "approval", "outcome", "durable_outcome", "receipts"):
        assert found[name] is None, name
    for name in ("assumptions", "corrections", "changes", "checkpoints"):
        assert found[name] == [], name
    assert found["policy"] == {"version": None, "digest": None}
    assert [item["n"] for item in found["evidence"]] == [event.n for event in erased()]
    assert "refund" not in json.dumps(found).lower()


GOOD = approved()


def blank(event: Written) -> Written:
    return Written(event.header, None)


@pytest.mark.parametrize(
    ("events", "message"),
    [
        ([], "0 creations"),
        (GOOD[2:], "0 creations"),
        ([*GOOD[:2], *GOOD[2:][::-1]], "stands behind"),
        ([GOOD[0], GOOD[1], GOOD[1]], "stands behind"),
        ([*GOOD, write(130, "action.created", "act_1", action(), action="act_1", minutes=0)], "2 creations"),
        ([*GOOD, write(130, "guard.decision.created", "dec_1", decision(), action=None, minutes=0)], "2 decisions"),
        ([*GOOD, write(200, "action.updated", "act_1", action(), action="act_1", minutes=0)], "not in a log of 200"),
        ([*GOOD, write(130, "loop.created", "l_1", {}, action="act_1", minutes=0)], "no certificate has"),
        ([*GOOD, write(130, "action.updated", "act_2", action(), action="act_2", minutes=0)], "not act_1"),
        ([*GOOD, write(130, "action.updated", "act_1", action(), action=None, minutes=0)], "not act_1"),
        (
            [*GOOD, write(130, "action.updated", "act_1", action(action_id="act_2"), action="act_1", minutes=0)],
            "'act_2', not act_1",
        ),
        (
            [*GOOD, write(130, "action.updated", "act_1", action(org_id="org_2"), action="act_1", minutes=0)],
            "'org_2', not org_acme",
        ),
        (
            [*GOOD, write(130, "action.updated", "act_1", action(), action="act_1", minutes=0, org="org_2")],
            "org_2, not org_acme",
        ),
        (
            [*GOOD, write(130, "approval.claimed", "apr_2", approval(), action="act_1", minutes=0)],
            "its content about 'apr_1'",
        ),
        (
            [
                write(1, "guard.decision.created", "dec_2", decision(decision_id="dec_2"), action=None, minutes=0),
                GOOD[1],
            ],
            "the action's is dec_1",
        ),
        (
            [
                write(2, "guard.decision.created", "dec_2", decision(decision_id="dec_2"), action=None, minutes=0),
                *erased()[1:],
            ],
            "the action's is dec_1",
        ),
        ([GOOD[0], blank(GOOD[1]), *GOOD[2:]], "no erasure"),
        ([*erased()[:-1], blank(erased()[-1])], "no erasure"),
    ],
)
def test_events_that_make_no_certificate(events: list[Written], message: str) -> None:
    with pytest.raises(CertificateError, match=message):
        made(events)


def test_a_position_without_a_time_is_none() -> None:
    with pytest.raises(CertificateError, match="signed_at"):
        certify(ORG, "act_1", proven(GOOD), msgspec.structs.replace(LOG, signed_at="now"))


# Events as texts


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"v":1', '"v":2'), ('"v":1', '"v":1,"x":1'), ('"v":1', '"v":1.0'), ('"n":18', '"n":18,"n":18'),
        ('"n":18', '"n":-1'), ('"n":18', '"n":9007199254740992'), ('"n":18', '"n":"18"'), ('"actor"', ' "actor"'),
        ("key_agent", "key agent"), ("key_agent", ""), ("key_agent", "é"), ("sha256:", "sha512:"),
        ("act_1", "act\\u005f1"), ('"ts"', '"zz"'),
    ],
)  # fmt: skip
def test_a_header_is_canonical_to_the_last_byte(old: str, new: str) -> None:
    header = GOOD[1].header
    assert old in header
    with pytest.raises(EventError):
        read_event(header.replace(old, new, 1), None)


@pytest.mark.parametrize(
    "body",
    ["", " ", "{}", '{"salt":"", "data":{}}', '{"salt":"' + "0" * 32 + '","data":{}}', "\ud800"],
)
def test_a_body_is_what_the_digest_was_taken_over(body: str) -> None:
    with pytest.raises(EventError):
        read_event(GOOD[1].header, body)


# Organizations

FACTS = OrganizationFacts(
    events_by_type={"action.created": 199, "evidence.erased": 1},
    first_event_at=0,
    last_event_at=1_795_165_200_000_001,
    erasures=1,
    policy_version=3,
    policy_digest=None,
)


def test_an_organization() -> None:
    found = certify_organization(ORG, FACTS, LOG)
    assert msgspec.to_builtins(msgspec.convert(found, OrganizationCertificate)) == found
    assert found["first_event_at"] == "1970-01-01T00:00:00.000000Z"
    assert found["last_event_at"] == "2026-11-20T09:00:00.000001Z"


@pytest.mark.parametrize("members", [{"erasures": 0}, {"events_by_type": {"action.created": 199}}, {"erasures": 2}])
def test_sums_must_add_up(members: dict[str, Any]) -> None:
    with pytest.raises(CertificateError):
        certify_organization(ORG, msgspec.structs.replace(FACTS, **members), LOG)
