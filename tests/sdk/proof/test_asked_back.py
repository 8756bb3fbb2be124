"""What an operator asked back, in the certificate, and what is found out about it offline."""

from __future__ import annotations

from typing import Any, cast

import msgspec
import pytest

from assent.contract.evidence.certificates import Certificate
from assent.contract.evidence.proofs import CheckStatus
from assent.proof.certificate import LogPosition, certify
from assent.proof.checks.case import Case
from assent.proof.checks.meaning import check_receipt
from assent.proof.event import read_event
from assent.proof.story import CertificateError, story_of
from tests.vectors.recorded import ORG, Written, at, write
from tests.vectors.sealing import denied

LOG = LogPosition(origin="log.example/org_acme", size=200, root="00" * 32, signed_at="2026-11-21T11:00:00.000000Z")


def numbers() -> tuple[int, int]:
    """Of the request for the approval and of its denial, in the log."""
    found = {event.type: event.n for event in (read_event(each.header, each.body) for each in denied())}
    return found["approval.requested"], found["approval.decided"]


REQUESTED, DENIED = numbers()


def question(**members: Any) -> dict[str, Any]:
    return {
        "org_id": ORG, "question_id": "apq_1", "action_id": "act_1", "approval_id": "apr_1", "agent_id": "agent-7",
        "action_type": "refund", "text": "Which order?", "conditions": ["only 50 EUR"], "state": "open",
        "asked_by": "Olga", "asked_by_key": "key_olga", "answer": None, "replaced_by": None, "answered_by": None,
        "answered_by_key": None, "closed_at": None, "created_at": at(1),
    } | members  # fmt: skip


ANSWER = {
    "state": "answered", "answer": "4711", "answered_by": "bot", "answered_by_key": "key_agent", "closed_at": at(2),
}  # fmt: skip
ENDED = {"state": "ended", "closed_at": at(5)}


def asked(n: int, row: dict[str, Any]) -> Written:
    kind = "created" if row["state"] == "open" else "updated"
    return write(n, f"approval_question.{kind}", row["question_id"], row, action="act_1", minutes=1)


def receipt(*more: Written) -> tuple[CheckStatus, str]:
    """What the check of the receipt says of a denied action with these events more."""
    events = sorted((read_event(each.header, each.body) for each in (*denied(), *more)), key=lambda event: event.n)
    story = story_of(ORG, "act_1", events, size=200)
    found = check_receipt(Case(cast("Any", None), {}, None, None, story=story))
    return found.status, found.detail


def test_the_certificate_tells_question_and_answer_and_is_as_before_without_one() -> None:
    events = [*denied(), asked(REQUESTED + 1, question()), asked(REQUESTED + 2, question(**ANSWER))]
    proven = sorted((read_event(each.header, each.body) for each in events), key=lambda event: event.n)
    found = certify(ORG, "act_1", proven, LOG)
    told = question(**ANSWER)
    assert found["questions"] == [
        {
            name: told[name]
            for name in told
            if name not in {"org_id", "action_id", "approval_id", "agent_id", "action_type"}
        }
    ]
    assert msgspec.to_builtins(msgspec.convert(found, Certificate)) == found
    plain = certify(ORG, "act_1", [read_event(each.header, each.body) for each in denied()], LOG)
    assert not {"questions", "replaces"} & plain.keys()


def test_a_question_that_was_answered_or_ended_in_time_passes() -> None:
    assert receipt(asked(REQUESTED + 1, question()), asked(REQUESTED + 2, question(**ANSWER)))[0] == "pass"
    assert receipt(asked(REQUESTED + 1, question()), asked(DENIED + 2, question(**ENDED)))[0] == "pass"


@pytest.mark.parametrize(
    ("events", "words"),
    [
        ([asked(DENIED + 2, question())], "after the action had ceased to wait"),
        ([asked(REQUESTED + 1, question()), asked(DENIED + 2, question(**ANSWER))], "after the action had ceased"),
        ([asked(REQUESTED + 1, question())], "is open, and the action waits no longer"),
        ([asked(REQUESTED + 1, question(approval_id="apr_2", **ANSWER))], "about another approval"),
    ],
)
def test_what_cannot_have_been_so_fails(events: list[Written], words: str) -> None:
    status, detail = receipt(*events)
    assert (status, words in detail) == ("fail", True), detail


def test_a_question_under_another_name_makes_no_certificate() -> None:
    event = write(REQUESTED + 1, "approval_question.created", "apq_2", question(), action="act_1", minutes=1)
    with pytest.raises(CertificateError, match="apq_2"):
        receipt(event)
