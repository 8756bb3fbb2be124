"""What two verifications of one bundle amount to, without a service."""

from __future__ import annotations

import itertools

import pytest

from assent.contract.evidence.proofs import CheckName, CheckStatus, ProofCheck, ProofKind, ProofVerification, Signer
from assent_dashboard.views.proof.checks import TITLES, judge, line, rows

PASS, FAIL, WARN, NOT = CheckStatus.PASS, CheckStatus.FAIL, CheckStatus.WARN, CheckStatus.NOT_CHECKED


def check(name: CheckName, status: CheckStatus, detail: str = "Said.", **values: str) -> ProofCheck:
    return ProofCheck(name=name, status=status, detail=detail, **values)


def verification(*checks: ProofCheck, signer: Signer = Signer.TRUSTED) -> ProofVerification:
    return ProofVerification(
        ok=all(each.status is not FAIL for each in checks),
        schema="svc.proof.v1",
        kind=ProofKind.ACTION,
        org_id="org_1",
        action_id="act_1",
        bundle_id="sha256:0",
        digest="sha256:1",
        signer=signer,
        checks=list(checks),
        certificate=None,
    )


GOOD = (check(CheckName.SCHEMA, PASS), check(CheckName.KEY, PASS))


@pytest.mark.parametrize(("here", "there"), list(itertools.product(CheckStatus, repeat=2)))
def test_the_worse_of_two_results_counts_and_one_that_was_made_counts_before_none(
    here: CheckStatus, there: CheckStatus
) -> None:
    (row,) = rows(
        verification(check(CheckName.KEY, here, "Mine.")), verification(check(CheckName.KEY, there, "Theirs."))
    )
    expected = next(status for status in (FAIL, WARN, PASS, NOT) if status in (here, there))
    assert row.status is expected
    assert row.made.detail == ("Theirs." if there is expected else "Mine.")
    made = [who for who, status in (("here", here), ("service", there)) if status is not NOT]
    assert row.by == " · ".join(made)


def test_rows_stand_in_the_order_of_the_checks_and_are_those_of_both() -> None:
    mine = verification(check(CheckName.SIGNATURE, PASS), check(CheckName.SCHEMA, PASS))
    theirs = verification(check(CheckName.DATABASE_ROW, PASS), check(CheckName.SCHEMA, PASS))
    assert [row.name for row in rows(mine, theirs)] == [CheckName.SCHEMA, CheckName.SIGNATURE, CheckName.DATABASE_ROW]


def test_one_failed_check_of_either_side_is_enough() -> None:
    bad = verification(*GOOD, check(CheckName.DIGEST, FAIL))
    for here, there in ((verification(*GOOD), bad), (bad, verification(*GOOD)), (bad, None)):
        verdict = judge(here, there)
        assert (verdict.ok, verdict.title) == (False, "This proof does not hold")
        assert verdict.text.startswith("Digest of the certificate: 1 of 3 checks failed.")


def test_a_log_or_a_table_that_was_changed_is_not_laid_at_the_bundles_door() -> None:
    changed = verification(*GOOD, check(CheckName.LOG, FAIL), check(CheckName.DATABASE_ROW, FAIL))
    verdict = judge(verification(*GOOD), changed)
    assert (verdict.ok, verdict.title[:16]) == (False, "The bundle holds")
    assert verdict.text == "Log as it is now, Tables as they are now: 2 of 4 checks failed."
    both = verification(*GOOD, check(CheckName.LOG, FAIL), check(CheckName.SIGNATURE, FAIL))
    assert judge(verification(*GOOD), both).title == "This proof does not hold"


def test_what_holds_is_said_to_hold_with_what_is_worth_a_look() -> None:
    good = verification(*GOOD)
    assert judge(good, good).title == "This proof holds"
    assert not judge(good, good).warned
    warned = verification(*GOOD, check(CheckName.CHECKPOINT_COVERAGE, WARN), check(CheckName.CONSISTENCY, NOT))
    verdict = judge(warned, warned)
    assert (verdict.ok, verdict.warned) == (True, True)
    assert verdict.text == "3 checks made, none failed. Worth a look: Five checkpoints."


def test_without_the_service_it_says_what_was_left_out() -> None:
    verdict = judge(verification(*GOOD), None, "The service was asleep.")
    assert (verdict.ok, verdict.warned) == (True, True)
    assert verdict.text == "2 checks made, none failed. The service was asleep."


def test_a_signer_whom_nobody_knows_is_never_said_to_hold() -> None:
    unknown = verification(*GOOD, signer=Signer.UNKNOWN)
    verdict = judge(unknown, unknown)
    assert verdict.title == "Nothing was altered, but who signed it is not known"
    assert verdict.warned


def test_what_cannot_be_read_is_no_bundle() -> None:
    verdict = judge(verification(check(CheckName.SCHEMA, FAIL, "It is a poem.")), None)
    assert (verdict.ok, verdict.title, verdict.text) == (False, "This is no bundle", "It is a poem.")


def test_a_line_says_both_values_and_does_nothing_of_what_they_say() -> None:
    evil = "![x](http://192.0.2.1)"
    found = check(CheckName.DIGEST, FAIL, evil, expected=evil, found="`")
    (row,) = rows(verification(found), verification(check(CheckName.DIGEST, PASS)))
    text = line(row)
    assert "\\!\\[x\\]" in text
    assert ":gray[expected] `![x](http://192.0.2.1)`" in text
    assert ":gray[found] `` ` ``" in text
    assert text.endswith(":gray[By the service it holds.]")


def test_every_check_has_a_title_of_its_own() -> None:
    assert set(TITLES) == set(CheckName)
    assert len(set(TITLES.values())) == len(CheckName)
